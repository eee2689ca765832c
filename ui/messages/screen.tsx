// Messages: what was sent, newest first, narrowed by what stands in the address.
import { useRouter } from 'wouter-preact'
import type { Calls, Message } from '../api/calls.ts'
import { useList } from '../api/use.ts'
import { Chips } from '../parts/chips.tsx'
import { Copy } from '../parts/copy.tsx'
import { Curl } from '../parts/curl.tsx'
import { money } from '../parts/format.ts'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { MessageState, toneOf } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { useWorkspace } from '../who.ts'
import { words } from '../words/index.ts'

type Status = Message['status']
const STATUSES: readonly Status[] = ['queued', 'submitted', 'sent', 'delivered', 'undelivered', 'failed', 'rejected']
const LAST_OF_ID = -12

export function Screen() {
  const { id } = useWorkspace()
  const { base } = useRouter()
  const [filter, setFilter] = useUrlState({ status: [], to: '' })
  const query: Calls['listMessages']['query'] = { status: filter.status as Status[] }
  const input = { params: { id }, query }
  const { items, fault, more } = useList('listMessages', input)
  return (
    <Page title={words.screens.messages} actions={<Curl of="listMessages" input={input} />}>
      <Chips
        label={words.messages.anyStatus}
        of={STATUSES.map((status) => [status, words.status[status], toneOf(status)] as const)}
        chosen={filter.status}
        set={(status) => setFilter({ status })}
      />
      <Table
        caption={words.screens.messages}
        columns={columns()}
        rows={items}
        keyOf={(row) => row.id}
        hrefOf={(row) => `~${base}/messages/${row.id}`}
        fault={fault}
        more={more}
        empty={<p>{filter.status.length > 0 ? words.messages.noneLike : words.messages.none}</p>}
      />
    </Page>
  )
}

const columns = (): Column<Message>[] => [
  { head: words.messages.created, cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { head: words.messages.id, cell: ({ id }) => <Copy text={id}>{id.slice(LAST_OF_ID)}</Copy>, roomy: true },
  { head: words.messages.to, cell: ({ to }) => <span class="mono">{to}</span> },
  { head: words.messages.from, cell: ({ from }) => <span class="foreign">{from}</span>, roomy: true },
  { head: words.messages.status, cell: ({ status, error }) => <MessageState status={status} error={error} /> },
  { head: words.messages.text, cell: ({ text }) => <span class="quiet">{text}</span>, wide: true, roomy: true },
  { head: words.messages.cost, cell: ({ cost }) => money(cost), right: true, roomy: true },
]
