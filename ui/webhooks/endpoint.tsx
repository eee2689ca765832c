// The webhook endpoint of one client: its URL, a test event, and the replay of failed events.
import { useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { DAY_MS } from '../../src/domain/durations.ts'
import type { Client } from '../api/calls.ts'
import { useAction, useCall } from '../api/use.ts'
import { useCan } from '../caller.ts'
import { Curl } from '../parts/curl.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Form, TextField } from '../parts/field.tsx'
import { count } from '../parts/format.ts'
import { words } from '../words/index.ts'

export function Endpoint({ id, close }: { id: string; close: () => void }) {
  const can = useCan()
  const { data, error } = useCall('getClient', { params: { id } })
  const client = data?.id === id ? data : undefined
  // The dialog opens when its content is loaded, so that it does not grow.
  if (!client && !error) return null
  return (
    <Dialog title={words.webhooks.endpointFor(client?.name ?? '…')} close={close}>
      {error && !client && <ErrorNote error={error} />}
      {client && (
        <>
          {can('changeClient') ? <Url client={client} /> : <p class="foreign">{client.webhookUrl}</p>}
          {can('sendTestEvent') && client.webhookUrl && <TestEvent id={id} />}
          {can('replayWebhookDeliveries') && client.webhookUrl && <Replay id={id} />}
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
  const act = useAction('changeClient', ['getClient', 'listClients'])
  const url = typed ?? webhookUrl ?? ''
  const input = { params: { id }, body: { webhookUrl: url.trim() === '' ? null : url.trim() } }
  return (
    <Form
      submitLabel={words.common.save}
      submit={() => act.mutate(input, { onSuccess: () => setTyped(null) })}
      mutation={act}
      fields={['webhookUrl']}
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
      <div class="row">
        <Curl of="changeClient" input={input} />
        <span role="status">{act.isSuccess && typed === null ? words.common.saved : ''}</span>
      </div>
    </Form>
  )
}

/** The page of the event opens and shows the result. */
function TestEvent({ id }: { id: string }) {
  const [, go] = useLocation()
  const act = useAction('sendTestEvent', ['listWorkspaceWebhookDeliveries'])
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
        <Curl of="sendTestEvent" input={{ params: { id } }} />
      </div>
    </section>
  )
}

function Replay({ id }: { id: string }) {
  const [since, setSince] = useState(() => localTime(new Date(Date.now() - DAY_MS)))
  const act = useAction('replayWebhookDeliveries', ['listWorkspaceWebhookDeliveries'])
  const at = new Date(since)
  const input = { params: { id }, body: { since: Number.isNaN(at.getTime()) ? since : at.toISOString() } }
  const { data } = act
  return (
    <section class="stack">
      <h3>{words.webhooks.replay}</h3>
      <Form
        submitLabel={words.webhooks.replayAction}
        submit={() => act.mutate(input)}
        mutation={act}
        fields={['since']}
      >
        <TextField
          label={words.webhooks.since}
          value={since}
          set={setSince}
          error={act.error?.of('since')}
          hint={words.webhooks.sinceHint(new Intl.DateTimeFormat().resolvedOptions().timeZone)}
          type="datetime-local"
        />
        <div class="row">
          <Curl of="replayWebhookDeliveries" input={input} />
          <span role="status">
            {data ? (data.more ? words.webhooks.replayedMore : words.webhooks.replayed)(count(data.replayed)) : ''}
          </span>
        </div>
      </Form>
    </section>
  )
}

/** Local time without a zone, as a datetime-local field needs it. */
function localTime(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length)
}
