// Live updates of a list. Rows change in place; new ones are counted and wait for a click, so that the list does not move.
import { useQueryClient } from '@tanstack/preact-query'
import { useEffect, useState } from 'preact/hooks'
import type { Message } from '../api/calls.ts'
import { type MessageUpdates, useMessageUpdates } from '../api/stream.ts'
import { keyOf } from '../api/use.ts'
import { inBackground } from '../background.ts'
import type { ListedMessage } from './source.ts'

/** The count stops here, since a tab may be open for days. */
const MAX_UNSEEN = 1_000

interface Options {
  /** Empty: messages of all workspaces. */
  workspaceId: string
  isLive: boolean
  rows: readonly ListedMessage[] | undefined
  isLike: (message: Message) => boolean
  /** Identifies the list: another filter resets the updates. */
  listed: string
}

export function useLiveList({ workspaceId, isLive, rows, isLike, listed }: Options) {
  const queries = useQueryClient()
  const [changed, setChanged] = useState<ReadonlyMap<string, Message>>(new Map())
  const [unseen, setUnseen] = useState<ReadonlySet<string>>(new Set())
  const [isMore, setMore] = useState(false)
  const reset = () => {
    setChanged(new Map())
    setUnseen(new Set())
    setMore(false)
  }
  const reload = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: keyOf('listMessages') }),
      queries.invalidateQueries({ queryKey: keyOf('listAllMessages') }),
    ])
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
  }
  // After a reconnect, changes may have been missed: the list is loaded again.
  useMessageUpdates(isLive ? workspaceId : null, receive, () => inBackground(reload()))

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

/** A loaded row may be newer than a pushed one, which has no name of the workspace. */
function latestOf(loaded: ListedMessage, pushed: Message | undefined): ListedMessage {
  return pushed && pushed.updatedAt >= loaded.updatedAt ? { ...loaded, ...pushed } : loaded
}
