// What happens, as it happens: one connection per tab, only while somebody looks at it. It comes back by itself, and says when it
// is away.
import { useEffect, useRef } from 'preact/hooks'
import { Store } from './store.ts'

/** `off` while nobody looks, or the browser has no such thing. */
export type LiveState = 'off' | 'waiting' | 'on' | 'away'
export const liveState = new Store<LiveState>('off')

/** By the name of an event: what to do with what it says. */
type Heard = Record<string, (data: never) => void>

interface Listener {
  heard: { current: Heard }
  /** It was away for a while: what happened meanwhile nobody has heard. */
  missed: { current: () => void }
}

/** The browser tries again by itself, unless it was refused. */
const AGAIN_MS = 5_000

const listeners = new Set<Listener>()
let address: string | null = null
let source: EventSource | null = null
let again: ReturnType<typeof setTimeout> | undefined
let wasAway = false

/** While `where` is an address, what comes from there is heard; `missed` is called when something may not have been. */
export function useEvents(where: string | null, heard: Heard, missed: () => void): void {
  const listener = useRef<Listener>({ heard: { current: heard }, missed: { current: missed } })
  listener.current.heard.current = heard
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
  clearTimeout(again)
  if (source) wasAway = true
  source?.close()
  source = null
  liveState.set('off')
  if (isWanted && address) connect(address)
  else if (address === null) wasAway = false
}

function connect(where: string): void {
  const opened = new EventSource(where)
  source = opened
  liveState.set(wasAway ? 'away' : 'waiting')
  opened.onopen = () => {
    liveState.set('on')
    if (wasAway) for (const { missed } of listeners) missed.current()
    wasAway = false
  }
  opened.onerror = () => {
    wasAway = true
    liveState.set('away')
    if (opened.readyState === EventSource.CLOSED) again = setTimeout(reconnect, AGAIN_MS)
  }
  for (const name of new Set([...listeners].flatMap(({ heard }) => Object.keys(heard.current)))) {
    opened.addEventListener(name, (event: MessageEvent<string>) => {
      for (const { heard } of listeners) heard.current[name]?.(JSON.parse(event.data) as never)
    })
  }
}
