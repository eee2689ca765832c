// Carriers, the routing policies of countries, and routes.
import { useState } from 'preact/hooks'
import type { Carrier } from '../api/calls.ts'
import { useCall, useList } from '../api/use.ts'
import { Curl } from '../parts/curl.tsx'
import { boundOf, Health } from '../parts/health.tsx'
import { Page } from '../parts/page.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { foreign, mono } from '../parts/text.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { words } from '../words/index.ts'
import { Countries } from './countries.tsx'
import { NewCarrier } from './new-carrier.tsx'
import { Routes } from './routes.tsx'

const EVERY_MS = 5_000

export function Screen() {
  const [isCreating, setCreating] = useState(false)
  const carriers = useList('listCarriers', {}, { everyMs: EVERY_MS })
  const routes = useList('listRoutes', {})
  const countries = useCall('listCountries', {})
  const presets = useCall('listCarrierPresets', {})
  const isLoaded =
    (carriers.items || carriers.error) && (routes.items || routes.error) && (countries.data || countries.error)
  return (
    <Page
      title={words.screens.carriers}
      actions={
        <>
          <Curl of="listCarriers" input={{}} />
          <button type="button" class="primary" onClick={() => setCreating(true)}>
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
            {...carriers}
            caption={words.carriers.carriers}
            columns={columns()}
            keyOf={({ id }) => id}
            hrefOf={({ id }) => `/carriers/${id}`}
            empty={<p>{words.carriers.none}</p>}
          />
          <Countries countries={countries.data?.items} error={countries.error} />
          <Routes carriers={carriers.items ?? []} routes={routes} />
        </>
      )}
      {isCreating && (presets.data || presets.error) && (
        <NewCarrier presets={presets.data?.items ?? []} close={() => setCreating(false)} />
      )}
    </Page>
  )
}

const columns = (): Column<Carrier>[] => [
  { head: words.carriers.name, cell: ({ name }) => foreign(name) },
  { head: words.common.status, cell: ({ health }) => <Health {...health} />, wide: true },
  { head: words.carriers.binds, cell: ({ state }) => boundOf(state), right: true },
  { head: words.newCarrier.kind, cell: ({ kind }) => kind.toUpperCase(), secondary: true },
  { head: words.carriers.address, cell: (carrier) => <span class="mono">{addressOf(carrier)}</span>, secondary: true },
  {
    head: words.carriers.account,
    cell: (carrier) => (carrier.kind === 'http' ? <span class="quiet">–</span> : mono(carrier.systemId)),
    secondary: true,
  },
]

/** The host of a URL never has a placeholder, so it can be parsed. */
function addressOf(carrier: Carrier): string {
  return carrier.kind === 'http' ? new URL(carrier.http.url).host : `${carrier.host}:${carrier.port}`
}
