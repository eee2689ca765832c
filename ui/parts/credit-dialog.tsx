// A dialog that asks for an amount of credit and a note: to top up, or to request it.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Workspace } from '../api/calls.ts'
import { words } from '../words/index.ts'
import { readAmount } from './amount.ts'
import { Dialog } from './dialog.tsx'
import { Form, type MutationState, TextField } from './field.tsx'
import { money } from './format.ts'
import { Moment } from './moment.tsx'

const MAX_NOTE_LENGTH = 500

export interface TypedCredit {
  amount: string
  note: string
}

interface Props {
  workspace: Workspace
  title: string
  /** The label of the button for an amount. */
  labelOf: (amount: string) => string
  noteHint: string
  typed: TypedCredit
  set: (typed: TypedCredit) => void
  submit: (body: { amount: number; note: string | null }) => void
  mutation: MutationState
  close: () => void
  children?: ComponentChildren
}

export function CreditDialog(props: Props) {
  const { workspace, title, labelOf, noteHint, typed, set, submit, mutation, close, children } = props
  const { currency, periodEndsAt, timeZone } = workspace
  const [error, setError] = useState<string | null>(null)
  const amount = readAmount(typed.amount)
  const check = () => {
    if (amount) submit({ amount, note: typed.note.trim() || null })
    else setError(words.usage.notAnAmount)
  }
  return (
    <Dialog title={title} close={close}>
      {children}
      <p class="quiet">
        {words.usage.creditExpires} <Moment at={periodEndsAt} style="day" timeZone={timeZone} />
      </p>
      <Form
        submitLabel={amount ? labelOf(money(amount, currency)) : title}
        submit={check}
        mutation={mutation}
        fields={['amount', 'note']}
        cancel={close}
      >
        <TextField
          label={words.usage.amountIn(currency)}
          value={typed.amount}
          set={(value) => set({ ...typed, amount: value })}
          error={error ?? mutation.error?.of('amount')}
          inputMode="decimal"
          autoComplete="off"
        />
        <TextField
          label={words.usage.note}
          hint={noteHint}
          value={typed.note}
          set={(value) => set({ ...typed, note: value })}
          error={mutation.error?.of('note')}
          maxLength={MAX_NOTE_LENGTH}
          autoComplete="off"
        />
      </Form>
    </Dialog>
  )
}
