// Tops up the balance. The idempotency key belongs to the typed values, so that a repeated request is booked once (D25).
import { useMemo, useState } from 'preact/hooks'
import type { Workspace } from '../api/calls.ts'
import { useAction } from '../api/use.ts'
import { words } from '../words/index.ts'
import { CreditDialog } from './credit-dialog.tsx'
import { newIdempotencyKey } from './idempotency-key.ts'

const RELOADS = ['getWorkspace', 'listLedger', 'listWorkspaces', 'getNow'] as const

export function TopUpDialog({ workspace, close }: { workspace: Workspace; close: () => void }) {
  const { id, name, creditRequest } = workspace
  const requested = creditRequest?.status === 'open' ? String(creditRequest.amount) : ''
  const [typed, setTyped] = useState({ amount: requested, note: '' })
  const key = useMemo(newIdempotencyKey, [typed])
  const act = useAction('topUp', RELOADS, { 'idempotency-key': key })
  return (
    <CreditDialog
      workspace={workspace}
      title={words.usage.topUp}
      labelOf={words.usage.add}
      noteHint={words.usage.noteHint}
      typed={typed}
      set={setTyped}
      submit={(body) => act.mutate({ params: { id }, body }, { onSuccess: close })}
      mutation={act}
      close={close}
    >
      <p>
        <strong class="foreign">{name}</strong>
      </p>
    </CreditDialog>
  )
}
