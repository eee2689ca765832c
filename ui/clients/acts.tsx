// Actions on a client that cannot be undone, or that show a secret once.
import { useState } from 'preact/hooks'
import type { Client } from '../api/calls.ts'
import { useAction } from '../api/use.ts'
import { useCaller, useCan } from '../caller.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Curl } from '../parts/curl.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Form, TextField } from '../parts/field.tsx'
import { Secrets } from '../parts/secret.tsx'
import { words } from '../words/index.ts'

const RELOADS = ['getClient', 'listClients'] as const
const DEFAULT_GRACE = '24'

type Act = 'rotateKey' | 'rotateSecret' | 'disable'

export function Acts({ client }: { client: Client }) {
  const can = useCan()
  const [doing, setDoing] = useState<Act | null>(null)
  const close = () => setDoing(null)
  return (
    <>
      <div class="row">
        {can('rotateApiKey') && (
          <button type="button" class="danger" onClick={() => setDoing('rotateKey')}>
            {words.clients.rotateKey}
          </button>
        )}
        {can('rotateWebhookSecret') && (
          <button type="button" onClick={() => setDoing('rotateSecret')}>
            {words.clients.rotateSecret}
          </button>
        )}
        {can('disableClient') && client.disabledAt === null && (
          <button type="button" class="danger" onClick={() => setDoing('disable')}>
            {words.clients.disable}
          </button>
        )}
        {can('enableClient') && client.disabledAt !== null && <Enable client={client} />}
      </div>
      {doing === 'rotateKey' && <RotateKey client={client} close={close} />}
      {doing === 'rotateSecret' && <RotateSecret client={client} close={close} />}
      {doing === 'disable' && <Disable client={client} close={close} />}
    </>
  )
}

interface Props {
  client: Client
  close: () => void
}

function RotateKey({ client: { id, name, keyPrefix }, close }: Props) {
  const act = useAction('rotateApiKey', RELOADS)
  if (act.data) {
    const secrets = [[words.clients.apiKey, act.data.apiKey]] as const
    return <Secrets title={words.clients.newKey} of={secrets} close={close} />
  }
  return (
    <Confirm
      title={words.clients.rotateKey}
      effect={
        <>
          <p class="foreign">{words.clients.rotateKeyEffect(keyPrefix)}</p>
          <Curl of="rotateApiKey" input={{ params: { id } }} />
        </>
      }
      name={name}
      submit={() => act.mutate({ params: { id } })}
      mutation={act}
      close={close}
    />
  )
}

function RotateSecret({ client: { id }, close }: Props) {
  const [grace, setGrace] = useState(DEFAULT_GRACE)
  const act = useAction('rotateWebhookSecret', RELOADS)
  const input = { params: { id }, body: { graceHours: Number(grace) } }
  if (act.data) {
    const secrets = [[words.clients.webhookSecret, act.data.webhookSecret]] as const
    return <Secrets title={words.clients.newSecret} of={secrets} close={close} />
  }
  return (
    <Dialog title={words.clients.rotateSecret} close={close}>
      <p>{words.clients.rotateSecretEffect}</p>
      <Form
        submitLabel={words.clients.rotateSecret}
        submit={() => act.mutate(input)}
        mutation={act}
        fields={['graceHours']}
        cancel={close}
      >
        <TextField
          label={words.clients.grace}
          hint={words.clients.graceHint}
          value={grace}
          set={setGrace}
          error={act.error?.of('graceHours')}
          type="number"
          min={0}
          max={168}
        />
        <Curl of="rotateWebhookSecret" input={input} />
      </Form>
    </Dialog>
  )
}

function Disable({ client: { id, name }, close }: Props) {
  const act = useAction('disableClient', RELOADS)
  return (
    <Confirm
      title={words.clients.disable}
      effect={
        <>
          <p>{words.clients.disableEffect}</p>
          <Curl of="disableClient" input={{ params: { id } }} />
        </>
      }
      name={name}
      submit={() => act.mutate({ params: { id } }, { onSuccess: close })}
      mutation={act}
      close={close}
    />
  )
}

/** D43: a client that an operator disabled can be enabled by an operator only. */
function Enable({ client: { id, disabledBy } }: { client: Client }) {
  const { kind } = useCaller()
  const act = useAction('enableClient', RELOADS)
  if (disabledBy === 'operator' && kind !== 'operator') return <p>{words.clients.onlyOperatorEnables}</p>
  return (
    <>
      <button
        type="button"
        class="primary"
        aria-disabled={act.isPending}
        onClick={() => !act.isPending && act.mutate({ params: { id } })}
      >
        {words.clients.enable}
      </button>
      <Curl of="enableClient" input={{ params: { id } }} />
      {act.error && <ErrorNote error={act.error} />}
    </>
  )
}
