// Calls of a screen: loaded data stays while new data loads, and a change reloads the lists that it affects.
import {
  MutationCache,
  QueryCache,
  QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/preact-query'
import { inBackground } from '../background.ts'
import { ApiError, isUnreachable } from './api-error.ts'
import { type Answer, call, type Input } from './call.ts'
import { CALLS, type Calls } from './calls.ts'
import { currentWorkspace } from './workspace.ts'

const STALE_AFTER_MS = 5_000
const RETRY_MS = 3_000

/** After a 401 the sign-in form is shown on any screen. */
function checkSession(error: unknown): void {
  if (error instanceof ApiError && error.status === 401)
    inBackground(queries.invalidateQueries({ queryKey: ['whoami'] }))
}

export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error, { queryKey }) => queryKey[0] !== 'whoami' && checkSession(error) }),
  mutationCache: new MutationCache({ onError: checkSession }),
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

type Names = keyof Calls
type Pages = { items: unknown[]; next: string | null }
/** Calls that return a list, page by page. */
type Listing = { [Name in Names]: Calls[Name]['query'] extends { cursor?: string } ? Name : never }[Names]

export function keyOf<Name extends Names>(name: Name, input?: Input<Name>): unknown[] {
  return input === undefined ? [name] : [name, currentWorkspace(), input]
}

/** Loaded data stays while the query changes, not when the path parameters change. */
function keepWhileSameTarget(input: { params?: unknown }) {
  return <Data>(data: Data | undefined, before?: { queryKey: readonly unknown[] }): Data | undefined => {
    // The workspace is not compared: the caller stays the same in all of them, and data of a workspace has its ID as a parameter.
    const [, , previous] = (before?.queryKey ?? []) as [unknown?, unknown?, { params?: unknown }?]
    const isSame = JSON.stringify(previous?.params) === JSON.stringify(input.params)
    return isSame ? data : undefined
  }
}

interface Options {
  /** False while an input of the call is not known yet. */
  when?: boolean
  /** Repeats the call this often while the screen is visible. */
  everyMs?: number
}

export function useCall<Name extends Names>(name: Name, input: Input<Name>, { when = true, everyMs }: Options = {}) {
  return useQuery<Answer<Name>, ApiError>({
    queryKey: keyOf(name, input),
    queryFn: ({ signal }: { signal: AbortSignal }) => call(name, input, signal),
    enabled: when,
    placeholderData: keepWhileSameTarget(input),
    ...(everyMs ? { refetchInterval: everyMs } : {}),
  })
}

/** A list, page by page: `items` holds all loaded pages. */
export function useList<Name extends Listing>(name: Name, input: Input<Name>, { when = true, everyMs }: Options = {}) {
  const query = useInfiniteQuery({
    // Not the key of a single response: pages have another form.
    queryKey: [...keyOf(name, input), 'pages'],
    queryFn: async ({ pageParam, signal }: { pageParam: string | null; signal: AbortSignal }) => {
      const paged = { ...input, query: { ...(input as { query?: object }).query, cursor: pageParam ?? undefined } }
      return (await call(name, paged as Input<Name>, signal)) as Pages
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page: Pages) => page.next,
    enabled: when,
    placeholderData: keepWhileSameTarget(input),
    ...(everyMs ? { refetchInterval: everyMs } : {}),
  })
  type Item = Answer<Name> extends { items: (infer One)[] } ? One : never
  const items = query.data?.pages.flatMap((page: Pages) => page.items) as Item[] | undefined
  return {
    items,
    error: (query.error ?? null) as ApiError | null,
    more: query.hasNextPage ? () => inBackground(query.fetchNextPage()) : null,
  }
}

/** A change. `reloads` are the calls to reload after it; `headers` may hold an idempotency key. */
export function useAction<Name extends Names>(
  name: Name,
  reloads: readonly Names[] = [],
  headers: Record<string, string> = {},
) {
  const client = useQueryClient()
  return useMutation<Answer<Name>, ApiError, Input<Name>>({
    mutationFn: (input: Input<Name>) => call(name, input, undefined, headers),
    onSuccess: () => Promise.all(reloads.map((it) => client.invalidateQueries({ queryKey: [it] }))),
  })
}

/** Whether a role may make a call; other calls are not offered. */
export function canCall(role: string, name: Names): boolean {
  return CALLS[name][2].split(' ').includes(role)
}
