// Server-sent events: one connection per tab, open while the tab is visible, with automatic reconnects.
import { useEffect, useRef } from 'preact/hooks'
import { Store } from './store.ts'

/** `off` while the tab is hidden, or where the browser has no EventSource. */
type LiveState = 'off' | 'waiting' | 'on' | 'away'
export const liveState = new Store<LiveState>('off')

/** Handlers by the name of the event. */
type EventHandlers = Record<string, (data: never) => void>

interface Listener {
  handlers: { current: EventHandlers }
  /** Called after a reconnect: events may have been missed. */
  missed: { current: () => void }
}

/** The browser reconnects by itself, unless the server rejected the connection. */
const RECONNECT_MS = 5_000

const listeners = new Set<Listener>()
let address: string | null = null
let source: EventSource | null = null
let retryTimer: ReturnType<typeof setTimeout> | undefined
let wasDisconnected = false

/** Listens to the events of a URL; `missed` is called when events may have been missed. */
export function useEvents(where: string | null, handlers: EventHandlers, missed: () => void): void {
  const listener = useRef<Listener>({ handlers: { current: handlers }, missed: { current: missed } })
  listener.current.handlers.current = handlers
  listener.current.missed.current = missed
  useEffect(() => {
    if (where === null) return
    const own = listener.current
    listeners.add(own)
    address = where
    reconnect()
    document.addEventListener('visibilitychange', reconnect)
    return () => {
      listeners.delete(own)
      document.removeEventListener('visibilitychange', reconnect)
      if (listeners.size > 0) return
      address = null
      reconnect()
    }
  }, [where])
}

function reconnect(): void {
  const isWanted = address !== null && document.visibilityState === 'visible' && typeof EventSource !== 'undefined'
  if (isWanted && source?.url.endsWith(address ?? '') && source.readyState !== EventSource.CLOSED) return
  clearTimeout(retryTimer)
  if (source) wasDisconnected = true
  source?.close()
  source = null
  liveState.set('off')
  if (isWanted && address) connect(address)
  else if (address === null) wasDisconnected = false
}

function connect(where: string): void {
  const opened = new EventSource(where)
  source = opened
  liveState.set(wasDisconnected ? 'away' : 'waiting')
  opened.onopen = () => {
    liveState.set('on')
    if (wasDisconnected) for (const { missed } of listeners) missed.current()
    wasDisconnected = false
  }
  opened.onerror = () => {
    wasDisconnected = true
    liveState.set('away')
    if (opened.readyState === EventSource.CLOSED) retryTimer = setTimeout(reconnect, RECONNECT_MS)
  }
  for (const name of new Set([...listeners].flatMap(({ handlers }) => Object.keys(handlers.current)))) {
    opened.addEventListener(name, (event: MessageEvent<string>) => {
      for (const { handlers } of listeners) handlers.current[name]?.(JSON.parse(event.data) as never)
    })
  }
}
