// Keyboard shortcuts of a single key. They are off in text fields; the help lists the current ones.
import { useLayoutEffect } from 'preact/hooks'

type Keys = Record<string, readonly [label: string, act: (event: KeyboardEvent) => void]>

const layers = new Set<{ current: Keys }>()

/** Bound in the layout effect, so that a fast second key reaches the handlers of the dialog that the first key opened. */
export function useKeys(keys: Keys): void {
  useLayoutEffect(() => {
    const layer = { current: keys }
    layers.add(layer)
    return () => void layers.delete(layer)
  })
}

/** The labels of the current shortcuts, by key. */
export function listKeys(): ReadonlyMap<string, string> {
  const labels = new Map<string, string>()
  for (const { current } of layers) for (const [key, [label]] of Object.entries(current)) labels.set(key, label)
  return labels
}

/** Starts to listen for keys; the result stops it. */
export function listenForKeys(): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || isTyping(event.target)) return
    const name = event.metaKey || event.ctrlKey ? `⌘${event.key.toLowerCase()}` : event.altKey ? '' : event.key
    act(name, event)
  }
  // ⌘K works everywhere, also in text fields.
  const onPaletteKey = (event: KeyboardEvent) => {
    if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') act('⌘k', event)
  }
  addEventListener('keydown', onPaletteKey, true)
  addEventListener('keydown', onKey)
  return () => {
    removeEventListener('keydown', onPaletteKey, true)
    removeEventListener('keydown', onKey)
  }
}

function act(name: string, event: KeyboardEvent): void {
  // The component that was mounted last handles the key.
  const layer = [...layers].reverse().find(({ current }) => current[name])
  if (!layer) return
  event.preventDefault()
  layer.current[name]?.[1](event)
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.closest('dialog[open]')) return true
  // The checkbox of a row: the keys of the list work there too.
  if (target instanceof HTMLInputElement && target.type === 'checkbox' && target.closest('tr')) return false
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
}
