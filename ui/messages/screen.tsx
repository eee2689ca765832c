// Messages of a workspace, or of all workspaces: a chart, filters, and the list, newest first.
import { inBackground } from '../background.ts'
import { useCaller, useCan, useTimeZone, useWorkspaceOrNull, type Workspace } from '../caller.ts'
import { Lazy } from '../lazy.tsx'
import { ApiButton } from '../parts/api-button.tsx'
import { useClients } from '../parts/clients.ts'
import { Code } from '../parts/code.tsx'
import { DateFilter, FilterBar, FilterMenu, Select } from '../parts/filters.tsx'
import { capitalize, count, countryName, moment, money } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { LiveButton } from '../parts/live-button.tsx'
import { MESSAGE_TYPES } from '../parts/message-types.ts'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Search } from '../parts/search.tsx'
import { useSelection } from '../parts/selection.ts'
import { Pill, reasonOf, toneOf } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { useWorkspaceName, WorkspaceFilter, workspaceColumn } from '../parts/workspace-filter.tsx'
import { SendMessage } from '../send/button.tsx'
import { loadBulkWords, words } from '../words/index.ts'
import { Export } from './export.tsx'
import { type Filter, isFiltered, isLike, NO_FILTER } from './filter.ts'
import { History } from './history.tsx'
import { useLiveList } from './live-list.ts'
import css from './messages.module.css'
import { NetworkFilters, useCarrierName } from './network-filters.tsx'
import { type ListedMessage, useMessages } from './source.ts'

const STATUSES = [
  'queued',
  'submitting',
  'submitted',
  'sent',
  'delivered',
  'undelivered',
  'failed',
  'rejected',
  'test',
] as const

const loadBulkBar = async () => (await Promise.all([import('./bulk-bar.tsx'), loadBulkWords()]))[0]

export function Screen() {
  const can = useCan()
  const [filter, setFilter] = useUrlState(NO_FILTER)
  const source = useMessages(filter)
  const { own, workspaceId, list, query, inWorkspace, inService } = source
  const { items, error, more } = list
  const isLive = filter.live !== 'off' && source.canWatch
  const live = useLiveList({
    workspaceId,
    isLive,
    rows: items,
    isLike: (message) => isLike(message, filter),
    listed: source.listed,
  })
  const selection = useSelection(live.rows?.map(({ id }) => id) ?? [], source.listed)
  const timeZone = useTimeZone()
  const clear = () => setFilter({ ...NO_FILTER, status: [] })
  return (
    <Page
      title={words.screens.messages}
      hasTimes
      live={
        source.canWatch && (
          <LiveButton isOn={isLive} set={(isOn) => setFilter({ live: isOn ? 'on' : 'off' }, { replace: true })} />
        )
      }
      actions={own ? <SendMessage /> : <ApiButton of="listAllMessages" input={inService} />}
      more={
        workspaceId && (
          <>
            {can('exportMessages') && <Export input={{ params: { id: workspaceId }, query }} />}
            {own && <ApiButton of="listMessages" input={inWorkspace} />}
          </>
        )
      }
    >
      {can(workspaceId ? 'getMessageHistory' : 'getServiceMessageHistory') && (
        <History workspaceId={workspaceId} isLive={isLive} choose={(from, to) => setFilter({ from, to })} />
      )}
      <Filters filter={filter} set={setFilter} clear={clear} />
      <div class={css.list}>
        <div class={css.new} role="status">
          {(live.unseen > 0 || live.isMore) && (
            <button type="button" class="primary" onClick={() => inBackground(live.show())}>
              {words.messages.newMessages(live.unseen, count(live.unseen), live.isMore)}
            </button>
          )}
        </div>
        <Table
          caption={words.screens.messages}
          columns={columns(own)}
          items={live.rows}
          keyOf={(row) => row.id}
          hrefOf={(row) => `~/console/w/${row.workspaceId}/messages/${row.id}`}
          selectable={{ selection, nameOf: ({ to, createdAt }) => `${to}, ${moment(createdAt, 'row', timeZone)}` }}
          error={error}
          more={more}
          empty={isFiltered(filter) ? <NoMatches clear={clear} /> : <FirstMessage />}
        />
        {selection.ids.size > 0 && <Lazy load={loadBulkBar} selection={selection} source={source} />}
      </div>
    </Page>
  )
}

interface FiltersProps {
  filter: Filter
  set: (changes: Partial<Filter>) => void
  clear: () => void
}

