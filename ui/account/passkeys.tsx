// The passkeys of the account; a browser that supports them can add one.
import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { ApiError } from '../api/api-error.ts'
import { call } from '../api/call.ts'
import type { Passkey } from '../api/calls.ts'
import { useAction } from '../api/use.ts'
import { inBackground } from '../background.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { Form, TextField } from '../parts/field.tsx'
import { Moment } from '../parts/moment.tsx'
import { createPasskey, hasPasskeys, isIpAddress } from '../parts/passkeys.ts'
import { Table } from '../parts/table.tsx'
import { showToast } from '../parts/toast.ts'
import { words } from '../words/index.ts'

export function Passkeys({ items }: { items: Passkey[] }) {
  const client = useQueryClient()
  const remove = useAction('removePasskey', ['listPasskeys'])
  const [name, setName] = useState('')
  const [error, setError] = useState<ApiError | null>(null)
  const add = async () => {
    setError(null)
    try {
      const { id, options } = await call('askForNewPasskey', {})
      await call('addPasskey', { body: { id, name, response: await createPasskey(options) } })
      showToast({ of: { change: 'addPasskey', body: {} }, undo: null })
      setName('')
      await client.invalidateQueries({ queryKey: ['listPasskeys'] })
    } catch (thrown) {
      setError(thrown instanceof ApiError ? thrown : null)
    }
  }
  return (
    <section class="card stack">
      <h2>{words.account.passkeys}</h2>
      {hasPasskeys() ? <p>{words.account.passkeysHint}</p> : <Unavailable />}
      {hasPasskeys() && (
        <Form
          submitLabel={words.account.addPasskey}
          submit={() => inBackground(add())}
          mutation={{ isPending: false, error }}
          fields={['name']}
        >
          <TextField label={words.common.name} value={name} set={setName} error={error?.of('name')} />
        </Form>
      )}
      {items.length > 0 && (
        <Table
          caption={words.account.passkeys}
          items={items}
          keyOf={(it) => it.id}
          columns={[
            { head: words.common.name, cell: (it) => <span class="foreign">{it.name}</span>, wide: true },
            { head: words.common.lastUsed, cell: (it) => <Moment at={it.lastUsedAt} />, secondary: true },
            {
              head: words.common.actions,
              cell: (it) => (
                <button type="button" class="link" onClick={() => remove.mutate({ params: { passkeyId: it.id } })}>
                  {words.common.remove}
                </button>
              ),
            },
          ]}
        />
      )}
      {remove.error && <ErrorNote error={remove.error} />}
    </section>
  )
}

/** Browsers have passkeys only on https or localhost, and never for an IP address. */
function Unavailable() {
  const { hostname, protocol, pathname } = location
  const isPossible = hostname === 'localhost' || (protocol === 'https:' && !isIpAddress(hostname))
  if (isPossible) return <p>{words.account.passkeysUnavailable}</p>
  const onLocalhost = new URL(pathname, location.href)
  onLocalhost.hostname = 'localhost'
  return (
    <p>
      {words.account.passkeysNeedHttps}{' '}
      {hostname === '127.0.0.1' && <a href={onLocalhost.href}>{words.account.openOnLocalhost}</a>}
    </p>
  )
}
