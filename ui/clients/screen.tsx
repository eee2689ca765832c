// The API clients of a workspace.
import { useRouter } from 'wouter-preact'
import type { Client } from '../api/calls.ts'
import { useList } from '../api/use.ts'
import { useCan, useWorkspace } from '../caller.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { capitalize } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { foreign } from '../parts/text.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import { KeyPrefix } from './keys.tsx'
import { NewClient } from './new-client.tsx'
import { ClientState, TestMark } from './state.tsx'

export function Screen() {
  const { id } = useWorkspace()
  const { base } = useRouter()
  const can = useCan()
  const [{ make }, setOpen] = useUrlState({ make: '' })
  const input = { params: { id } }
  const list = useList('listClients', input, { topics: ['settings'] })
  const canCreate = can('createClient')
  return (
    <Page
      title={words.screens.clients}
      more={<ApiButton of="listClients" input={input} />}
      actions={
        canCreate && (
          <button type="button" class="primary" onClick={() => setOpen({ make: 'client' })}>
            <Icon name="plus" />
            {words.clients.create}
          </button>
        )
      }
    >
      <Table
        {...list}
        caption={words.screens.clients}
        columns={columns()}
        keyOf={(row) => row.id}
        hrefOf={(row) => `~${base}/clients/${row.id}`}
        empty={
          <>
            <p>{words.clients.none}</p>
            {canCreate && (
              <button type="button" onClick={() => setOpen({ make: 'client' })}>
                <Icon name="plus" />
                {words.clients.create}
              </button>
            )}
          </>
        }
      />
      {canCreate && make !== '' && <NewClient close={() => setOpen({ make: '' })} />}
    </Page>
  )
}

const columns = (): Column<Client>[] => [
  {
    head: words.common.name,
    cell: ({ name, mode }) => (
      <>
        {foreign(name)} {mode === 'test' && <TestMark />}
      </>
    ),
    sortBy: ({ name }) => name,
  },
  { head: words.common.status, cell: (client) => <ClientState client={client} /> },
  {
    head: words.clients.key,
    cell: ({ keys }) => (
      <span class="row">
        {keys.map(({ id, prefix }) => (
          <KeyPrefix key={id} of={prefix} />
        ))}
      </span>
    ),
    secondary: true,
  },
  { head: words.clients.types, cell: ({ restrictions: { types } }) => typesOf(types), secondary: true },
  {
    head: words.clients.endpoint,
    cell: ({ webhookUrl }) => <span class="quiet mono">{webhookUrl ?? '–'}</span>,
    wide: true,
    secondary: true,
  },
  {
    head: words.common.created,
    cell: ({ createdAt }) => <Moment at={createdAt} style="day" />,
    secondary: true,
    right: true,
  },
]

function typesOf(types: Client['restrictions']['types']): string {
  return types === null ? words.clients.allTypes : types.map((type) => capitalize(words.types[type])).join(', ')
}
