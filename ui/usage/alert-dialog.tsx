// Sets the balances of the low-balance alerts, and the client whose webhook gets them.
import { useState } from 'preact/hooks'
import type { Workspace } from '../api/calls.ts'
import { useAction } from '../api/use.ts'
import { readAmount } from '../parts/amount.ts'
import { useClients } from '../parts/clients.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Form, SelectField, TextField } from '../parts/field.tsx'
import { words } from '../words/index.ts'

export function AlertDialog({ workspace, close }: { workspace: Workspace; close: () => void }) {
  const { id, currency, creditAlerts } = workspace
  const [typed, setTyped] = useState(creditAlerts.below.join(' '))
  const [client, setClient] = useState(creditAlerts.clientId ?? '')
  const { clients } = useClients()
  const [error, setError] = useState<string | null>(null)
  const act = useAction('setCreditAlerts', ['getWorkspace'])
  const submit = () => {
    // Spaces separate them, because commas group digits.
    const below = typed.split(/\s+/).flatMap((word) => (word === '' ? [] : [readAmount(word)]))
    const amounts = below.filter((it) => it !== undefined)
    if (amounts.length < below.length) setError(words.usage.notAnAmount)
    else act.mutate({ params: { id }, body: { below: amounts, clientId: client || null } }, { onSuccess: close })
  }
  const endpoints = clients.filter((it) => it.webhookUrl !== null || it.id === creditAlerts.clientId)
  return (
    <Dialog title={words.usage.setAlert} close={close}>
      <Form
        submitLabel={words.common.save}
        submit={submit}
        mutation={act}
        fields={['below', 'clientId']}
        cancel={close}
      >
        <TextField
          label={words.usage.alertBelow(currency)}
          hint={words.usage.alertHint}
          value={typed}
          set={setTyped}
          error={error ?? act.error?.of('below')}
          autoComplete="off"
        />
        <SelectField
          label={words.usage.alertWebhook}
          hint={words.usage.alertWebhookHint}
          value={client}
          set={setClient}
          of={[['', words.usage.noWebhook], ...endpoints.map((it) => [it.id, it.name] as const)]}
          error={act.error?.of('clientId')}
        />
      </Form>
    </Dialog>
  )
}
