// Workspaces: all customers, by name and status, and the form for a new one.
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import type { ListedWorkspace } from '../api/calls.ts'
import { useAction, useList } from '../api/use.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/field.tsx'
import { SingleChips } from '../parts/filters.tsx'
import { capitalize, count, money } from '../parts/format.ts'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Search } from '../parts/search.tsx'
import { Pill } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { foreign } from '../parts/text.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import { FIELDS, Fields } from './fields.tsx'
import { DEFAULTS, newOf, STATUS_TONES } from './settings.ts'

const STATUSES = ['active', 'pending', 'suspended'] as const

export function Screen() {
  const [filter, setFilter] = useUrlState({ name: '', status: '', new: '' })
  const status = STATUSES.find((it) => it === filter.status)
  const input = { query: { ...(filter.name ? { name: filter.name } : {}), ...(status ? { status } : {}) } }
  const list = useList('listWorkspaces', input)
  return (
    <Page
      title={words.screens.workspaces}
      more={<ApiButton of="listWorkspaces" input={input} />}
      actions={
        <button type="button" class="primary" onClick={() => setFilter({ new: '1' })}>
          {words.workspaces.add}
        </button>
      }
    >
      <div class="row">
        <Search label={words.common.name} value={filter.name} set={(name) => setFilter({ name })} />
        <SingleChips
          label={words.common.status}
          of={STATUSES.map((it) => [it, words.workspaces.statuses[it], STATUS_TONES[it]] as const)}
          chosen={status ?? ''}
          set={(chosen) => setFilter({ status: chosen })}
        />
      </div>
      <Table
        {...list}
        caption={words.screens.workspaces}
        columns={columns()}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `/workspaces/${id}`}
        empty={<p>{filter.name || status ? words.workspaces.noMatches : words.workspaces.none}</p>}
      />
      {filter.new && <NewWorkspace close={() => setFilter({ new: '' }, { replace: true })} />}
    </Page>
  )
}

function NewWorkspace({ close }: { close: () => void }) {
  const [it, set] = useState(DEFAULTS)
  const [, go] = useLocation()
  const create = useAction('createWorkspace', ['listWorkspaces'])
  return (
    <Dialog title={words.workspaces.add} close={close}>
      <Form
        submitLabel={words.workspaces.create}
        submit={() => create.mutate({ body: newOf(it) }, { onSuccess: ({ id }) => go(`/workspaces/${id}`) })}
        mutation={create}
        fields={FIELDS}
        cancel={close}
      >
        <Fields it={it} set={set} error={create.error} isNew />
      </Form>
    </Dialog>
  )
}

const columns = (): Column<ListedWorkspace>[] => [
  { head: words.common.name, cell: ({ name }) => foreign(name), wide: true, sortBy: ({ name }) => name },
  {
    head: words.common.status,
    cell: ({ status }) => <Pill tone={STATUS_TONES[status]} word={words.workspaces.statuses[status]} />,
    sortBy: ({ status }) => words.workspaces.statuses[status],
  },
  { head: words.workspaces.plan, cell: ({ plan }) => capitalize(words.workspaces.plans[plan]), secondary: true },
  {
    head: words.workspaces.sentToday,
    cell: ({ sentToday }) => count(sentToday),
    right: true,
    sortBy: ({ sentToday }) => sentToday,
  },
  {
    head: words.usage.balance,
    cell: ({ balance, currency }) => <span class={balance === 0 ? 'bad' : ''}>{money(balance, currency)}</span>,
    sortBy: ({ balance }) => balance,
    right: true,
    secondary: true,
  },
  {
    head: words.common.created,
    cell: ({ createdAt }) => <Moment at={createdAt} style="day" />,
    sortBy: ({ createdAt }) => createdAt,
    right: true,
    secondary: true,
  },
]
