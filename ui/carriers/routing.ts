// The carriers, routes and countries together, as routes and their order need them.
import { useEffect } from 'preact/hooks'
import type { ApiError } from '../api/api-error.ts'
import type { Carrier, Country, Route } from '../api/calls.ts'
import { useCall, useList } from '../api/use.ts'

const MAX_PER_CALL = 100

export interface Routing {
  carriers: readonly Carrier[]
  routes: readonly Route[]
  countries: readonly Country[]
}

/** All pages are loaded: a route that is missing would change the order, and a carrier would seem to have none. */
export function useRouting(): { routing: Routing | undefined; error: ApiError | null } {
  const query = { limit: MAX_PER_CALL }
  const carriers = useList('listCarriers', { query }, { topics: ['carriers', 'settings'] })
  const routes = useList('listRoutes', { query }, { topics: ['settings'] })
  const countries = useCall('listCountries', {}, { topics: ['settings'] })
  useEffect(() => carriers.more?.(), [carriers.items?.length])
  useEffect(() => routes.more?.(), [routes.items?.length])
  const isWhole = carriers.items && routes.items && countries.data && !carriers.more && !routes.more
  return {
    routing: isWhole
      ? { carriers: carriers.items ?? [], routes: routes.items ?? [], countries: countries.data?.items ?? [] }
      : undefined,
    error: carriers.error ?? routes.error ?? countries.error ?? null,
  }
}
