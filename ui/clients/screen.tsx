// The API clients of a workspace.
import { useRouter } from 'wouter-preact'
import type { Client } from '../api/calls.ts'
import { useList } from '../api/use.ts'
import { useMay, useWorkspace } from '../caller.ts'
import { Curl } from '../parts/curl.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import { NewClient } from './new-client.tsx'
import { ClientState, TestMark } from './state.tsx'

export function Screen() {
  const { id } = useWorkspace()
  const { base } = useRouter()
  const may = useMay()
  const [{ make }, setOpen] = useUrlState({ make: '' })
  const input = { params: { id } }
  const { items, fault, more } = useList('listClients', input)
  const mayMake = may('createClient')
  return (
    <Page
      title={words.screens.clients}
      actions={
        <>
          <Curl of="listClients" input={input} />
          {mayMake && (
            <button type="button" class="primary" onClick={() => setOpen({ make: 'client' })}>
              {words.clients.create}
            </button>
          )}
        </>
      }
    >
      <Tabs
        label={words.clients.tabs}
        of={[
          ['/clients', words.screens.clients, true],
          ['/requests', words.screens.requests, false],
        ]}
      />
      <Table
        caption={words.screens.clients}
        columns={columns()}
        rows={items}
        keyOf={(row) => row.id}
        hrefOf={(row) => `~${base}/clients/${row.id}`}
        fault={fault}
        more={more}
        empty={<p>{words.clients.none}</p>}
      />
      {mayMake && make !== '' && <NewClient close={() => setOpen({ make: '' })} />}
    </Page>
  )
}

const columns = (): Column<Client>[] => [
  {
    head: words.clients.name,
    cell: ({ name, mode }) => (
      <>
        <span class="foreign">{name}</span> {mode === 'test' && <TestMark />}
      </>
    ),
  },
  { head: words.clients.state, cell: (client) => <ClientState client={client} /> },
  { head: words.clients.key, cell: ({ keyPrefix }) => <span class="mono">{keyPrefix}…</span>, roomy: true },
  { head: words.clients.brand, cell: ({ brandName }) => <span class="foreign">{brandName}</span>, roomy: true },
  {
    head: words.clients.receiver,
    cell: ({ webhookUrl }) => <span class="quiet">{webhookUrl ?? '–'}</span>,
    wide: true,
    roomy: true,
  },
  { head: words.clients.created, cell: ({ createdAt }) => <Moment at={createdAt} style="day" />, roomy: true },
]
