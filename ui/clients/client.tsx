// One API client: its keys, settings and restrictions.
import { useState } from 'preact/hooks'
import { Link, useParams } from 'wouter-preact'
import type { Client } from '../api/calls.ts'
import { useCall } from '../api/use.ts'
import { useCan } from '../caller.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { Copy } from '../parts/copy.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Facts } from '../parts/facts.tsx'
import { shortId } from '../parts/format.ts'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { words } from '../words/index.ts'
import { DisableButton, DisabledNote, RotateSecret } from './acts.tsx'
import css from './client.module.css'
import { Keys } from './keys.tsx'
import { RestrictionFacts, Restrictions } from './restrictions.tsx'
import { SettingFacts, Settings } from './settings.tsx'
import { ClientState, TestMark } from './state.tsx'

export function Screen() {
  const { id = '' } = useParams<{ id: string }>()
  const input = { params: { id } }
  const { data, error } = useCall('getClient', input)
  const client = data?.id === id ? data : undefined
  return (
    <Page
      title={client?.name ?? words.screens.client}
      about={
        client ? (
          <>
            <ClientState client={client} />
            {client.mode === 'test' && <TestMark />}
          </>
        ) : (
          ''
        )
      }
      parents={[['/clients', words.screens.clients]]}
      here={shortId(id)}
      hasTimes
      more={
        <>
          <ApiButton of="getClient" input={input} />
          {client && <DisableButton client={client} />}
        </>
      }
    >
      {error && !client && <ErrorNote error={error} />}
      {client && <ClientDetails key={id} client={client} />}
      {!client && !error && <Waiting />}
    </Page>
  )
}

function ClientDetails({ client }: { client: Client }) {
  const can = useCan()
  const canChange = can('changeClient')
  return (
    <>
      <DisabledNote client={client} />
      <div class={css.columns}>
        <div class={css.main}>
          <Keys client={client} />
          <section class="card stack" aria-labelledby="settings">
            <h2 id="settings">{words.common.settings}</h2>
            {canChange ? <Settings client={client} /> : <SettingFacts client={client} />}
          </section>
          <section class="card stack" aria-labelledby="restrictions">
            <h2 id="restrictions">{words.clients.restrictions}</h2>
            {canChange ? <Restrictions client={client} /> : <RestrictionFacts client={client} />}
          </section>
        </div>
        <Summary client={client} />
      </div>
    </>
  )
}

function Summary({ client }: { client: Client }) {
  const can = useCan()
  const [isRotating, setRotating] = useState(false)
  const { id, webhookUrl, previousWebhookSecretEndsAt, createdAt } = client
  return (
    <section class="card stack" aria-labelledby="summary">
      <h2 id="summary">{words.clients.summary}</h2>
      <Facts
        of={[
          [
            words.clients.endpoint,
            <Link key="endpoint" class="foreign" href={`/webhooks?show=endpoints&client=${id}`}>
              {webhookUrl ?? words.webhooks.noUrl}
            </Link>,
          ],
          ...(previousWebhookSecretEndsAt
            ? [[words.clients.oldSecretUntil, <Moment key="until" at={previousWebhookSecretEndsAt} />] as const]
            : []),
          [words.common.created, <Moment key="created" at={createdAt} style="whole" />],
          [words.common.id, <Copy key="id" text={id}>{`${id.slice(0, 8)}…${id.slice(-6)}`}</Copy>],
        ]}
      />
      {can('rotateWebhookSecret') && (
        <div class="row">
          <button type="button" onClick={() => setRotating(true)}>
            {words.clients.rotateSecret}
          </button>
        </div>
      )}
      {isRotating && <RotateSecret client={client} close={() => setRotating(false)} />}
    </section>
  )
}
