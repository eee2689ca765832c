// Messages: a chart of the last 24 hours, filters, and the list, newest first.
import { useState } from 'preact/hooks'
import { useRouter } from 'wouter-preact'
import { addressOf } from '../api/call.ts'
import type { Message } from '../api/calls.ts'
import { useCall, useList } from '../api/use.ts'
import { inBackground } from '../background.ts'
import { useCaller, useCan, useWorkspace } from '../caller.ts'
import { BarChart } from '../parts/chart.tsx'
import { useClients } from '../parts/clients.ts'
import { Copy } from '../parts/copy.tsx'
import { Curl } from '../parts/curl.tsx'
import { Chips, DayFilter, Select } from '../parts/filters.tsx'
import { count, moment, money, shortId } from '../parts/format.ts'
import { LiveButton } from '../parts/live-button.tsx'
import { MESSAGE_TYPES } from '../parts/message-types.ts'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Search } from '../parts/search.tsx'
import { MessageState, toneOf } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { foreign } from '../parts/text.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import { actionsFor, type BulkAction, CALLS } from './bulk-actions.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import { type Filter, isFiltered, isLike, NO_FILTER, queryOf } from './filter.ts'
import { useLiveList } from './live-list.ts'
import css from './messages.module.css'

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
const HOURS = 24
const HOURS_BETWEEN_TICKS = 4
const CHART_EVERY_MS = 60_000

export function Screen() {
  const { id } = useWorkspace()
  const { base } = useRouter()
  const can = useCan()
  const [filter, setFilter] = useUrlState(NO_FILTER)
  const input = { params: { id }, query: queryOf(filter) }
  const { items, error, more } = useList('listMessages', input)
  const isLive = filter.live !== 'off' && can('watchMessages')
  const live = useLiveList({
    workspaceId: id,
    isOn: isLive,
    rows: items,
    isLike: (message) => isLike(message, filter),
    listed: JSON.stringify(input),
  })
  return (
    <Page
      title={words.screens.messages}
      actions={
        <>
          {can('exportMessages') && (
            <a href={addressOf('exportMessages', input)} download>
              {words.messages.export}
            </a>
          )}
          <Curl of="listMessages" input={input} />
          {can('watchMessages') && (
            <LiveButton isOn={isLive} set={(isOn) => setFilter({ live: isOn ? 'on' : 'off' }, { replace: true })} />
          )}
        </>
      }
    >
      {can('countMessagesByHour') && <Hours workspaceId={id} />}
      <Filters filter={filter} set={setFilter} />
      <BulkActions filter={filter} />
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
          columns={columns()}
          items={live.rows}
          keyOf={(row) => row.id}
          hrefOf={(row) => `~${base}/messages/${row.id}`}
          error={error}
          more={more}
          empty={isFiltered(filter) ? <p>{words.messages.noMatches}</p> : <FirstMessage />}
        />
      </div>
    </Page>
  )
}

/** Messages per hour by outcome, in the time zone of the workspace. */
function Hours({ workspaceId }: { workspaceId: string }) {
  const input = { params: { id: workspaceId }, query: { hours: HOURS } }
  const { data } = useCall('countMessagesByHour', input, { everyMs: CHART_EVERY_MS })
  const bars = data?.items.map(({ startsAt, delivered, underWay, undelivered, failed }, index) => ({
    name: moment(startsAt, 'whole', data.timeZone),
    tick: index % HOURS_BETWEEN_TICKS === 0 ? moment(startsAt, 'time', data.timeZone) : undefined,
    values: [delivered, underWay, undelivered, failed],
  }))
  return (
    <BarChart
      title={words.messages.lastDay}
      note={data?.timeZone ?? ''}
      series={[
        { label: words.status.delivered, tone: 'good' },
        { label: words.messages.inProgress, tone: 'neutral' },
        { label: words.status.undelivered, tone: 'warning' },
        { label: words.status.failed, tone: 'bad' },
      ]}
      bars={bars}
    />
  )
}

function Filters({ filter, set }: { filter: Filter; set: (changes: Partial<Filter>) => void }) {
  const { clients, isKnown } = useClients()
  const isViewer = useCaller().kind === 'viewer'
  const label = isViewer ? words.messages.searchAsViewer : words.messages.search
  return (
    <div class={css.filters}>
      <Search label={label} value={filter.search} set={(search) => set({ search })} />
      <Chips
        label={words.common.status}
        of={STATUSES.map((status) => [status, words.status[status], toneOf(status)] as const)}
        chosen={filter.status}
        set={(status) => set({ status })}
      />
      <Select
        label={words.messages.anyType}
        value={filter.type}
        of={MESSAGE_TYPES.map((type) => [type, words.types[type]])}
        set={(type) => set({ type })}
      />
      {/* Shown before the clients are loaded, so that nothing moves. */}
      {(clients.length > 0 || !isKnown) && (
        <Select
          label={words.messages.anyClient}
          value={filter.client}
          of={clients.map(({ id, name }) => [id, name])}
          set={(client) => set({ client })}
        />
      )}
      <DayFilter label={words.messages.createdFrom} value={filter.from} set={(from) => set({ from })} />
      <DayFilter label={words.messages.createdUntil} value={filter.to} set={(to) => set({ to })} />
    </div>
  )
}

/** Shown where the API accepts the same filter as the list. */
function BulkActions({ filter }: { filter: Filter }) {
  const can = useCan()
  const [open, setOpen] = useState<BulkAction | null>(null)
  const actions = actionsFor(filter).filter((action) => can(CALLS[action]))
  if (actions.length === 0) return null
  return (
    <div class="row">
      <span class="quiet">{words.messages.bulk.actions}</span>
      {actions.map((action) => (
        <button key={action} type="button" class={action === 'resend' ? '' : 'danger'} onClick={() => setOpen(action)}>
          {words.messages.bulk.buttons[action]}
        </button>
      ))}
      {open && <BulkDialog action={open} filter={filter} close={() => setOpen(null)} />}
    </div>
  )
}

function FirstMessage() {
  const command = [
    `curl -s '${location.origin}/api/sms/v1/sms/send'`,
    `-H "x-api-key: $HULAKI_API_KEY" -H 'content-type: application/json'`,
    `-d '{"to": "9800000001", "text": "Namaste"}'`,
  ].join(' \\\n  ')
  return (
    <>
      <p>
        {words.messages.none} {words.messages.sendFirst}
      </p>
      <pre>
        <Copy text={command} />
      </pre>
    </>
  )
}

const columns = (): Column<Message>[] => [
  { head: words.common.created, cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { head: words.common.id, cell: ({ id }) => <Copy text={id}>{shortId(id)}</Copy>, secondary: true },
  { head: words.messages.recipient, cell: ({ to }) => <span class="mono">{to}</span> },
  { head: words.messages.sender, cell: ({ from }) => foreign(from), secondary: true },
  { head: words.common.status, cell: ({ status, error }) => <MessageState status={status} error={error} /> },
  {
    head: words.messages.text,
    cell: ({ text }) => <span class="quiet foreign">{text}</span>,
    wide: true,
    secondary: true,
  },
  { head: words.messages.cost, cell: ({ cost }) => money(cost), right: true, secondary: true },
]
