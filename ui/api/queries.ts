// The loaded responses of this tab, and when a request is repeated.
import { MutationCache, QueryCache, QueryClient } from '@tanstack/preact-query'
import { inBackground } from '../background.ts'
import { ApiError, isUnreachable } from './api-error.ts'

const STALE_AFTER_MS = 5_000
const RETRY_MS = 3_000

/** Loads the caller again. */
export function checkSession(): void {
  inBackground(queries.invalidateQueries({ queryKey: ['whoami'] }))
}

/** After a 401 the sign-in form is shown on any screen. */
export function checkError(error: unknown): void {
  if (error instanceof ApiError && error.status === 401) checkSession()
}

export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error, { queryKey }) => queryKey[0] !== 'whoami' && checkError(error) }),
  mutationCache: new MutationCache({ onError: checkError }),
  defaultOptions: {
    queries: {
      staleTime: STALE_AFTER_MS,
      // A rejected request stays rejected; a request without a response is retried until there is one.
      retry: (_count, error) => isUnreachable(error) || (error instanceof ApiError && error.status === 429),
      retryDelay: (_count, error) =>
        error instanceof ApiError && error.retryAfter ? error.retryAfter * 1_000 : RETRY_MS,
      networkMode: 'always',
    },
    // The response of a change may hold a secret: it is dropped when the screen is left.
    mutations: { retry: false, networkMode: 'always', gcTime: 0 },
  },
})
