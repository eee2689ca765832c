// The passkeys of the account; a browser that supports them can add one.
import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import type { Passkey } from '../api/calls.ts'
import { Fault } from '../api/fault.ts'
import { useAct } from '../api/use.ts'
import { inBackground } from '../background.ts'
import { FaultNote } from '../parts/fault.tsx'
import { Form, TextField } from '../parts/field.tsx'
import { Moment } from '../parts/moment.tsx'
import { createPasskey, hasPasskeys } from '../parts/passkeys.ts'
import { Table } from '../parts/table.tsx'
import { words } from '../words/index.ts'

export function Passkeys({ items }: { items: Passkey[] }) {
  const client = useQueryClient()
  const remove = useAct('removePasskey', ['listPasskeys'])
  const [name, setName] = useState('')
  const [fault, setFault] = useState<Fault | null>(null)
  const add = async () => {
    setFault(null)
    try {
      const { id, options } = await call('askForNewPasskey', {})
      await call('addPasskey', { body: { id, name, response: await createPasskey(options) } })
      setName('')
      await client.invalidateQueries({ queryKey: ['listPasskeys'] })
    } catch (thrown) {
      setFault(thrown instanceof Fault ? thrown : null)
    }
  }
  return (
    <section class="card stack">
      <h2>{words.account.passkeys}</h2>
      <p>{hasPasskeys() ? words.account.passkeysHint : words.account.passkeysUnavailable}</p>
      {hasPasskeys() && (
        <Form
          act={words.account.addPasskey}
          submit={() => inBackground(add())}
          isBusy={false}
          fault={fault}
          fields={['name']}
        >
          <TextField label={words.account.passkeyName} value={name} set={setName} wrong={fault?.of('name')} />
        </Form>
      )}
      {items.length > 0 && (
        <Table
          caption={words.account.passkeys}
          rows={items}
          keyOf={(it) => it.id}
          columns={[
            { head: words.account.name, cell: (it) => <span class="foreign">{it.name}</span>, wide: true },
            { head: words.account.lastUsed, cell: (it) => <Moment at={it.lastUsedAt} />, roomy: true },
            {
              head: words.account.actions,
              cell: (it) => (
                <button type="button" class="link" onClick={() => remove.mutate({ params: { passkeyId: it.id } })}>
                  {words.account.remove}
                </button>
              ),
            },
          ]}
        />
      )}
      {remove.error && <FaultNote fault={remove.error} />}
    </section>
  )
}
