// What comes in while somebody reads a list. Rows that are shown change where they stand; new ones are counted and wait until the
// reader asks for them, so that nothing moves under the eyes.
import { useQueryClient } from '@tanstack/preact-query'
import { useEffect, useRef, useState } from 'preact/hooks'
import { addressOf } from '../api/call.ts'
import type { Message } from '../api/calls.ts'
import { keyOf } from '../api/use.ts'
import { inBackground } from '../background.ts'
import { useEvents } from '../parts/live.ts'

interface News {
  items: Message[]
  more: number
}

/** A chart is counted anew no more often than this. */
const CHART_MS = 5_000
/** Beyond that nobody counts how many wait; a tab may be open for days. */
const MOST_WAITING = 1_000

interface Following {
  workspaceId: string
  isOn: boolean
  rows: readonly Message[] | undefined
  isLike: (message: Message) => boolean
  /** What is listed: with another filter all begins anew. */
  listed: string
}

export function useTail({ workspaceId, isOn, rows, isLike, listed }: Following) {
  const queries = useQueryClient()
  const [changed, setChanged] = useState<ReadonlyMap<string, Message>>(new Map())
  const [fresh, setFresh] = useState<ReadonlySet<string>>(new Set())
  const [isMore, setMore] = useState(false)
  const chartAt = useRef(0)
  const begin = () => {
    setChanged(new Map())
    setFresh(new Set())
    setMore(false)
  }
  const loadAgain = () => queries.invalidateQueries({ queryKey: keyOf('listMessages') })
  useEffect(begin, [listed])

  const hear = ({ items, more }: News) => {
    const shown = new Set(rows?.map(({ id }) => id))
    const newest = rows?.[0]?.createdAt ?? ''
    const known = items.filter(({ id }) => shown.has(id))
    if (known.length > 0) setChanged((before) => new Map([...before, ...known.map((it) => [it.id, it] as const)]))
    const others = items.filter((it) => !shown.has(it.id) && it.createdAt >= newest && isLike(it))
    if (others.length > 0 && fresh.size < MOST_WAITING)
      setFresh((before) => new Set([...before, ...others.map(({ id }) => id)]))
    if (more > 0 || (others.length > 0 && fresh.size >= MOST_WAITING)) setMore(true)
    if (performance.now() - chartAt.current < CHART_MS) return
    chartAt.current = performance.now()
    inBackground(queries.invalidateQueries({ queryKey: keyOf('countMessagesByHour') }))
  }
  const where = isOn ? addressOf('watchMessages', { params: { id: workspaceId } }) : null
  // Away for a while, it may have missed changes of rows that are shown: those are loaded again, and new ones with them.
  useEvents(where, { messages: hear }, () => inBackground(loadAgain()))

  return {
    rows: rows?.map((row) => latestOf(row, changed.get(row.id))),
    waiting: fresh.size,
    isMore,
    show: async () => {
      await loadAgain()
      begin()
    },
  }
}

/** What was loaded may by now be newer than what was told. */
function latestOf(loaded: Message, told: Message | undefined): Message {
  return told && told.updatedAt >= loaded.updatedAt ? told : loaded
}
