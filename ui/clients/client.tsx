// One API client: its credentials, settings and restrictions.
import { Link, useParams } from 'wouter-preact'
import type { Client } from '../api/calls.ts'
import { useCall } from '../api/use.ts'
import { useCan } from '../caller.ts'
import { ClientTabs } from '../parts/client-tabs.tsx'
import { Copy } from '../parts/copy.tsx'
import { Curl } from '../parts/curl.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Facts } from '../parts/facts.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { words } from '../words/index.ts'
import { Acts } from './acts.tsx'
import css from './client.module.css'
import { RestrictionFacts, Restrictions } from './restrictions.tsx'
import { SettingFacts, Settings } from './settings.tsx'
import { ClientState, TestMark } from './state.tsx'

export function Screen() {
  const { id = '' } = useParams<{ id: string }>()
  const can = useCan()
  const input = { params: { id } }
  const { data, error } = useCall('getClient', input)
  const client = data?.id === id ? data : undefined
  const canChange = can('changeClient')
  return (
    <Page title={words.screens.client} about={client?.name} actions={<Curl of="getClient" input={input} />}>
      <ClientTabs open="clients" />
      {error && !client && <ErrorNote error={error} />}
      {client && (
        <div class={css.parts}>
          <section class="card stack" aria-labelledby="key">
            <h2 id="key">{words.clients.credentials}</h2>
            <KeyFacts client={client} />
            <Acts client={client} />
          </section>
          <section class="card stack" aria-labelledby="settings">
            <h2 id="settings">{words.common.settings}</h2>
            {canChange ? <Settings client={client} /> : <SettingFacts client={client} />}
          </section>
          <section class="card stack" aria-labelledby="restrictions">
            <h2 id="restrictions">{words.clients.restrictions}</h2>
            {canChange ? <Restrictions client={client} /> : <RestrictionFacts client={client} />}
          </section>
        </div>
      )}
    </Page>
  )
}

function KeyFacts({ client }: { client: Client }) {
  const { id, keyPrefix, mode, webhookUrl, previousWebhookSecretEndsAt, createdAt } = client
  return (
    <Facts
      of={[
        [
          words.common.status,
          <span key="state" class="row">
            <ClientState client={client} /> {mode === 'test' && <TestMark />}
          </span>,
        ],
        [words.clients.apiKey, <span key="key" class="mono">{`${keyPrefix}…`}</span>],
        [words.common.id, <Copy key="id" text={id} />],
        [
          words.webhooks.url,
          <Link key="endpoint" class="foreign" href={`/webhooks?show=endpoints&client=${id}`}>
            {webhookUrl ?? words.webhooks.noUrl}
          </Link>,
        ],
        ...(previousWebhookSecretEndsAt
          ? [[words.clients.oldSecretUntil, <Moment key="until" at={previousWebhookSecretEndsAt} />] as const]
          : []),
        [words.common.created, <Moment key="created" at={createdAt} style="whole" />],
      ]}
    />
  )
}
