// Actions on a client: rotate its webhook secret, disable it, enable it.
import { useState } from 'preact/hooks'
import type { Client } from '../api/calls.ts'
import { useAction } from '../api/use.ts'
import { useCaller, useCan } from '../caller.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { Banner } from '../parts/banner.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Form, TextField } from '../parts/field.tsx'
import { Secrets } from '../parts/secret.tsx'
import { words } from '../words/index.ts'

const RELOADS = ['getClient', 'listClients'] as const
const DEFAULT_GRACE = '24'

interface Props {
  client: Client
  close: () => void
}

export function RotateSecret({ client: { id }, close }: Props) {
  const [grace, setGrace] = useState(DEFAULT_GRACE)
  const act = useAction('rotateWebhookSecret', RELOADS)
  const input = { params: { id }, body: { graceHours: Number(grace) } }
  if (act.data) {
    const { webhookSecret } = act.data
    const secrets = [{ label: words.clients.webhookSecret, value: webhookSecret, variable: 'HULAKI_WEBHOOK_SECRET' }]
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
        beside={<ApiButton of="rotateWebhookSecret" input={input} />}
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
      </Form>
    </Dialog>
  )
}

export function DisableButton({ client }: { client: Client }) {
  const can = useCan()
  const [isOpen, setOpen] = useState(false)
  if (!can('disableClient') || client.disabledAt !== null) return null
  return (
    <>
      <button type="button" class="danger" onClick={() => setOpen(true)}>
        {words.clients.disable}
      </button>
      {isOpen && <Disable client={client} close={() => setOpen(false)} />}
    </>
  )
}

function Disable({ client: { id, name }, close }: Props) {
  const act = useAction('disableClient', RELOADS)
  return (
    <Confirm
      title={words.clients.disable}
      effect={<p>{words.clients.disableEffect}</p>}
      name={name}
      submit={() => act.mutate({ params: { id } }, { onSuccess: close })}
      mutation={act}
      close={close}
    />
  )
}

/** D43: a client that an operator disabled can be enabled by an operator only. */
export function DisabledNote({ client: { id, disabledAt, disabledBy } }: { client: Client }) {
  const { kind } = useCaller()
  const can = useCan()
  const act = useAction('enableClient', RELOADS)
  if (disabledAt === null) return null
  const canEnable = can('enableClient') && (disabledBy !== 'operator' || kind === 'operator')
  return (
    <>
      <Banner tone="warn">
        <div class="row">
          <span>
            <strong>{words.clients.isDisabled}</strong>{' '}
            {disabledBy === 'operator' && !canEnable ? words.clients.onlyOperatorEnables : words.clients.isDisabledHint}
          </span>
          {canEnable && (
            <button
              type="button"
              class="push"
              aria-disabled={act.isPending}
              onClick={() => !act.isPending && act.mutate({ params: { id } })}
            >
              {words.clients.enable}
            </button>
          )}
        </div>
      </Banner>
      {act.error && <ErrorNote error={act.error} />}
    </>
  )
}
