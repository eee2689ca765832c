// Spend net of refunds: by day and type, and by client and type.
import { Link } from 'wouter-preact'
import type { Usage } from '../api/calls.ts'
import { useCall } from '../api/use.ts'
import { useWorkspace } from '../caller.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { BarChart } from '../parts/chart.tsx'
import { useClients } from '../parts/clients.ts'
import { DaysChoice, DEFAULT_DAYS, daysFrom, queryOf, tickOf, writeDay } from '../parts/days.tsx'
import { Select } from '../parts/filters.tsx'
import { capitalize, count, money } from '../parts/format.ts'
import { MESSAGE_TYPES } from '../parts/message-types.ts'
import { type Column, Table } from '../parts/table.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import { type Day, daysOf, type Share, type Spend as SpendFigures, sharesOf, sumOf } from './sums.ts'

const COLOURS = { transactional: 'c1', otp: 'c2', promotional: 'c3' } as const satisfies Record<Share['type'], string>

export function Spend({ currency }: { currency: string | undefined }) {
  const { id } = useWorkspace()
  const { clients, nameOf, isKnown } = useClients()
  const [chosen, choose] = useUrlState({ days: DEFAULT_DAYS, client: '' })
  const usual = useCall('getUsage', { params: { id }, query: {} })
  const query = queryOf(chosen.days, usual.data?.to)
  const { data, error } = useCall('getUsage', { params: { id }, query }, { when: usual.data !== undefined })
  const rows = data?.items.filter(({ clientId }) => chosen.client === '' || clientId === chosen.client)
  const total = rows && sumOf(rows)
  // Both tables wait for the names of the clients: without them, columns would move later.
  const named = isKnown ? rows : undefined
  const hasMargin = named !== undefined && total?.carriers !== undefined
  return (
    <>
      <div class="row">
        <DaysChoice chosen={chosen.days} set={(days) => choose({ days })} />
        <span class="row push">
          <Select
            label={words.usage.client}
            any={words.messages.anyClient}
            value={chosen.client}
            of={clients.map((it) => [it.id, it.name])}
            set={(client) => choose({ client })}
          />
          <ApiButton of="getUsage" input={{ params: { id }, query }} />
        </span>
      </div>
      <BarChart
        title={words.usage.byDay}
        note={total ? money(total.net, currency) : '–'}
        series={MESSAGE_TYPES.map((type) => ({ label: words.types[type], colour: COLOURS[type] }))}
        bars={data && rows && barsOf(rows, data)}
        write={(value) => money(value)}
      />
      <Table
        caption={words.usage.byClient}
        columns={[...columns(nameOf), ...(hasMargin ? margins() : [])]}
        items={named && sharesOf(named)}
        keyOf={({ clientId, type }) => `${clientId} ${type}`}
        error={error}
        empty={<p>{words.usage.nothingSpent}</p>}
      />
      {hasMargin && <Margin rows={named} total={total} />}
    </>
  )
}

/** For operators: the margin of each day after the carrier cost. */
function Margin({ rows, total }: { rows: readonly Usage[]; total: SpendFigures }) {
  return (
    <>
      <div class="row">
        <h2>{words.common.margin}</h2>
        <span class="quiet">
          {total.carriers?.segments ? (
            words.usage.priced(count(total.carriers.segments), count(total.segments))
          ) : (
            <>
              {words.usage.noPrices} <Link href="~/console/carriers">{words.usage.setPrices}</Link>
            </>
          )}
          {' · '}
          {words.usage.operatorsOnly}
        </span>
      </div>
      <Table
        caption={words.common.margin}
        columns={[
          { head: words.usage.day, cell: ({ day }: Day) => writeDay(day) },
          { head: words.usage.segments, cell: ({ segments }: Day) => count(segments), right: true, secondary: true },
          { head: words.usage.net, cell: ({ net }: Day) => money(net), right: true },
          ...margins<Day>(),
        ]}
        items={daysOf(rows)}
        keyOf={({ day }) => day}
      />
    </>
  )
}

const margins = <Row extends SpendFigures>(): Column<Row>[] => [
  { head: words.common.carrierCost, cell: ({ carriers }) => known(carriers, 'cost'), right: true, secondary: true },
  { head: words.common.margin, cell: ({ carriers }) => known(carriers, 'margin'), right: true },
]

/** A dash where no segment has a carrier price. */
function known(carriers: SpendFigures['carriers'], field: 'cost' | 'margin'): string {
  return carriers?.segments ? money(carriers[field]) : '–'
}

const columns = (nameOf: (clientId: string) => string): Column<Share>[] => [
  {
    head: words.usage.client,
    cell: ({ clientId }) => <span class="foreign">{nameOf(clientId)}</span>,
    sortBy: ({ clientId }) => nameOf(clientId),
  },
  {
    head: words.common.type,
    cell: ({ type }) => capitalize(words.types[type]),
    sortBy: ({ type }) => words.types[type],
  },
  {
    head: words.usage.messages,
    cell: ({ messages }) => count(messages),
    right: true,
    secondary: true,
    sortBy: ({ messages }) => messages,
  },
  {
    head: words.usage.segments,
    cell: ({ segments }) => count(segments),
    right: true,
    secondary: true,
    sortBy: ({ segments }) => segments,
  },
  { head: words.usage.cost, cell: ({ cost }) => money(cost), right: true, secondary: true, sortBy: ({ cost }) => cost },
  {
    head: words.usage.refunded,
    cell: ({ refunded }) => money(refunded),
    right: true,
    secondary: true,
    sortBy: ({ refunded }) => refunded,
  },
  { head: words.usage.net, cell: ({ net }) => money(net), right: true, sortBy: ({ net }) => net },
]

/** One bar per day: the net spend of each type. */
function barsOf(rows: readonly Usage[], { from, to }: { from: string; to: string }) {
  const ofDay = Map.groupBy(rows, ({ day }) => day)
  const days = daysFrom(from, to)
  return days.map((day, index) => ({
    name: writeDay(day),
    tick: tickOf(days, index),
    values: MESSAGE_TYPES.map((type) => sumOf((ofDay.get(day) ?? []).filter((it) => it.type === type)).net),
  }))
}
