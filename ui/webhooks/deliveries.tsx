// Webhook events, newest first, below the health of the endpoints. A row opens to its attempts.
import { Link } from 'wouter-preact'
import type { Calls, ServiceWebhookDelivery, WebhookDelivery } from '../api/calls.ts'
import { useList } from '../api/use.ts'
import { useCan, useWorkspaceOrNull } from '../caller.ts'
import { useClients } from '../parts/clients.ts'
import { type ChosenFilter, FilterBar, Select } from '../parts/filters.tsx'
import { capitalize, count } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { Moment } from '../parts/moment.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { foreign } from '../parts/text.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { Waiting } from '../parts/waiting.tsx'
import { useWorkspaceName, WorkspaceFilter, workspaceColumn } from '../parts/workspace-filter.tsx'
import { words } from '../words/index.ts'
import { DeliveryDetails } from './attempts.tsx'
import { EndpointHealth, useEndpoints } from './health.tsx'
import { DeliveryState, EVENTS, Outcome, STATES } from './state.tsx'

/** New events come with changed messages. */
const TOPICS = ['webhooks', 'messages', 'replies', 'settings'] as const
const NO_FILTER = { workspace: '', client: '', state: '', event: '' }

type Filter = typeof NO_FILTER
type Query = Calls['listWorkspaceWebhookDeliveries']['query']
/** An event of the service has the names of its client and its workspace. */
type ListedDelivery = WebhookDelivery &
  Partial<Pick<ServiceWebhookDelivery, 'workspaceId' | 'workspaceName' | 'clientName'>>

export function useEventFilter() {
  const own = useWorkspaceOrNull()
  const [{ open, ...filter }, set] = useUrlState({ ...NO_FILTER, open: '' })
  const query: Query = {
    ...(filter.client && { client: filter.client }),
    ...(filter.state && { state: filter.state as WebhookDelivery['state'] }),
    ...(filter.event && { event: filter.event as WebhookDelivery['event'] }),
  }
  const inService = { query: { ...query, ...(filter.workspace && { workspace: filter.workspace }) } }
  return { own, filter, open, set, inWorkspace: { params: { id: own?.id ?? '' }, query }, inService }
}

function useDeliveries({ own, inWorkspace, inService }: ReturnType<typeof useEventFilter>) {
  const ofWorkspace = useList('listWorkspaceWebhookDeliveries', inWorkspace, { when: own !== null, topics: TOPICS })
  const ofService = useList('listAllWebhookDeliveries', inService, { when: own === null, topics: TOPICS })
  return (own ? ofWorkspace : ofService) as Omit<typeof ofWorkspace, 'items'> & { items: ListedDelivery[] | undefined }
}

export function Deliveries() {
  const can = useCan()
  const source = useEventFilter()
  const { own, filter, open, set } = source
  const { clients, nameOf, isKnown } = useClients(filter.workspace)
  const endpoints = useEndpoints(filter.workspace)
  const list = useDeliveries(source)
  const clear = () => set(NO_FILTER)
  // The events appear below the endpoints, so that they do not move.
  if (!endpoints.isLoaded || !isKnown) return <Waiting />
  return (
    <>
      <EndpointHealth items={endpoints.items} more={endpoints.more} />
      <Filters filter={filter} set={set} clear={clear} clients={clients} nameOf={nameOf} />
      <Table
        {...list}
        caption={words.webhooks.deliveries}
        columns={columnsOf(nameOf, own === null)}
        keyOf={(row) => row.id}
        unfold={
          can('getWebhookDelivery')
            ? {
                open,
                set: (id) => set({ open: id }, { replace: true }),
                details: (row) => <DeliveryDetails id={row.id} workspaceId={own?.id ?? row.workspaceId ?? ''} />,
              }
            : undefined
        }
        empty={Object.values(filter).some(Boolean) ? <NoMatches clear={clear} /> : <NoEvents />}
      />
    </>
  )
}

interface FilterProps {
  filter: Filter
  set: (changes: Partial<Filter>) => void
  clear: () => void
  clients: readonly { id: string; name: string }[]
  nameOf: (clientId: string) => string
}

