// Webhook events, newest first, filtered by client and status.
import { Link, useRouter } from 'wouter-preact'
import type { Calls, WebhookDelivery } from '../api/calls.ts'
import { useList } from '../api/use.ts'
import { useCan, useWorkspace } from '../caller.ts'
import { useClients } from '../parts/clients.ts'
import { Curl } from '../parts/curl.tsx'
import { Select, SingleChips } from '../parts/filters.tsx'
import { count } from '../parts/format.ts'
import { Moment } from '../parts/moment.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { foreign } from '../parts/text.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import { DeliveryState, Outcome, STATES, toneOf } from './state.tsx'

export function Deliveries() {
  const { id } = useWorkspace()
  const { base } = useRouter()
  const can = useCan()
  const [filter, setFilter] = useUrlState({ client: '', state: '' })
  const { clients, nameOf, isKnown } = useClients()
  const query: Calls['listWorkspaceWebhookDeliveries']['query'] = {
    ...(filter.client && { client: filter.client }),
    ...(filter.state && { state: filter.state as WebhookDelivery['state'] }),
  }
  const input = { params: { id }, query }
  const list = useList('listWorkspaceWebhookDeliveries', input)
  const hrefOf = (row: WebhookDelivery) => `~${base}/webhooks/${row.id}`
  const opens = can('getWebhookDelivery') ? { hrefOf } : {}
  const isFiltered = filter.client !== '' || filter.state !== ''
  return (
    <>
      <div class="row">
        <Select
          label={words.messages.anyClient}
          value={filter.client}
          of={clients.map((it) => [it.id, it.name])}
          set={(client) => setFilter({ client })}
        />
        <SingleChips
          label={words.common.status}
          of={STATES.map((state) => [state, words.webhooks.states[state], toneOf(state)] as const)}
          chosen={filter.state}
          set={(state) => setFilter({ state })}
        />
        <span class="push">
          <Curl of="listWorkspaceWebhookDeliveries" input={input} />
        </span>
      </div>
      <Table
        {...list}
        caption={words.webhooks.deliveries}
        columns={columnsOf(nameOf)}
        // The table waits for the names of the clients, so that columns do not move.
        items={isKnown ? list.items : undefined}
        keyOf={(row) => row.id}
        {...opens}
        empty={
          <>
            <p>{isFiltered ? words.webhooks.noMatches : words.webhooks.none}</p>
            {!isFiltered && <Link href="/webhooks?show=endpoints">{words.webhooks.setUpEndpoints}</Link>}
          </>
        }
      />
    </>
  )
}

const columnsOf = (nameOf: (clientId: string) => string): Column<WebhookDelivery>[] => [
  { head: words.common.created, cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { head: words.common.client, cell: ({ clientId }) => foreign(nameOf(clientId)), secondary: true },
  {
    head: words.webhooks.event,
    cell: ({ event, status }) => (
      <>
        {words.webhooks.events[event]} {status && <span class="quiet">{words.status[status]}</span>}
      </>
    ),
  },
  { head: words.common.status, cell: (delivery) => <DeliveryState delivery={delivery} /> },
  { head: words.webhooks.attempts, cell: ({ attemptCount }) => count(attemptCount), right: true, secondary: true },
  { head: words.webhooks.nextAttempt, cell: ({ nextAttemptAt }) => <Moment at={nextAttemptAt} />, secondary: true },
  {
    head: words.webhooks.lastResponse,
    cell: ({ latest }) => (latest ? <Outcome attempt={latest} /> : <span class="quiet">–</span>),
    wide: true,
    secondary: true,
  },
]
