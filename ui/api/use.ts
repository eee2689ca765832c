// Calls of a screen: loaded data stays while new data loads, and a change reloads the lists that it affects.
import { type QueryClient, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/preact-query'
import type { Topic } from '../../src/domain/topics.ts'
import { inBackground } from '../background.ts'
import { useStore } from '../parts/store.ts'
import { closeToast, showToast, type Toast } from '../parts/toast.ts'
import type { Answer, Input } from './address.ts'
import { ApiError } from './api-error.ts'
import { call } from './call.ts'
import { CALLS, type Calls } from './calls.ts'
import { useTopics } from './live-queries.ts'
import { checkError } from './queries.ts'
import { streamState } from './stream.ts'
import { type Undo, undoOf, undoOfCreated } from './undo.ts'
import { currentWorkspace } from './workspace.ts'

/** While the stream is away, live queries are polled. */
const FALLBACK_MS = 15_000

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
  /** Repeats the call when one of these topics has changed. */
  topics?: readonly Topic[]
  /** The pause between two of these repetitions. */
  gapMs?: number
  /** Repeats the call this often while the screen is visible: for values that change with time alone. */
  everyMs?: number
}

const NO_TOPICS: readonly Topic[] = []

/** The options of a query that stays up to date. */
function useUpdates(queryKey: readonly unknown[], { when = true, topics = NO_TOPICS, gapMs, everyMs }: Options) {
  useTopics(queryKey, when ? topics : NO_TOPICS, gapMs)
  const isPolled = useStore(streamState) !== 'on' && topics.length > 0
  const intervalMs = isPolled ? Math.min(everyMs ?? FALLBACK_MS, FALLBACK_MS) : everyMs
  return { enabled: when, ...(intervalMs === undefined ? {} : { refetchInterval: intervalMs }) }
}

export function useCall<Name extends Names>(name: Name, input: Input<Name>, options: Options = {}) {
  const queryKey = keyOf(name, input)
  const updates = useUpdates(queryKey, options)
  return useQuery<Answer<Name>, ApiError>({
    queryKey,
    queryFn: ({ signal }: { signal: AbortSignal }) => call(name, input, signal),
    placeholderData: keepWhileSameTarget(input),
    ...updates,
  })
}

/** A list, page by page: `items` holds all loaded pages. */
export function useList<Name extends Listing>(name: Name, input: Input<Name>, options: Options = {}) {
  // Not the key of a single response: pages have another form.
  const queryKey = [...keyOf(name, input), 'pages']
  const updates = useUpdates(queryKey, options)
  const query = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam, signal }: { pageParam: string | null; signal: AbortSignal }) => {
      const paged = { ...input, query: { ...(input as { query?: object }).query, cursor: pageParam ?? undefined } }
      return (await call(name, paged as Input<Name>, signal)) as Pages
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page: Pages) => page.next,
    placeholderData: keepWhileSameTarget(input),
    ...updates,
  })
  type Item = Answer<Name> extends { items: (infer One)[] } ? One : never
  const items = query.data?.pages.flatMap((page: Pages) => page.items) as Item[] | undefined
  return {
    items,
    pages: query.data?.pages.length ?? 0,
    error: (query.error ?? null) as ApiError | null,
    more: query.hasNextPage ? () => inBackground(query.fetchNextPage()) : null,
  }
}

/** A change, which a toast confirms. `reloads` are the calls to reload after it; `headers` may hold an idempotency key. */
export function useAction<Name extends Names>(
  name: Name,
  reloads: readonly Names[] = [],
  headers: Record<string, string> = {},
) {
  const client = useQueryClient()
  const reload = () => Promise.all(reloads.map((it) => client.invalidateQueries({ queryKey: [it] })))
  return useMutation<Answer<Name>, ApiError, Input<Name>, Undo | null>({
    // Before the change, while the loaded data has the old values.
    onMutate: (input) => undoOf(name, input, cachedBy(client)),
    mutationFn: (input: Input<Name>) => call(name, input, undefined, headers),
    onSuccess: (answer, input, undo) => {
      const { body = {} } = input as { body?: object }
      announce({ change: name, body }, undo ?? undoOfCreated(name, answer), reload)
      return reload()
    },
  })
}

function cachedBy(client: QueryClient) {
  return (name: Names) => client.getQueriesData({ queryKey: [name] }).map(([, data]) => data)
}

function announce(of: Toast['of'], undo: Undo | null, reload: () => Promise<unknown>): void {
  // The person may open another workspace before the undo.
  const workspace = currentWorkspace()
  const headers: Record<string, string> = workspace ? { 'x-workspace': workspace } : {}
  const revert = async ({ name, input }: Undo) => {
    closeToast(toast)
    try {
      await call(name, input as Input<typeof name>, undefined, headers)
      showToast({ of: 'undone', undo: null })
      await reload()
    } catch (error) {
      checkError(error)
      showToast({ of: { error: error instanceof ApiError ? error.message : String(error) }, undo: null })
    }
  }
  const toast: Toast = { of, undo: undo && (() => inBackground(revert(undo))) }
  showToast(toast)
}

/** Whether a role may make a call; other calls are not offered. */
export function canCall(role: string, name: Names): boolean {
  return CALLS[name][2].split(' ').includes(role)
}
