// Loads a query again when a topic of it has changed, one request at a time and with pauses, so that a busy service costs little.
import { useEffect } from 'preact/hooks'
import type { Topic } from '../../src/domain/topics.ts'
import { inBackground } from '../background.ts'
import { queries } from './queries.ts'

/** The pause between two requests of a query. */
const GAP_MS = 2_000
/** All tabs get a change at the same time, so their requests are spread. */
const SPREAD_MS = 300

interface Use {
  topics: readonly Topic[]
  gapMs: number
}

interface LiveQuery {
  filter: { queryKey: readonly unknown[]; exact: true; type: 'active' }
  /** By the components that show the query. */
  uses: Set<Use>
  timer: ReturnType<typeof setTimeout> | undefined
  isRunning: boolean
  /** The shortest pause of the changes during a request; null without one. */
  nextGapMs: number | null
  endedAt: number
}

const live = new Map<string, LiveQuery>()

/** While the component is shown, the query is loaded again after each change of the topics. */
export function useTopics(queryKey: readonly unknown[], topics: readonly Topic[], gapMs = GAP_MS): void {
  const key = JSON.stringify(queryKey)
  useEffect(() => {
    if (topics.length === 0) return
    const query = live.get(key) ?? created(queryKey)
    live.set(key, query)
    const use = { topics, gapMs }
    query.uses.add(use)
    return () => {
      query.uses.delete(use)
      if (query.uses.size > 0) return
      clearTimeout(query.timer)
      live.delete(key)
    }
  }, [key, topics.join(), gapMs])
}

/** To be called for each event of the stream. */
export function reloadTopics(changed: readonly Topic[]): void {
  for (const query of live.values()) {
    const gaps = [...query.uses].filter(({ topics }) => topics.some((it) => changed.includes(it))).map((it) => it.gapMs)
    if (gaps.length > 0) schedule(query, Math.min(...gaps))
  }
}

/** To be called when the stream has started: what was loaded before may be old. */
export function reloadAll(): void {
  for (const query of live.values()) {
    const state = queries.getQueryState(query.filter.queryKey)
    if (state?.data !== undefined && state.fetchStatus === 'idle') schedule(query, 0)
  }
}

function created(queryKey: readonly unknown[]): LiveQuery {
  const filter = { queryKey, exact: true, type: 'active' } as const
  return { filter, uses: new Set(), timer: undefined, isRunning: false, nextGapMs: null, endedAt: -Infinity }
}

function schedule(query: LiveQuery, gapMs: number): void {
  if (query.isRunning) query.nextGapMs = Math.min(query.nextGapMs ?? gapMs, gapMs)
  if (query.isRunning || query.timer !== undefined) return
  const waitMs = Math.max(0, query.endedAt + gapMs * requestsOf(query) - performance.now()) + Math.random() * SPREAD_MS
  query.timer = setTimeout(() => inBackground(reload(query)), waitMs)
}

/** A list is loaded page by page. */
function requestsOf({ filter }: LiveQuery): number {
  return queries.getQueryData<{ pages?: unknown[] }>(filter.queryKey)?.pages?.length ?? 1
}

/** A request that was under way before the change may have the state before it, so its end is awaited. */
async function reload(query: LiveQuery): Promise<void> {
  query.timer = undefined
  query.isRunning = true
  const isUnderWay = queries.isFetching(query.filter) > 0
  await queries.refetchQueries(query.filter, { cancelRefetch: false })
  if (isUnderWay) await queries.refetchQueries(query.filter, { cancelRefetch: false })
  query.isRunning = false
  query.endedAt = performance.now()
  const { nextGapMs } = query
  query.nextGapMs = null
  if (nextGapMs !== null && query.uses.size > 0) schedule(query, nextGapMs)
}
