// Live updates of a list. Rows change in place; new ones are counted and wait for a click, so that the list does not move.
import { useQueryClient } from '@tanstack/preact-query'
import { useEffect, useRef, useState } from 'preact/hooks'
import { addressOf } from '../api/call.ts'
import type { Message } from '../api/calls.ts'
import { keyOf } from '../api/use.ts'
import { inBackground } from '../background.ts'
import { useEvents } from '../parts/live.ts'

interface MessageUpdates {
  items: Message[]
  more: number
}

/** The chart reloads no more often than this. */
const CHART_MS = 5_000
/** The count stops here, since a tab may be open for days. */
const MAX_UNSEEN = 1_000

interface Options {
  workspaceId: string
  isOn: boolean
  rows: readonly Message[] | undefined
  isLike: (message: Message) => boolean
  /** Identifies the list: another filter resets the updates. */
  listed: string
}

export function useLiveList({ workspaceId, isOn, rows, isLike, listed }: Options) {
  const queries = useQueryClient()
  const [changed, setChanged] = useState<ReadonlyMap<string, Message>>(new Map())
  const [unseen, setUnseen] = useState<ReadonlySet<string>>(new Set())
  const [isMore, setMore] = useState(false)
  const chartAt = useRef(0)
  const reset = () => {
    setChanged(new Map())
    setUnseen(new Set())
    setMore(false)
  }
  const reload = () => queries.invalidateQueries({ queryKey: keyOf('listMessages') })
  useEffect(reset, [listed])

  const receive = ({ items, more }: MessageUpdates) => {
    const shown = new Set(rows?.map(({ id }) => id))
    const newest = rows?.[0]?.createdAt ?? ''
    const known = items.filter(({ id }) => shown.has(id))
    if (known.length > 0) setChanged((before) => new Map([...before, ...known.map((it) => [it.id, it] as const)]))
    const others = items.filter((it) => !shown.has(it.id) && it.createdAt >= newest && isLike(it))
    if (others.length > 0 && unseen.size < MAX_UNSEEN)
      setUnseen((before) => new Set([...before, ...others.map(({ id }) => id)]))
    if (more > 0 || (others.length > 0 && unseen.size >= MAX_UNSEEN)) setMore(true)
    if (performance.now() - chartAt.current < CHART_MS) return
    chartAt.current = performance.now()
    inBackground(queries.invalidateQueries({ queryKey: keyOf('countMessagesByHour') }))
  }
  const where = isOn ? addressOf('watchMessages', { params: { id: workspaceId } }) : null
  // After a reconnect, changes may have been missed: the list is loaded again.
  useEvents(where, { messages: receive }, () => inBackground(reload()))

  return {
    rows: rows?.map((row) => latestOf(row, changed.get(row.id))),
    unseen: unseen.size,
    isMore,
    show: async () => {
      await reload()
      reset()
    },
  }
}

/** A loaded row may be newer than a pushed one. */
function latestOf(loaded: Message, pushed: Message | undefined): Message {
  return pushed && pushed.updatedAt >= loaded.updatedAt ? pushed : loaded
}
