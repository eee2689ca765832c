// Routes in the order in which they are tried: by country, then by priority.

import type { ApiError } from '../api/api-error.ts'
import type { Carrier, Route } from '../api/calls.ts'
import { count } from '../parts/format.ts'
import { SectionHead } from '../parts/page.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { foreign } from '../parts/text.tsx'
import { useUrlState } from '../parts/url-state.ts'
import { words } from '../words/index.ts'
import { RouteForm } from './route-form.tsx'

const NEW = 'new'

interface Props {
  carriers: readonly Carrier[]
  routes: { items: Route[] | undefined; error: ApiError | null; more: (() => void) | null }
}

export function Routes({ carriers, routes }: Props) {
  const [{ route: open }, setOpen] = useUrlState({ route: '' })
  const close = () => setOpen({ route: '' }, { replace: true })
  const chosen = routes.items?.find(({ id }) => id === open)
  return (
    <>
      <SectionHead title={words.carriers.routes}>
        <button type="button" onClick={() => setOpen({ route: NEW })}>
          {words.carriers.addRoute}
        </button>
      </SectionHead>
      <Table
        {...routes}
        caption={words.carriers.routes}
        columns={columns(carriers)}
        items={routes.items?.toSorted(compareRoutes)}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `/carriers?route=${id}`}
        empty={<p>{words.carriers.noRoutes}</p>}
      />
      {(chosen || open === NEW) && carriers.length > 0 && (
        <RouteForm key={open} route={chosen} carriers={carriers} close={close} />
      )}
    </>
  )
}

/** Routes of a country before routes for all countries, then the lowest priority number first. */
function compareRoutes(one: Route, other: Route): number {
  return (
    Number(one.country === '*') - Number(other.country === '*') ||
    one.country.localeCompare(other.country) ||
    one.priority - other.priority ||
    other.weight - one.weight ||
    one.id.localeCompare(other.id)
  )
}

function Country({ code }: { code: string }) {
  if (code === '*') return <span class="quiet">{words.carriers.otherCountries}</span>
  return <span class="mono">{code}</span>
}

const columns = (carriers: readonly Carrier[]): Column<Route>[] => [
  { head: words.carriers.country, cell: ({ country }) => <Country code={country} /> },
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
    cell: ({ types }) =>
      types === null ? (
        <span class="quiet">{words.carriers.allTypes}</span>
      ) : (
        types.map((type) => words.types[type]).join(', ')
      ),
    secondary: true,
  },
  { head: words.carriers.weight, cell: ({ weight }) => count(weight), right: true, secondary: true },
]
