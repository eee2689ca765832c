// A statement: one month by client and type, also as a file.
import { addressOf } from '../api/address.ts'
import type { Month, Usage, Workspace } from '../api/calls.ts'
import { useCall } from '../api/use.ts'
import { useCan, useWorkspace } from '../caller.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { writeDay } from '../parts/days.tsx'
import { count, money } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import { monthsOf, type Spend } from './sums.ts'

export function Months({ workspace }: { workspace: Workspace | undefined }) {
  const { id } = useWorkspace()
  const can = useCan()
  const [chosen, choose] = useUrlState({ month: '' })
  const months = workspace ? monthsOf(workspace) : []
  const month = months.includes(chosen.month) ? chosen.month : months[0]
  const input = { params: { id, month: month ?? '' } }
  const { data, error } = useCall('getMonth', input, { when: month !== undefined })
  return (
    <>
      <div class="row">
        <label class="row">
          <span class="quiet">{words.usage.month}</span>
          <select value={month ?? ''} onChange={(event) => choose({ month: event.currentTarget.value })}>
            {months.map((it) => (
              <option key={it} value={it}>
                {it === months[0] ? words.usage.current(writeDay(`${it}-01`, 'month')) : writeDay(`${it}-01`, 'month')}
              </option>
            ))}
          </select>
        </label>
        {month && can('getStatement') && (
          <a
            class="button"
            href={addressOf('getStatement', {
              params: { id, month },
              query: { language: document.documentElement.lang === 'ne' ? 'ne' : 'en' },
            })}
            target="_blank"
            rel="noreferrer"
          >
            {words.usage.print}
          </a>
        )}
        {month && can('exportUsage') && (
          <a class="button" href={addressOf('exportUsage', { params: { id }, query: { month } })} download>
            <Icon name="download" />
            {words.messages.export}
          </a>
        )}
        {month && (
          <span class="push">
            <ApiButton of="getMonth" input={input} />
          </span>
        )}
      </div>
      <Table
        caption={words.usage.months}
        columns={columns()}
        items={data && rowsOf(data)}
        keyOf={({ key }) => key}
        error={error}
        empty={<p>{words.usage.nothingSpent}</p>}
      />
    </>
  )
}

interface Row extends Spend {
  key: string
  name: string | null
  type: Usage['type'] | null
}

/** Each client by type, with the total below. */
function rowsOf({ clients, total }: Month): Row[] {
  if (clients.length === 0) return []
  const rows = clients.flatMap(({ clientId, name, types }) =>
    types.map((it) => ({ ...it, key: `${clientId} ${it.type}`, name })),
  )
  return [...rows, { ...total, key: 'total', name: null, type: null }]
}

const columns = (): Column<Row>[] => [
  {
    head: words.usage.client,
    cell: ({ name }) => (name === null ? <strong>{words.usage.total}</strong> : <span class="foreign">{name}</span>),
  },
  { head: words.common.type, cell: ({ type }) => type && words.types[type] },
  { head: words.usage.messages, cell: ({ messages }) => count(messages), right: true, secondary: true },
  { head: words.usage.segments, cell: ({ segments }) => count(segments), right: true, secondary: true },
  { head: words.usage.cost, cell: ({ cost }) => money(cost), right: true, secondary: true },
  { head: words.usage.refunded, cell: ({ refunded }) => money(refunded), right: true, secondary: true },
  { head: words.usage.net, cell: ({ net }) => money(net), right: true },
]
