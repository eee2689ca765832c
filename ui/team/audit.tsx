// The audit log: who changed what, when, and from where. The address holds the filter.
import { useState } from 'preact/hooks'
import type { ApiError } from '../api/api-error.ts'
import type { WorkspaceAuditEntry } from '../api/calls.ts'
import { Copy } from '../parts/copy.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Facts } from '../parts/facts.tsx'
import { FilterBar, Select } from '../parts/filters.tsx'
import { capitalize, shortId } from '../parts/format.ts'
import { Moment } from '../parts/moment.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { foreign } from '../parts/text.tsx'
import { words } from '../words/index.ts'

export const NO_FILTER = { action: '', by: '' } as const
type Filter = { action: string; by: string }

export function auditQuery({ action, by }: Filter): { action?: string; by?: string } {
  return { ...(action && { action }), ...(by && { by }) }
}

const KINDS = [
  ...(['client', 'template', 'workspace', 'member', 'invitation', 'owner_token', 'message'] as const),
  ...(['carrier', 'route', 'country', 'service', 'operator', 'person', 'session'] as const),
]

interface Props {
  items: WorkspaceAuditEntry[] | undefined
  error: ApiError | null
  more: (() => void) | null
  filter: Filter
  setFilter: (changes: Partial<Filter>) => void
}

export function Audit({ items, error, more, filter, setFilter }: Props) {
  const [open, setOpen] = useState<WorkspaceAuditEntry | null>(null)
  const resources: Record<string, string | undefined> = words.team.resources
  const user = items?.find(({ by }) => by?.id === filter.by)?.by?.name ?? shortId(filter.by)
  const chosen = [
    {
      label: words.team.resource,
      value: resources[filter.action] ?? filter.action,
      remove: () => setFilter({ action: '' }),
    },
    { label: words.team.user, value: filter.by && user, remove: () => setFilter({ by: '' }) },
  ].filter(({ value }) => value)
  if (!error && !items) return <p class="hidden">{words.shell.loading}</p>
  return (
    <>
      <FilterBar chosen={chosen} clear={() => setFilter(NO_FILTER)}>
        <Select
          label={words.team.resource}
          any={words.team.anyResource}
          value={filter.action}
          of={KINDS.map((kind) => [kind, words.team.resources[kind]] as const)}
          set={(action) => setFilter({ action })}
        />
      </FilterBar>
      <Table
        caption={words.team.audit}
        items={items}
        error={error}
        more={more}
        keyOf={(it) => it.id}
        empty={<p>{words.common.noEntries}</p>}
        columns={columns((by) => setFilter({ by }), setOpen)}
      />
      {open && <Entry entry={open} close={() => setOpen(null)} />}
    </>
  )
}

const columns = (
  filterBy: (by: string) => void,
  open: (entry: WorkspaceAuditEntry) => void,
): Column<WorkspaceAuditEntry>[] => [
  { head: words.team.time, cell: ({ at }) => <Moment at={at} /> },
  {
    head: words.team.user,
    cell: ({ by, actor }) =>
      by ? (
        <button type="button" class="link foreign" onClick={() => filterBy(by.id)} title={words.team.filterByUser}>
          {by.name}
        </button>
      ) : (
        roleOf(actor)
      ),
  },
  {
    head: words.team.role,
    cell: ({ by, actor }) => <span class="quiet">{by ? roleOf(actor) : '–'}</span>,
    secondary: true,
  },
  {
    head: words.team.action,
    cell: (entry) => (
      <button type="button" class="link" onClick={() => open(entry)}>
        {actionName(entry.action)}
      </button>
    ),
    wide: true,
  },
  {
    head: words.account.address,
    cell: ({ address }) => <span class="mono quiet">{address ?? '–'}</span>,
    secondary: true,
  },
]

/** The code itself for an action that has no name here. */
function actionName(action: string): string {
  const names: Record<string, string | undefined> = words.audit.actionNames
  return names[action] ?? action
}

function roleOf(actor: string): string {
  const [role = ''] = actor.split(':')
  const names: Record<string, string | undefined> = { ...words.roles, service: words.team.service }
  return capitalize(names[role] ?? role)
}

function Entry({ entry, close }: { entry: WorkspaceAuditEntry; close: () => void }) {
  return (
    <Dialog title={actionName(entry.action)} close={close}>
      <Facts
        of={[
          [words.team.time, <Moment key="at" at={entry.at} style="whole" />],
          [words.team.user, foreign(entry.by?.email ?? entry.by?.name ?? roleOf(entry.actor))],
          [words.team.action, <code key="action">{entry.action}</code>],
          [words.team.target, <Copy key="subject" text={entry.subject} />],
          [words.account.address, entry.address ?? '–'],
          [words.parts.request, entry.requestId ? <Copy key="request" text={entry.requestId} /> : '–'],
        ]}
      />
      {Object.keys(entry.details).length > 0 && <pre class="foreign">{JSON.stringify(entry.details, null, 2)}</pre>}
    </Dialog>
  )
}
