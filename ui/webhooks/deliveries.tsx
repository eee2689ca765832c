// What receivers were told, newest first, of all clients or of one, narrowed by what stands in the address.

import { Link, useRouter } from 'wouter-preact'
import type { Calls, WebhookDelivery } from '../api/calls.ts'
import { useList } from '../api/use.ts'
import { useMay, useWorkspace } from '../caller.ts'
import { useClients } from '../parts/clients.ts'
import { Curl } from '../parts/curl.tsx'
import { Chips, Choice } from '../parts/filters.tsx'
import { count } from '../parts/format.ts'
import { Moment } from '../parts/moment.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import { DeliveryState, Outcome, STATES, toneOf } from './state.tsx'

export function Deliveries() {
  const { id } = useWorkspace()
  const { base } = useRouter()
  const may = useMay()
  const [filter, setFilter] = useUrlState({ client: '', state: '' })
  const { clients, nameOf, isKnown } = useClients()
  const query: Calls['listWorkspaceWebhookDeliveries']['query'] = {
    ...(filter.client && { client: filter.client }),
    ...(filter.state && { state: filter.state as WebhookDelivery['state'] }),
  }
  const input = { params: { id }, query }
  const { items, fault, more } = useList('listWorkspaceWebhookDeliveries', input)
  const hrefOf = (row: WebhookDelivery) => `~${base}/webhooks/${row.id}`
  const opens = may('getWebhookDelivery') ? { hrefOf } : {}
  const isNarrowed = filter.client !== '' || filter.state !== ''
  return (
    <>
      <div class="row">
        <Choice
          label={words.messages.anyClient}
          value={filter.client}
          of={clients.map((it) => [it.id, it.name])}
          set={(client) => setFilter({ client })}
        />
        <Chips
          label={words.webhooks.state}
          of={STATES.map((state) => [state, words.webhooks.states[state], toneOf(state)] as const)}
          chosen={filter.state === '' ? [] : [filter.state]}
          set={(chosen) => setFilter({ state: chosen.at(-1) ?? '' })}
        />
        <span class="push">
          <Curl of="listWorkspaceWebhookDeliveries" input={input} />
        </span>
      </div>
      <Table
        caption={words.webhooks.deliveries}
        columns={columnsOf(nameOf)}
        // Not before the names are known: they would move what stands beside them.
        rows={isKnown ? items : undefined}
        keyOf={(row) => row.id}
        {...opens}
        fault={fault}
        more={more}
        empty={
          <>
            <p>{isNarrowed ? words.webhooks.noMatches : words.webhooks.none}</p>
            {!isNarrowed && <Link href="/webhooks?show=receivers">{words.webhooks.setUpEndpoints}</Link>}
          </>
        }
      />
    </>
  )
}

const columnsOf = (nameOf: (clientId: string) => string): Column<WebhookDelivery>[] => [
  { head: words.webhooks.created, cell: ({ createdAt }) => <Moment at={createdAt} /> },
  {
    head: words.webhooks.client,
    cell: ({ clientId }) => <span class="foreign">{nameOf(clientId)}</span>,
    roomy: true,
  },
  {
    head: words.webhooks.event,
    cell: ({ event, status }) => (
      <>
        {words.webhooks.events[event]} {status && <span class="quiet">{words.status[status]}</span>}
      </>
    ),
  },
  { head: words.webhooks.state, cell: (delivery) => <DeliveryState delivery={delivery} /> },
  { head: words.webhooks.attempts, cell: ({ tries }) => count(tries), right: true, roomy: true },
  { head: words.webhooks.nextAttempt, cell: ({ nextPostingAt }) => <Moment at={nextPostingAt} />, roomy: true },
  {
    head: words.webhooks.lastResponse,
    cell: ({ latest }) => (latest ? <Outcome posting={latest} /> : <span class="quiet">–</span>),
    wide: true,
    roomy: true,
  },
]
