// Replies to the messages of a workspace, newest first. A row opens to the whole text.
import { Link } from 'wouter-preact'
import type { Reply } from '../api/calls.ts'
import { useList } from '../api/use.ts'
import { useCaller, useWorkspace } from '../caller.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { useClients } from '../parts/clients.ts'
import { Copy } from '../parts/copy.tsx'
import { Facts } from '../parts/facts.tsx'
import { DateFilter, FilterBar, Select } from '../parts/filters.tsx'
import { shortId } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Search } from '../parts/search.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { foreign } from '../parts/text.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { Waiting } from '../parts/waiting.tsx'
import { words } from '../words/index.ts'

const NO_FILTER = { number: '', client: '', from: '', to: '' }

export function Screen() {
  const { id } = useWorkspace()
  const isViewer = useCaller().kind === 'viewer'
  const { clients, nameOf, isKnown } = useClients()
  const [{ open, ...filter }, set] = useUrlState({ open: '', ...NO_FILTER })
  const { number, client, from, to } = filter
  const query = {
    ...(number && { from: number }),
    ...(client && { client }),
    ...(from && { 'from-date': from }),
    ...(to && { 'to-date': to }),
  }
  const input = { params: { id }, query }
  const list = useList('listWorkspaceReplies', input, { topics: ['replies'] })
  const clear = () => set(NO_FILTER)
  const chips = [
    { label: words.common.client, value: client && nameOf(client), remove: () => set({ client: '' }) },
    { label: words.parts.date, value: from || to ? `${from} – ${to}` : '', remove: () => set({ from: '', to: '' }) },
  ]
  return (
    <Page title={words.screens.replies} hasTimes actions={<ApiButton of="listWorkspaceReplies" input={input} />}>
      <FilterBar
        first={
          <Search
            label={isViewer ? words.replies.searchAsViewer : words.replies.search}
            value={number}
            set={(it) => set({ number: it })}
          />
        }
        chosen={chips.filter(({ value }) => value)}
        clear={clear}
      >
        {/* Shown before the clients are loaded, so that nothing moves. */}
        {(clients.length > 0 || !isKnown) && (
          <Select
            label={words.common.client}
            any={words.messages.anyClient}
            value={client}
            of={clients.map((it) => [it.id, it.name])}
            set={(it) => set({ client: it })}
          />
        )}
        <DateFilter from={from} to={to} set={set} />
      </FilterBar>
      {isKnown ? (
        <Table
          {...list}
          caption={words.screens.replies}
          columns={columnsOf(nameOf)}
          keyOf={(row) => row.id}
          unfold={{
            open,
            set: (it) => set({ open: it }, { replace: true }),
            details: (row) => <ReplyDetails reply={row} />,
          }}
          empty={
            Object.values(filter).some(Boolean) ? (
              <>
                <Icon name="filter" />
                <p>{words.replies.noMatches}</p>
                <button type="button" onClick={clear}>
                  {words.parts.clearFilters}
                </button>
              </>
            ) : (
              <>
                <Icon name="reply" />
                <p>{words.replies.none}</p>
              </>
            )
          }
        />
      ) : (
        <Waiting />
      )}
    </Page>
  )
}

const columnsOf = (nameOf: (clientId: string) => string): Column<Reply>[] => [
  { head: words.replies.received, cell: ({ receivedAt }) => <Moment at={receivedAt} />, fold: 'secondEnd' },
  { head: words.replies.from, cell: ({ from }) => <span class="mono">{from}</span>, fold: 'first' },
  { head: words.replies.text, cell: ({ text }) => foreign(text), wide: true, fold: 'second' },
  { head: words.replies.answers, cell: (reply) => <AnsweredMessage {...reply} />, fold: 'firstEnd' },
  {
    head: words.common.client,
    cell: ({ clientId }) => foreign(clientId && nameOf(clientId)),
    secondary: true,
  },
]

function AnsweredMessage({ inReplyTo }: Pick<Reply, 'inReplyTo'>) {
  if (inReplyTo === null) return <span class="quiet">–</span>
  return (
    <Link class="mono" href={`/messages/${inReplyTo}`} aria-label={`${words.replies.message} ${shortId(inReplyTo)}`}>
      {shortId(inReplyTo)}
    </Link>
  )
}

function ReplyDetails({ reply: { id, to, text } }: { reply: Reply }) {
  return (
    <Facts
      of={[
        [words.replies.text, foreign(text)],
        [words.replies.to, foreign(to)],
        [words.replies.replyId, <Copy key="id" text={id} />],
      ]}
    />
  )
}
