// Replies that belong to no client (D18): the operator assigns each to a client.
import type { Reply } from '../api/calls.ts'
import { useList } from '../api/use.ts'
import { useTimeZone } from '../caller.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { instantsOf } from '../parts/days.tsx'
import { DateFilter, FilterBar } from '../parts/filters.tsx'
import { Icon } from '../parts/icon.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { foreign } from '../parts/text.tsx'
import { showToast } from '../parts/toast.ts'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import { AssignDialog } from './assign.tsx'

export function Screen() {
  const [{ assign, from, to }, set] = useUrlState({ assign: '', from: '', to: '' })
  const dates = instantsOf({ from, to }, useTimeZone())
  const query = {
    unattributed: 'true' as const,
    ...(dates.from && { 'from-date': dates.from }),
    ...(dates.to && { 'to-date': dates.to }),
  }
  const list = useList('listReplies', { query }, { topics: ['replies'] })
  const isFiltered = from !== '' || to !== ''
  const clear = () => set({ from: '', to: '' })
  const chips = isFiltered ? [{ label: words.parts.date, value: `${from} – ${to}`, remove: clear }] : []
  const reply = list.items?.find(({ id }) => id === assign)
  const close = () => set({ assign: '' }, { replace: true })
  return (
    <Page title={words.screens.unassigned} hasTimes actions={<ApiButton of="listReplies" input={{ query }} />}>
      <p class="quiet">{words.replies.about}</p>
      <FilterBar chosen={chips} clear={clear}>
        <DateFilter from={from} to={to} set={set} />
      </FilterBar>
      <Table
        {...list}
        caption={words.screens.unassigned}
        columns={columnsOf((id) => set({ assign: id }, { replace: true }))}
        keyOf={(row) => row.id}
        empty={
          <>
            <Icon name={isFiltered ? 'filter' : 'check'} />
            <p>{isFiltered ? words.replies.noMatches : words.replies.allAssigned}</p>
            {isFiltered && (
              <button type="button" onClick={clear}>
                {words.parts.clearFilters}
              </button>
            )}
          </>
        }
      />
      {reply && (
        <AssignDialog
          key={reply.id}
          reply={reply}
          close={close}
          assigned={(client) => {
            showToast({ of: { text: words.replies.assigned(client) }, undo: null })
            close()
          }}
        />
      )}
    </Page>
  )
}

const columnsOf = (assign: (id: string) => void): Column<Reply>[] => [
  { head: words.replies.received, cell: ({ receivedAt }) => <Moment at={receivedAt} /> },
  { head: words.replies.from, cell: ({ from }) => <span class="mono">{from}</span> },
  { head: words.replies.to, cell: ({ to }) => foreign(to) },
  { head: words.replies.text, cell: ({ text }) => foreign(text), wide: true },
  {
    head: words.common.actions,
    cell: ({ id }) => (
      <button type="button" onClick={() => assign(id)}>
        {words.replies.assign}
      </button>
    ),
  },
]
