// Who is told: the webhook URL of each client. An open one stands in the address.
import { useRouter } from 'wouter-preact'
import type { Client } from '../api/calls.ts'
import { useList } from '../api/use.ts'
import { useMay, useWorkspace } from '../caller.ts'
import { type Column, Table } from '../parts/table.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import { Endpoint } from './endpoint.tsx'

export function Endpoints() {
  const { id } = useWorkspace()
  const { base } = useRouter()
  const may = useMay()
  const [open, setOpen] = useUrlState({ client: '' })
  const { items, fault, more } = useList('listClients', { params: { id } })
  return (
    <>
      {may('changeClient') && <p class="quiet">{words.webhooks.openHint}</p>}
      <Table
        caption={words.webhooks.endpoints}
        columns={columns()}
        rows={items}
        keyOf={(row) => row.id}
        hrefOf={(row) => `~${base}/webhooks?show=receivers&client=${row.id}`}
        fault={fault}
        more={more}
        empty={<p>{words.webhooks.noClients}</p>}
      />
      {open.client !== '' && <Endpoint key={open.client} id={open.client} close={() => setOpen({ client: '' })} />}
    </>
  )
}

const columns = (): Column<Client>[] => [
  {
    head: words.webhooks.client,
    cell: ({ name, mode }) => (
      <>
        <span class="foreign">{name}</span> {mode === 'test' && <span class="mark doubtful">{words.clients.test}</span>}
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
