// Routes in the order in which they are tried: by country, then by priority.

import type { Carrier, Route } from '../api/calls.ts'
import { count } from '../parts/format.ts'
import { SectionHead } from '../parts/page.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { foreign } from '../parts/text.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import { RouteForm } from './route-form.tsx'
import { ALL_COUNTRIES } from './route-order.ts'
import { typesOf } from './route-preview.tsx'
import type { Routing } from './routing.ts'

const NEW = 'new'

export function Routes({ routing }: { routing: Routing }) {
  const { carriers, routes } = routing
  // Other screens link to a new route with its country and carrier chosen.
  const [{ route: open, to, carrier }, setOpen] = useUrlState({ route: '', to: '', carrier: '' })
  const close = () => setOpen({ route: '', to: '', carrier: '' }, { replace: true })
  const chosen = routes.find(({ id }) => id === open)
  const add = carriers.length > 0 && (
    <button type="button" onClick={() => setOpen({ route: NEW })}>
      {words.carriers.addRoute}
    </button>
  )
  return (
    <section class="stack">
      <SectionHead title={words.carriers.routes}>{routes.length > 0 && add}</SectionHead>
      <Table
        caption={words.carriers.routes}
        columns={columns(carriers)}
        items={routes.toSorted(compareRoutes)}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `/carriers?route=${id}`}
        empty={
          <>
            <p>{words.carriers.noRoutes}</p>
            {add && <p>{add}</p>}
          </>
        }
      />
      {(chosen || open === NEW) && carriers.length > 0 && (
        <RouteForm key={open} route={chosen} country={to} carrierId={carrier} routing={routing} close={close} />
      )}
    </section>
  )
}

/** Routes of a country before routes for all countries, then the lowest priority number first. */
export function compareRoutes(one: Route, other: Route): number {
  return (
    Number(one.country === ALL_COUNTRIES) - Number(other.country === ALL_COUNTRIES) ||
    one.country.localeCompare(other.country) ||
    one.priority - other.priority ||
    other.weight - one.weight ||
    one.id.localeCompare(other.id)
  )
}

export function CountryName({ code }: { code: string }) {
  if (code === ALL_COUNTRIES) return <span class="quiet">{words.carriers.otherCountries}</span>
  return <span class="mono">{code}</span>
}

const columns = (carriers: readonly Carrier[]): Column<Route>[] => [
  { head: words.carriers.country, cell: ({ country }) => <CountryName code={country} /> },
  { head: words.carriers.priority, cell: ({ priority }) => count(priority), right: true },
  { head: words.carriers.carrier, cell: (route) => foreign(carriers.find(({ id }) => id === route.carrierId)?.name) },
  {
    head: words.carriers.prefixes,
    cell: ({ prefixes }) =>
      prefixes.length === 0 ? (
        <span class="quiet">{words.carriers.allNumbers}</span>
      ) : (
        <span class="mono">{prefixes.join(' ')}</span>
      ),
    wide: true,
    secondary: true,
  },
  {
    head: words.carriers.types,
    cell: (route) => <span class={route.types === null ? 'quiet' : undefined}>{typesOf(route)}</span>,
    secondary: true,
  },
  { head: words.carriers.weight, cell: ({ weight }) => count(weight), right: true, secondary: true },
]
