// The stream of this tab (server-sent events): one connection, for the open workspace or for the service, open while the tab is visible.
import { useEffect, useRef } from 'preact/hooks'
import type { Topic } from '../../src/domain/topics.ts'
import { Store } from '../parts/store.ts'
import { addressOf } from './address.ts'
import type { Message } from './calls.ts'
import { reloadAll, reloadTopics } from './live-queries.ts'
import { checkSession } from './queries.ts'
import { unreachableSince } from './reachability.ts'

/** `off` while the tab is hidden, or where the browser has no EventSource. */
export const streamState = new Store<'off' | 'waiting' | 'on' | 'away'>('off')

export interface MessageUpdates {
  items: Message[]
  more: number
}

interface MessageListener {
  /** Empty: messages of all workspaces. */
  workspaceId: string
  receive: { current: (updates: MessageUpdates) => void }
  /** Called when updates may have been missed. */
  missed: { current: () => void }
}

/** The pause before the stream is opened again, doubled with each failure, and half of it random. */
const FIRST_RETRY_MS = 1_000
const MAX_RETRY_MS = 30_000
/** The server sends a beat every 15 seconds: a connection that is silent for longer is dead. */
const MAX_SILENCE_MS = 40_000

const listeners = new Set<MessageListener>()
/** The workspace of the stream; null for the service, undefined for none. */
let place: string | null | undefined
let source: { events: EventSource; address: string } | null = null
let timer: ReturnType<typeof setTimeout> | undefined
let failures = 0
/** Since the last connection, the tab was hidden or the connection was lost. */
let wasAway = false
let isUpdating = false

/** The stream of a workspace, or with null of the service; undefined: the caller has none. */
export function useStream(workspaceId: string | null | undefined): void {
  useEffect(() => {
    place = workspaceId
    updateSoon()
    document.addEventListener('visibilitychange', update)
    // The server responds again.
    const stopWatching = unreachableSince.watch((since) => since === null && update())
    return () => {
      document.removeEventListener('visibilitychange', update)
      stopWatching()
      place = undefined
      updateSoon()
    }
  }, [workspaceId])
}

/** Subscribes to new and changed messages: of one workspace, of all workspaces with '', or of none with null. */
export function useMessageUpdates(
  workspaceId: string | null,
  receive: (updates: MessageUpdates) => void,
  missed: () => void,
): void {
  const current = useRef({ receive: { current: receive }, missed: { current: missed } })
  current.current.receive.current = receive
  current.current.missed.current = missed
  useEffect(() => {
    if (workspaceId === null) return
    const listener = { workspaceId, ...current.current }
    listeners.add(listener)
    updateSoon()
    return () => {
      listeners.delete(listener)
      updateSoon()
    }
  }, [workspaceId])
}

/** Deferred, so that the stream stays open while one screen replaces another. */
function updateSoon(): void {
  if (isUpdating) return
  isUpdating = true
  setTimeout(() => {
    isUpdating = false
    update()
  })
}

function wantedAddress(): string | null {
  if (place === undefined || document.visibilityState !== 'visible' || typeof EventSource === 'undefined') return null
  const [listener] = listeners
  if (place !== null)
    return addressOf('watchWorkspace', { params: { id: place }, query: listener ? { include: ['messages'] } : {} })
  const messages = listener && { include: ['messages' as const], workspace: listener.workspaceId }
  return addressOf('watchService', { query: messages ?? {} })
}

function update(): void {
  const wanted = wantedAddress()
  if (source?.address === wanted) return
  if (wanted === null) wasAway ||= source !== null
  close()
  if (wanted === null) streamState.set('off')
  else connect(wanted)
}

function close(): void {
  clearTimeout(timer)
  source?.events.close()
  source = null
}

function connect(address: string): void {
  const events = new EventSource(address)
  source = { events, address }
  streamState.set(wasAway ? 'away' : 'waiting')
  const on = (name: string, receive: (data: string) => void) =>
    events.addEventListener(name, (event: Event) => {
      if (source?.events !== events) return
      watchSilence()
      if (event instanceof MessageEvent) receive(event.data)
    })
  on('open', start)
  on('beat', () => {})
  on('changed', (data) => reloadTopics((JSON.parse(data) as { topics: Topic[] }).topics))
  on('messages', (data) => {
    for (const { receive } of listeners) receive.current(JSON.parse(data) as MessageUpdates)
  })
  events.onerror = () => source?.events === events && lose()
  watchSilence()
}

/** The server has sent its first event, so that no later change is missed. */
function start(): void {
  const hasMissed = wasAway
  wasAway = false
  failures = 0
  streamState.set('on')
  reloadAll()
  if (hasMissed) for (const { missed } of listeners) missed.current()
}

function watchSilence(): void {
  clearTimeout(timer)
  timer = setTimeout(lose, MAX_SILENCE_MS)
}

/** A single failure is usual: a server restarts, or a stream has reached its maximum age. After a second one the session is checked. */
function lose(): void {
  close()
  wasAway = true
  failures += 1
  streamState.set('away')
  if (failures > 1) checkSession()
  const pauseMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1))
  timer = setTimeout(update, pauseMs * (0.5 + Math.random() / 2))
}
