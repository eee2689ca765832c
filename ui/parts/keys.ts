// Single keys as short cuts. They do nothing while somebody writes; the help lists those that work at the moment.
import { useLayoutEffect } from 'preact/hooks'

export type Keys = Record<string, readonly [label: string, act: (event: KeyboardEvent) => void]>

const layers = new Set<{ current: Keys }>()

/** What a key does is always what is shown: the next key, however fast it comes, is heard by what the one before has led to. */
export function useKeys(keys: Keys): void {
  useLayoutEffect(() => {
    const layer = { current: keys }
    layers.add(layer)
    return () => void layers.delete(layer)
  })
}

/** What works now, the innermost last. */
export function knownKeys(): [key: string, label: string][] {
  const all = new Map<string, string>()
  for (const { current } of layers) for (const [key, [label]] of Object.entries(current)) all.set(key, label)
  return [...all]
}

export function heedKeys(): () => void {
  const heed = (event: KeyboardEvent) => {
    if (event.defaultPrevented || isWriting(event.target)) return
    const name = event.metaKey || event.ctrlKey ? `⌘${event.key.toLowerCase()}` : event.altKey ? '' : event.key
    act(name, event)
  }
  // ⌘K works everywhere, also where somebody writes.
  const heedAlways = (event: KeyboardEvent) => {
    if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') act('⌘k', event)
  }
  addEventListener('keydown', heedAlways, true)
  addEventListener('keydown', heed)
  return () => {
    removeEventListener('keydown', heedAlways, true)
    removeEventListener('keydown', heed)
  }
}

function act(name: string, event: KeyboardEvent): void {
  // The one that was mounted last goes first: it is the nearest to the reader.
  const layer = [...layers].reverse().find(({ current }) => current[name])
  if (!layer) return
  event.preventDefault()
  layer.current[name]?.[1](event)
}

function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.closest('dialog[open]')) return true
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
}
