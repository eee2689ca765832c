// Sets the balance for the low-balance alert.
import { useState } from 'preact/hooks'
import type { Workspace } from '../api/calls.ts'
import { useAction } from '../api/use.ts'
import { readAmount } from '../parts/amount.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Form, TextField } from '../parts/field.tsx'
import { words } from '../words/index.ts'

export function AlertDialog({ workspace, close }: { workspace: Workspace; close: () => void }) {
  const { id, currency, creditAlert } = workspace
  const [typed, setTyped] = useState(creditAlert.below === null ? '' : String(creditAlert.below))
  const [error, setError] = useState<string | null>(null)
  const act = useAction('setCreditAlert', ['getWorkspace'])
  const submit = () => {
    const below = typed.trim() === '' ? null : readAmount(typed)
    if (below === undefined) setError(words.usage.notAnAmount)
    else act.mutate({ params: { id }, body: { below } }, { onSuccess: close })
  }
  return (
    <Dialog title={words.usage.setAlert} close={close}>
      <Form submitLabel={words.common.save} submit={submit} mutation={act} fields={['below']} cancel={close}>
        <TextField
          label={words.usage.alertBelow(currency)}
          hint={words.usage.alertHint}
          value={typed}
          set={setTyped}
          error={error ?? act.error?.of('below')}
          inputMode="decimal"
          autoComplete="off"
        />
      </Form>
    </Dialog>
  )
}
