// Tops up the balance. The idempotency key belongs to the dialog, so that a repeated request is booked once (D25).
import { useMemo, useState } from 'preact/hooks'
import type { Workspace } from '../api/calls.ts'
import { useAction } from '../api/use.ts'
import { words } from '../words/index.ts'
import { readAmount } from './amount.ts'
import { Dialog } from './dialog.tsx'
import { Form, TextField } from './field.tsx'
import { money } from './format.ts'
import { newIdempotencyKey } from './idempotency-key.ts'
import { Moment } from './moment.tsx'

const RELOADS = ['getWorkspace', 'listLedger', 'listWorkspaces', 'getNow'] as const

export function TopUpDialog({ workspace, close }: { workspace: Workspace; close: () => void }) {
  const { id, name, currency, periodEndsAt, timeZone, creditRequest } = workspace
  const [typed, setTyped] = useState(creditRequest?.status === 'open' ? String(creditRequest.amount) : '')
  const [note, setNote] = useState('')
  const [error, setError] = useState<string | null>(null)
  const key = useMemo(newIdempotencyKey, [typed, note])
  const act = useAction('topUp', RELOADS, { 'idempotency-key': key })
  const amount = readAmount(typed)
  const submit = () => {
    if (!amount) return setError(words.usage.notAnAmount)
    act.mutate({ params: { id }, body: { amount, note: note.trim() || null } }, { onSuccess: close })
  }
  return (
    <Dialog title={words.usage.topUp} close={close}>
      <p>
        <strong class="foreign">{name}</strong>
      </p>
      <p class="quiet">
        {words.usage.creditExpires} <Moment at={periodEndsAt} style="day" timeZone={timeZone} />
      </p>
      <Form
        submitLabel={amount ? words.usage.add(money(amount, currency)) : words.usage.topUp}
        submit={submit}
        mutation={act}
        fields={['amount', 'note']}
        cancel={close}
      >
        <TextField
          label={words.usage.amountIn(currency)}
          value={typed}
          set={setTyped}
          error={error ?? act.error?.of('amount')}
          inputMode="decimal"
          autoComplete="off"
        />
        <TextField
          label={words.usage.note}
          hint={words.usage.noteHint}
          value={note}
          set={setNote}
          error={act.error?.of('note')}
          maxLength={500}
          autoComplete="off"
        />
      </Form>
    </Dialog>
  )
}