function Filters({ filter: { workspace, client, state, event }, set, clear, clients, nameOf }: FilterProps) {
  const isService = useWorkspaceOrNull() === null
  const workspaceName = useWorkspaceName(isService ? workspace : '')
  const states: Record<string, string> = words.webhooks.states
  const chips: ChosenFilter[] = []
  if (isService && workspace) {
    const remove = () => set({ workspace: '', client: '' })
    chips.push({ label: words.shell.workspace, value: workspaceName, remove })
  }
  if (client) chips.push({ label: words.webhooks.endpoint, value: nameOf(client), remove: () => set({ client: '' }) })
  if (state)
    chips.push({
      label: words.common.status,
      value: capitalize(states[state] ?? state),
      remove: () => set({ state: '' }),
    })
  if (event) chips.push({ label: words.webhooks.event, value: event, remove: () => set({ event: '' }) })
  return (
    <FilterBar first={<h2>{words.webhooks.deliveries}</h2>} chosen={chips} clear={clear}>
      {isService && <WorkspaceFilter chosen={workspace} set={(it) => set({ workspace: it, client: '' })} />}
      {clients.length > 0 && (
        <Select
          label={words.webhooks.endpoint}
          any={words.webhooks.allEndpoints}
          value={client}
          of={clients.map((it) => [it.id, it.name])}
          set={(it) => set({ client: it })}
        />
      )}
      <Select
        label={words.common.status}
        any={words.webhooks.allStatuses}
        value={state}
        of={STATES.map((it) => [it, capitalize(words.webhooks.states[it])])}
        set={(it) => set({ state: it })}
      />
      <Select
        label={words.webhooks.event}
        any={words.webhooks.allEvents}
        value={event}
        of={EVENTS.map((it) => [it, it])}
        set={(it) => set({ event: it })}
      />
    </FilterBar>
  )
}

function NoMatches({ clear }: { clear: () => void }) {
  return (
    <>
      <Icon name="filter" />
      <p>{words.webhooks.noMatches}</p>
      <button type="button" onClick={clear}>
        {words.parts.clearFilters}
      </button>
    </>
  )
}

function NoEvents() {
  const isService = useWorkspaceOrNull() === null
  return (
    <>
      <Icon name="webhook" />
      <p>{words.webhooks.none}</p>
      {!isService && (
        <Link class="button" href="/webhooks?show=endpoints">
          {words.webhooks.setUpEndpoints}
        </Link>
      )}
    </>
  )
}

const columnsOf = (nameOf: (clientId: string) => string, isService: boolean): Column<ListedDelivery>[] => [
  { head: words.common.created, cell: ({ createdAt }) => <Moment at={createdAt} />, fold: 'secondEnd' },
  ...(isService ? [workspaceColumn<ListedDelivery>()] : []),
  {
    head: words.webhooks.endpoint,
    cell: ({ clientId, clientName }) => foreign(clientName ?? nameOf(clientId)),
    fold: 'second',
  },
  {
    head: words.webhooks.event,
    cell: ({ event, status }) => (
      <>
        <code>{event}</code> {status && <span class="quiet">{words.status[status]}</span>}
      </>
    ),
    fold: 'first',
  },
  { head: words.common.status, cell: (delivery) => <DeliveryState delivery={delivery} />, fold: 'firstEnd' },
  { head: words.webhooks.attempts, cell: ({ attemptCount }) => count(attemptCount), right: true, secondary: true },
  {
    head: words.webhooks.lastResponse,
    cell: ({ latest }) =>
      latest ? (
        <>
          <Outcome attempt={latest} />{' '}
          <span class="quiet">· {words.webhooks.milliseconds(count(latest.milliseconds))}</span>
        </>
      ) : (
        <span class="quiet">–</span>
      ),
    wide: true,
    secondary: true,
  },
  { head: words.webhooks.nextAttempt, cell: ({ nextAttemptAt }) => <Moment at={nextAttemptAt} />, secondary: true },
]
