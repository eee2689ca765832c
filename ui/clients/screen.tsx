// The API clients of a workspace.
import { useRouter } from 'wouter-preact'
import type { Client } from '../api/calls.ts'
import { useList } from '../api/use.ts'
import { useCan, useWorkspace } from '../caller.ts'
import { ClientTabs } from '../parts/client-tabs.tsx'
import { Curl } from '../parts/curl.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { foreign } from '../parts/text.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import { NewClient } from './new-client.tsx'
import { ClientState, TestMark } from './state.tsx'

export function Screen() {
  const { id } = useWorkspace()
  const { base } = useRouter()
  const can = useCan()
  const [{ make }, setOpen] = useUrlState({ make: '' })
  const input = { params: { id } }
  const list = useList('listClients', input)
  const canCreate = can('createClient')
  return (
    <Page
      title={words.screens.clients}
      actions={
        <>
          <Curl of="listClients" input={input} />
          {canCreate && (
            <button type="button" class="primary" onClick={() => setOpen({ make: 'client' })}>
              {words.clients.create}
            </button>
          )}
        </>
      }
    >
      <ClientTabs open="clients" />
      <Table
        {...list}
        caption={words.screens.clients}
        columns={columns()}
        keyOf={(row) => row.id}
        hrefOf={(row) => `~${base}/clients/${row.id}`}
        empty={<p>{words.clients.none}</p>}
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
  },
  { head: words.common.status, cell: (client) => <ClientState client={client} /> },
  { head: words.clients.apiKey, cell: ({ keyPrefix }) => <span class="mono">{keyPrefix}…</span>, secondary: true },
  { head: words.clients.brand, cell: ({ brandName }) => foreign(brandName), secondary: true },
  {
    head: words.webhooks.url,
    cell: ({ webhookUrl }) => <span class="quiet">{webhookUrl ?? '–'}</span>,
    wide: true,
    secondary: true,
  },
  { head: words.common.created, cell: ({ createdAt }) => <Moment at={createdAt} style="day" />, secondary: true },
]
