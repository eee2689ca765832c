// Carriers and routes: who takes messages, how each country chooses among them, and who gets which.
import { useState } from 'preact/hooks'
import type { Carrier } from '../api/calls.ts'
import { useCall, useList } from '../api/use.ts'
import { Curl } from '../parts/curl.tsx'
import { boundOf, Health } from '../parts/health.tsx'
import { Page } from '../parts/page.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { words } from '../words/index.ts'
import { Countries } from './countries.tsx'
import { NewCarrier } from './new-carrier.tsx'
import { Routes } from './routes.tsx'

const EVERY_MS = 5_000

export function Screen() {
  const [isMaking, setMaking] = useState(false)
  const { items, fault, more } = useList('listCarriers', {}, { everyMs: EVERY_MS })
  const routes = useList('listRoutes', {})
  const countries = useCall('listCountries', {})
  const presets = useCall('listCarrierPresets', {})
  const isLoaded = (items || fault) && (routes.items || routes.fault) && (countries.data || countries.error)
  return (
    <Page
      title={words.screens.carriers}
      actions={
        <>
          <Curl of="listCarriers" input={{}} />
          <button type="button" class="primary" onClick={() => setMaking(true)}>
            {words.carriers.add}
          </button>
        </>
      }
    >
      {!isLoaded && <Waiting />}
      {isLoaded && (
        <>
          <h2>{words.carriers.carriers}</h2>
          <Table
            caption={words.carriers.carriers}
            columns={columns()}
            rows={items}
            keyOf={({ id }) => id}
            hrefOf={({ id }) => `/carriers/${id}`}
            fault={fault}
            more={more}
            empty={<p>{words.carriers.none}</p>}
          />
          <Countries countries={countries.data?.items} fault={countries.error} />
          <Routes carriers={items ?? []} routes={routes} />
        </>
      )}
      {isMaking && (presets.data || presets.error) && (
        <NewCarrier presets={presets.data?.items ?? []} close={() => setMaking(false)} />
      )}
    </Page>
  )
}

const columns = (): Column<Carrier>[] => [
  { head: words.carriers.name, cell: ({ name }) => <span class="foreign">{name}</span> },
  {
    head: words.now.health,
    cell: ({ health }) => <Health {...health} />,
    wide: true,
  },
  {
    head: words.carriers.binds,
    cell: ({ state }) => boundOf(state),
    right: true,
  },
  {
    head: words.carriers.address,
    cell: (carrier) => <span class="mono">{addressOf(carrier)}</span>,
    roomy: true,
  },
  {
    head: words.carriers.account,
    cell: (carrier) => (
      <span class="mono foreign">
        {carrier.kind === 'http' ? (carrier.http.preset?.name ?? 'http') : carrier.systemId}
      </span>
    ),
    roomy: true,
  },
]

/** No placeholder stands in the host of a URL. */
function addressOf(carrier: Carrier): string {
  return carrier.kind === 'http' ? new URL(carrier.http.url).host : `${carrier.host}:${carrier.port}`
}
