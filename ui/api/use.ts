// Calls in the life of a screen: what was loaded stays while new data loads, and a change makes what it changed load again.
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
import { type Answer, call, type Input } from './call.ts'
import { CALLS, type Calls } from './calls.ts'
import { Fault, isAway } from './fault.ts'
import { actingIn } from './workspace.ts'

const FRESH_MS = 5_000
const TRY_AGAIN_MS = 3_000

/** Who was signed out meanwhile is asked to sign in, wherever they are. */
function heed(fault: unknown): void {
  if (fault instanceof Fault && fault.status === 401) inBackground(queries.invalidateQueries({ queryKey: ['whoami'] }))
}

export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (fault, { queryKey }) => queryKey[0] !== 'whoami' && heed(fault) }),
  mutationCache: new MutationCache({ onError: heed }),
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      // What the service refuses it refuses again; what nobody answered is asked for until somebody does.
      retry: (_count, fault) => isAway(fault) || (fault instanceof Fault && fault.status === 429),
      retryDelay: (_count, fault) =>
        fault instanceof Fault && fault.retryAfter ? fault.retryAfter * 1_000 : TRY_AGAIN_MS,
      networkMode: 'always',
    },
    // What a change answered may hold a secret: it is kept no longer than it is looked at.
    mutations: { retry: false, networkMode: 'always', gcTime: 0 },
  },
})

type Names = keyof Calls
type Pages = { items: unknown[]; next: string | null }
/** Calls that answer a list, page by page. */
type Listing = { [Name in Names]: Calls[Name]['query'] extends { cursor?: string } ? Name : never }[Names]

export function keyOf<Name extends Names>(name: Name, input?: Input<Name>): unknown[] {
  return input === undefined ? [name] : [name, actingIn(), input]
}

/** What was loaded stays while it is asked for in another way, never while something else is. */
function staying(input: { params?: unknown }) {
  return <Data>(data: Data | undefined, before?: { queryKey: readonly unknown[] }): Data | undefined => {
    // Not the workspace one is in: who is looking stays the same from one to another, and what is of a workspace names it.
    const [, , asked] = (before?.queryKey ?? []) as [unknown?, unknown?, { params?: unknown }?]
    const isSame = JSON.stringify(asked?.params) === JSON.stringify(input.params)
    return isSame ? data : undefined
  }
}

interface Options {
  /** False while something is not known yet that the call needs. */
  when?: boolean
  /** Asks again this often while the screen is looked at. */
  everyMs?: number
}

export function useCall<Name extends Names>(name: Name, input: Input<Name>, { when = true, everyMs }: Options = {}) {
  return useQuery<Answer<Name>, Fault>({
    queryKey: keyOf(name, input),
    queryFn: ({ signal }: { signal: AbortSignal }) => call(name, input, signal),
    enabled: when,
    placeholderData: staying(input),
    ...(everyMs ? { refetchInterval: everyMs } : {}),
  })
}

/** A list, page by page: `items` is all that was loaded so far. */
export function useList<Name extends Listing>(name: Name, input: Input<Name>, { when = true, everyMs }: Options = {}) {
  const query = useInfiniteQuery({
    // Not the key of one answer: pages are kept in another form.
    queryKey: [...keyOf(name, input), 'pages'],
    queryFn: async ({ pageParam, signal }: { pageParam: string | null; signal: AbortSignal }) => {
      const paged = { ...input, query: { ...(input as { query?: object }).query, cursor: pageParam ?? undefined } }
      return (await call(name, paged as Input<Name>, signal)) as Pages
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page: Pages) => page.next,
    enabled: when,
    placeholderData: staying(input),
    ...(everyMs ? { refetchInterval: everyMs } : {}),
  })
  type Item = Answer<Name> extends { items: (infer One)[] } ? One : never
  const items = query.data?.pages.flatMap((page: Pages) => page.items) as Item[] | undefined
  return {
    items,
    fault: (query.error ?? null) as Fault | null,
    isLoading: query.isFetching,
    more: query.hasNextPage ? () => inBackground(query.fetchNextPage()) : null,
  }
}

/** A change. `touches` are the calls whose answers it makes stale; `headers` such as the key that makes it safe to repeat. */
export function useAct<Name extends Names>(
  name: Name,
  touches: readonly Names[] = [],
  headers: Record<string, string> = {},
) {
  const client = useQueryClient()
  return useMutation<Answer<Name>, Fault, Input<Name>>({
    mutationFn: (input: Input<Name>) => call(name, input, undefined, headers),
    onSuccess: () => Promise.all(touches.map((it) => client.invalidateQueries({ queryKey: [it] }))),
  })
}

/** Whether a role may make a call at all: what it may not is not shown. */
export function mayCall(role: string, name: Names): boolean {
  return CALLS[name][2].split(' ').includes(role)
}