function Filters({ filter, set, clear }: FiltersProps) {
  const isService = useWorkspaceOrNull() === null
  const { clients, isKnown, nameOf } = useClients(filter.workspace)
  const workspaceName = useWorkspaceName(isService ? filter.workspace : '')
  const carrierName = useCarrierName(filter.carrier)
  const timeZone = useTimeZone()
  const isViewer = useCaller().kind === 'viewer'
  const label = isViewer ? words.messages.searchAsViewer : words.messages.search
  const types: Record<string, string> = words.types
  const statuses: Record<string, string> = words.status
  const dates = [filter.from, filter.to].map((at) => (at.includes('T') ? moment(at, 'row', timeZone) : at))
  const chosen: [label: string, value: string, without: Partial<Filter>][] = [
    [words.shell.workspace, isService ? workspaceName : '', { workspace: '', client: '' }],
    [words.common.status, filter.status.map((it) => capitalize(statuses[it] ?? it)).join(', '), { status: [] }],
    [words.common.type, capitalize(types[filter.type] ?? filter.type), { type: '' }],
    [words.common.client, filter.client && nameOf(filter.client), { client: '' }],
    [words.common.country, filter.country && countryName(filter.country), { country: '' }],
    [words.messages.carrier, carrierName, { carrier: '' }],
    [words.parts.date, dates.some(Boolean) ? dates.join(' – ') : '', { from: '', to: '' }],
  ]
  return (
    <FilterBar
      first={<Search label={label} value={filter.search} set={(search) => set({ search })} />}
      chosen={chosen.flatMap(([name, value, without]) =>
        value ? [{ label: name, value, remove: () => set(without) }] : [],
      )}
      clear={clear}
    >
      {isService && <WorkspaceFilter chosen={filter.workspace} set={(workspace) => set({ workspace, client: '' })} />}
      <FilterMenu
        label={words.common.status}
        of={STATUSES.map((status) => [status, words.status[status], toneOf(status)] as const)}
        chosen={filter.status}
        set={(status) => set({ status })}
      />
      <Select
        label={words.common.type}
        any={words.messages.anyType}
        value={filter.type}
        of={MESSAGE_TYPES.map((type) => [type, capitalize(words.types[type])])}
        set={(type) => set({ type })}
      />
      {/* Shown before the clients are loaded, so that nothing moves. */}
      {(clients.length > 0 || !isKnown) && (
        <Select
          label={words.common.client}
          any={words.messages.anyClient}
          value={filter.client}
          of={clients.map(({ id, name }) => [id, name])}
          set={(client) => set({ client })}
        />
      )}
      <NetworkFilters filter={filter} set={set} />
      <DateFilter from={filter.from} to={filter.to} set={set} />
    </FilterBar>
  )
}

function NoMatches({ clear }: { clear: () => void }) {
  return (
    <>
      <Icon name="filter" />
      <h2>{words.messages.noMatches}</h2>
      <button type="button" onClick={clear}>
        {words.parts.clearFilters}
      </button>
    </>
  )
}

function FirstMessage() {
  const isService = useWorkspaceOrNull() === null
  const command = [
    `curl -s '${location.origin}/api/sms/v1/sms/send'`,
    `-H "x-api-key: $HULAKI_API_KEY" -H 'content-type: application/json'`,
    `-d '{"to": "9800000001", "text": "Namaste"}'`,
  ].join(' \\\n  ')
  return (
    <>
      <Icon name="message" />
      <h2>{words.messages.none}</h2>
      <p class="quiet">{words.messages.sendFirst}</p>
      {!isService && <Code text={command} />}
    </>
  )
}

const columns = (own: Workspace | null): Column<ListedMessage>[] => [
  { head: words.common.created, cell: ({ createdAt }) => <Moment at={createdAt} />, fold: 'secondEnd' },
  ...(own ? [] : [workspaceColumn<ListedMessage>()]),
  { head: words.messages.recipient, cell: ({ to }) => <span class="mono">{to}</span>, fold: 'first' },
  {
    head: words.common.status,
    cell: ({ status }) => <Pill tone={toneOf(status)} word={words.status[status]} />,
    fold: 'firstEnd',
  },
  {
    head: words.common.reason,
    cell: ({ status, error }) => <span class="quiet">{reasonOf(status, error)}</span>,
    secondary: true,
  },
  {
    head: words.messages.text,
    cell: ({ text }) => <span class="quiet foreign">{words.hiddenText(text)}</span>,
    wide: true,
    fold: 'second',
  },
  {
    head: own?.currency ? words.messages.costIn(own.currency) : words.messages.cost,
    cell: ({ cost, currency }) => money(cost, currency),
    right: true,
    secondary: true,
  },
]
