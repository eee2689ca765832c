// The webhook endpoint of one client: its URL, a test event, and the replay of failed events.
import { useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import type { Client } from '../api/calls.ts'
import { useAction, useCall } from '../api/use.ts'
import { useCan } from '../caller.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Form, TextField } from '../parts/field.tsx'
import { words } from '../words/index.ts'
import { ReplayDialog } from './replay.tsx'
import { EVENT_LISTS } from './state.tsx'

export function Endpoint({ id, close }: { id: string; close: () => void }) {
  const can = useCan()
  const { data, error } = useCall('getClient', { params: { id } })
  const client = data?.id === id ? data : undefined
  const [isReplaying, setReplaying] = useState(false)
  // The dialog opens when its content is loaded, so that it does not grow.
  if (!client && !error) return null
  if (client && isReplaying) return <ReplayDialog clientId={id} title={client.name} close={() => setReplaying(false)} />
  return (
    <Dialog title={words.webhooks.endpointFor(client?.name ?? '…')} close={close}>
      {error && !client && <ErrorNote error={error} />}
      {client && (
        <>
          {can('changeClient') ? <Url client={client} /> : <p class="foreign">{client.webhookUrl}</p>}
          {can('sendTestEvent') && client.webhookUrl && <TestEvent id={id} />}
          {can('replayWebhookDeliveries') && client.webhookUrl && (
            <section class="stack">
              <h3>{words.webhooks.replay}</h3>
              <p class="quiet">{words.webhooks.replayHint}</p>
              <div class="row">
                <button type="button" onClick={() => setReplaying(true)}>
                  {words.webhooks.replay}…
                </button>
              </div>
            </section>
          )}
          <p class="quiet">
            <Link href={`/clients/${id}`}>{words.webhooks.secretNote}</Link>
          </p>
        </>
      )}
    </Dialog>
  )
}

function Url({ client: { id, webhookUrl } }: { client: Client }) {
  const [typed, setTyped] = useState<string | null>(null)
  const act = useAction('changeClient', ['getClient', 'listClients', 'listWebhookEndpoints'])
  const url = typed ?? webhookUrl ?? ''
  const input = { params: { id }, body: { webhookUrl: url.trim() === '' ? null : url.trim() } }
  return (
    <Form
      submitLabel={words.common.save}
      submit={() => act.mutate(input, { onSuccess: () => setTyped(null) })}
      mutation={act}
      fields={['webhookUrl']}
      beside={<ApiButton of="changeClient" input={input} />}
    >
      <TextField
        label={words.webhooks.url}
        hint={words.webhooks.urlHint}
        value={url}
        set={setTyped}
        error={act.error?.of('webhookUrl')}
        type="url"
        autoComplete="off"
      />
    </Form>
  )
}

/** The page of the event opens and shows the result. */
function TestEvent({ id }: { id: string }) {
  const [, go] = useLocation()
  const act = useAction('sendTestEvent', EVENT_LISTS)
  return (
    <section class="stack">
      <h3>{words.webhooks.testEvent}</h3>
      <p class="quiet">{words.webhooks.testEventHint}</p>
      {act.error && <ErrorNote error={act.error} />}
      <div class="row">
        <button
          type="button"
          aria-disabled={act.isPending}
          onClick={() =>
            !act.isPending && act.mutate({ params: { id } }, { onSuccess: (sent) => go(`/webhooks/${sent.id}`) })
          }
        >
          {words.webhooks.sendTest}
        </button>
        <ApiButton of="sendTestEvent" input={{ params: { id } }} />
      </div>
    </section>
  )
}
