// Carriers, the routing policies of countries, and routes.
import { Link } from 'wouter-preact'
import type { Carrier, Route } from '../api/calls.ts'
import { ApiButton } from '../parts/api-button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { count } from '../parts/format.ts'
import { boundOf, Health } from '../parts/health.tsx'
import { Icon } from '../parts/icon.tsx'
import { Page, SectionHead } from '../parts/page.tsx'
import { Pill } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { foreign } from '../parts/text.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { words } from '../words/index.ts'
import { Countries } from './countries.tsx'
import { ALL_COUNTRIES } from './route-order.ts'
import { Routes } from './routes.tsx'
import { useRouting } from './routing.ts'

export function Screen() {
  const { routing, error } = useRouting()
  return (
    <Page
      title={words.screens.carriers}
      more={<ApiButton of="listCarriers" input={{}} />}
      actions={routing?.carriers.length !== 0 && <AddCarrier />}
    >
      {error && !routing && <ErrorNote error={error} />}
      {!routing && !error && <Waiting />}
      {routing && (
        <>
          <section class="stack">
            <SectionHead title={words.carriers.carriers} />
            <Table
              caption={words.carriers.carriers}
              columns={columns(routing.routes)}
              items={routing.carriers}
              keyOf={({ id }) => id}
              hrefOf={({ id }) => `/carriers/${id}`}
              empty={
                <>
                  <p>{words.carriers.none}</p>
                  <p>
                    <AddCarrier />
                  </p>
                </>
              }
            />
          </section>
          <Countries countries={routing.countries} />
          <Routes routing={routing} />
        </>
      )}
    </Page>
  )
}

function AddCarrier() {
  return (
    <Link href="/carriers/new" class="button primary">
      <Icon name="plus" />
      {words.carriers.add}
    </Link>
  )
}

const columns = (routes: readonly Route[]): Column<Carrier>[] => [
  { head: words.carriers.name, cell: ({ name }) => foreign(name), sortBy: ({ name }) => name },
  { head: words.common.status, cell: ({ health }) => <Health {...health} />, wide: true },
  { head: words.newCarrier.kind, cell: ({ kind }) => kind.toUpperCase(), secondary: true },
  { head: words.carriers.binds, cell: ({ state }) => boundOf(state), right: true },
  { head: words.carriers.routes, cell: ({ id }) => <RoutesOf routes={routes.filter((it) => it.carrierId === id)} /> },
  {
    head: words.now.perSecond,
    cell: ({ state }) => count(Math.round(state.reduce((sum, it) => sum + it.segmentsPerSecond, 0))),
    right: true,
    secondary: true,
  },
]

/** The countries of the routes; a carrier without a route says so. */
function RoutesOf({ routes }: { routes: readonly Route[] }) {
  if (routes.length === 0) return <Pill tone="warn" word={words.carriers.noRoute} />
  const codes = [...new Set(routes.map(({ country }) => country))].sort()
  return foreign(codes.map((code) => (code === ALL_COUNTRIES ? words.carriers.otherCountries : code)).join(', '))
}
