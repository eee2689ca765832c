// The API keys of a client: two may be active, so that a key is replaced without an outage (§5.1, §5.2).
import { useId, useState } from 'preact/hooks'
import type { Client, ClientKey } from '../api/calls.ts'
import { queries } from '../api/queries.ts'
import { keyOf, useAction } from '../api/use.ts'
import { inBackground } from '../background.ts'
import { useCan } from '../caller.ts'
import { Confirm } from '../parts/confirm.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Icon } from '../parts/icon.tsx'
import { Moment } from '../parts/moment.tsx'
import { SectionHead } from '../parts/page.tsx'
import { Secrets } from '../parts/secret.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { words } from '../words/index.ts'

const RELOADS = ['getClient', 'listClients'] as const
const MAX_KEYS = 2

export function Keys({ client }: { client: Client }) {
  const can = useCan()
  const hint = useId()
  const [isRotating, setRotating] = useState(false)
  const [revoked, setRevoked] = useState<ClientKey | null>(null)
  const { id, keys } = client
  const isFull = keys.length >= MAX_KEYS
  const added = useAction('addClientKey', RELOADS)
  // Another person may have added a key: the page then shows both.
  const reload = () => inBackground(queries.invalidateQueries({ queryKey: keyOf('getClient') }))
  const add = () => !isFull && !added.isPending && added.mutate({ params: { id } }, { onError: reload })
  const canRevoke = can('revokeClientKey') && keys.length > 1
  return (
    <section class="stack">
      <SectionHead title={words.clients.keys}>
        {can('rotateApiKey') && (
          <button type="button" class="danger" onClick={() => setRotating(true)}>
            {words.clients.rotateKey}
          </button>
        )}
        {can('addClientKey') && (
          <button type="button" aria-disabled={isFull || added.isPending} aria-describedby={hint} onClick={add}>
            <Icon name="plus" />
            {words.clients.addKey}
          </button>
        )}
      </SectionHead>
      {added.error && <ErrorNote error={added.error} />}
      <Table
        caption={words.clients.keys}
        items={keys}
        keyOf={(key) => key.id}
        columns={[...columns(), ...(canRevoke ? [revokeColumn(setRevoked)] : [])]}
      />
      {can('addClientKey') && (
        <p id={hint} class="meta">
          {isFull ? words.clients.keyLimit : words.clients.replaceHint}
        </p>
      )}
      {added.data && <NewKey apiKey={added.data.apiKey} close={() => added.reset()} />}
      {isRotating && <RotateKeys client={client} close={() => setRotating(false)} />}
      {revoked && <RevokeKey client={client} revoked={revoked} close={() => setRevoked(null)} />}
    </section>
  )
}

const columns = (): Column<ClientKey>[] => [
  { head: words.common.prefix, cell: ({ prefix }) => <KeyPrefix of={prefix} />, wide: true },
  { head: words.common.created, cell: ({ createdAt }) => <Moment at={createdAt} style="whole" /> },
]

const revokeColumn = (revoke: (key: ClientKey) => void): Column<ClientKey> => ({
  head: words.common.actions,
  right: true,
  cell: (key) => (
    <button type="button" class="danger" onClick={() => revoke(key)}>
      {words.clients.revoke}
      <span class="hidden">{key.prefix}</span>
    </button>
  ),
})

export function KeyPrefix({ of }: { of: string }) {
  return <span class="mono">{`${of}…`}</span>
}

/** Shows a new key once. */
function NewKey({ apiKey, close }: { apiKey: string; close: () => void }) {
  const secret = { label: words.clients.apiKey, value: apiKey, hint: words.clients.keyHint, variable: 'HULAKI_API_KEY' }
  return <Secrets title={words.clients.newKey} of={[secret]} close={close} />
}

interface Props {
  client: Client
  close: () => void
}

function RotateKeys({ client: { id, name, keys }, close }: Props) {
  const act = useAction('rotateApiKey', RELOADS)
  if (act.data) return <NewKey apiKey={act.data.apiKey} close={close} />
  const prefixes = keys.map(({ prefix }) => `${prefix}…`).join(', ')
  return (
    <Confirm
      title={words.clients.rotateKey}
      effect={
        <div class="stack">
          <p class="foreign">{words.clients.rotateKeyEffect(keys.length, prefixes)}</p>
          <p class="quiet">{words.clients.replaceHint}</p>
        </div>
      }
      name={name}
      submit={() => act.mutate({ params: { id } })}
      mutation={act}
      close={close}
    />
  )
}

function RevokeKey({ client: { id, name }, revoked, close }: Props & { revoked: ClientKey }) {
  const act = useAction('revokeClientKey', RELOADS)
  return (
    <Confirm
      title={words.clients.revokeKey}
      effect={<p class="foreign">{words.clients.revokeKeyEffect(revoked.prefix)}</p>}
      name={name}
      submit={() => act.mutate({ params: { id, keyId: revoked.id } }, { onSuccess: close })}
      mutation={act}
      close={close}
    />
  )
}
