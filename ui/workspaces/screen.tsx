// Workspaces: all customers, by name and status, and the form for a new one.
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import type { ListedWorkspace } from '../api/calls.ts'
import { useAct, useList } from '../api/use.ts'
import { Curl } from '../parts/curl.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/field.tsx'
import { count, money } from '../parts/format.ts'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Search } from '../parts/search.tsx'
import { Status } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import { FIELDS, Fields } from './fields.tsx'
import { newOf, STATUS_TONES, USUAL } from './settings.ts'

const STATUSES = ['active', 'pending', 'suspended'] as const

export function Screen() {
  const [filter, setFilter] = useUrlState({ name: '', status: '' })
  const [isMaking, setMaking] = useState(false)
  const status = STATUSES.find((it) => it === filter.status)
  const input = { query: { ...(filter.name ? { name: filter.name } : {}), ...(status ? { status } : {}) } }
  const { items, fault, more } = useList('listWorkspaces', input)
  return (
    <Page
      title={words.screens.workspaces}
      actions={
        <>
          <Curl of="listWorkspaces" input={input} />
          <button type="button" class="primary" onClick={() => setMaking(true)}>
            {words.workspaces.add}
          </button>
        </>
      }
    >
      <div class="row">
        <Search label={words.workspaces.search} value={filter.name} set={(name) => setFilter({ name })} />
        {STATUSES.map((it) => (
          <button
            key={it}
            type="button"
            aria-pressed={status === it}
            onClick={() => setFilter({ status: status === it ? '' : it })}
          >
            <Status tone={STATUS_TONES[it]}>{words.workspaces.statuses[it]}</Status>
          </button>
        ))}
      </div>
      <Table
        caption={words.screens.workspaces}
        columns={columns()}
        rows={items}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `/workspaces/${id}`}
        fault={fault}
        more={more}
        empty={<p>{filter.name || status ? words.workspaces.noMatches : words.workspaces.none}</p>}
      />
      {isMaking && <Make close={() => setMaking(false)} />}
    </Page>
  )
}

function Make({ close }: { close: () => void }) {
  const [it, set] = useState(USUAL)
  const [, go] = useLocation()
  const make = useAct('createWorkspace', ['listWorkspaces'])
  return (
    <Dialog title={words.workspaces.add} close={close}>
      <Form
        act={words.workspaces.create}
        submit={() => make.mutate({ body: newOf(it) }, { onSuccess: ({ id }) => go(`/workspaces/${id}`) })}
        isBusy={make.isPending}
        fault={make.error}
        fields={FIELDS}
        cancel={close}
      >
        <Fields it={it} set={set} fault={make.error} isNew />
      </Form>
    </Dialog>
  )
}

const columns = (): Column<ListedWorkspace>[] => [
  { head: words.workspaces.name, cell: ({ name }) => <span class="foreign">{name}</span>, wide: true },
  {
    head: words.workspaces.status,
    cell: ({ status }) => <Status tone={STATUS_TONES[status]}>{words.workspaces.statuses[status]}</Status>,
  },
  { head: words.workspaces.plan, cell: ({ plan }) => words.workspaces.plans[plan], roomy: true },
  { head: words.workspaces.sentToday, cell: ({ sentToday }) => count(sentToday), right: true },
  {
    head: words.workspaces.balance,
    cell: ({ balance, currency }) => <span class={balance === 0 ? 'bad' : ''}>{money(balance, currency)}</span>,
    right: true,
    roomy: true,
  },
  {
    head: words.workspaces.created,
    cell: ({ createdAt }) => <Moment at={createdAt} style="day" />,
    right: true,
    roomy: true,
  },
]
