// The webhook endpoint of each client. The address names the open one.
import { useRouter } from 'wouter-preact'
import type { Client } from '../api/calls.ts'
import { useList } from '../api/use.ts'
import { useCan, useWorkspace } from '../caller.ts'
import { type Column, Table } from '../parts/table.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import { Endpoint } from './endpoint.tsx'

export function Endpoints() {
  const { id } = useWorkspace()
  const { base } = useRouter()
  const can = useCan()
  const [open, setOpen] = useUrlState({ client: '' })
  const list = useList('listClients', { params: { id } })
  return (
    <>
      {can('changeClient') && <p class="quiet">{words.webhooks.openHint}</p>}
      <Table
        {...list}
        caption={words.webhooks.endpoints}
        columns={columns()}
        keyOf={(row) => row.id}
        hrefOf={(row) => `~${base}/webhooks?show=endpoints&client=${row.id}`}
        empty={<p>{words.webhooks.noClients}</p>}
      />
      {open.client !== '' && <Endpoint key={open.client} id={open.client} close={() => setOpen({ client: '' })} />}
    </>
  )
}

const columns = (): Column<Client>[] => [
  {
    head: words.common.client,
    cell: ({ name, mode }) => (
      <>
        <span class="foreign">{name}</span> {mode === 'test' && <span class="mark">{words.clients.test}</span>}
      </>
    ),
  },
  {
    head: words.webhooks.url,
    cell: ({ webhookUrl }) => (
      <span class={webhookUrl ? 'foreign' : 'quiet'}>{webhookUrl ?? words.webhooks.noUrl}</span>
    ),
    wide: true,
  },
]
