// The toasts on the screen: the newest below. They close after a while, not while the pointer or the focus is on one.
import { useEffect, useState } from 'preact/hooks'
import { words } from '../words/index.ts'
import { Icon } from './icon.tsx'
import { useKeys } from './keys.ts'
import { useStore } from './store.ts'
import { closeToast, type Toast, toasts } from './toast.ts'
import css from './toasts.module.css'

const SHOWN_MS = 6_000
/** Longer, because a person may want to read what was changed first. */
const SHOWN_WITH_UNDO_MS = 20_000

export function Toasts() {
  const shown = useStore(toasts)
  const [isHeld, setHeld] = useState(false)
  const undo = shown.findLast((it) => it.undo)?.undo
  useKeys(undo ? { z: [words.toasts.undo, undo] } : {})
  const hold = () => setHeld(true)
  const release = () => setHeld(false)
  // A closed toast takes the focus away without an event.
  useEffect(release, [shown.length])
  return (
    <ul class={css.list} onPointerEnter={hold} onPointerLeave={release} onFocusIn={hold} onFocusOut={release}>
      {shown.map((toast) => (
        <ToastItem key={toast} toast={toast} isHeld={isHeld} />
      ))}
    </ul>
  )
}

function ToastItem({ toast, isHeld }: { toast: Toast; isHeld: boolean }) {
  const { of, undo } = toast
  const isError = typeof of === 'object' && 'error' in of
  const text = textOf(of)
  useEffect(() => {
    if (text === undefined) closeToast(toast)
    // An error stays until it is closed.
    if (isHeld || isError) return
    const timer = setTimeout(() => closeToast(toast), undo ? SHOWN_WITH_UNDO_MS : SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isHeld])
  if (text === undefined) return null
  return (
    <li class={css.toast}>
      <span class={isError ? 'bad' : 'good'}>
        <Icon name={isError ? 'alert' : 'check'} />
      </span>
      <span class={`foreign ${css.text}`}>{text}</span>
      {undo && (
        <button type="button" class="link" onClick={undo}>
          {words.toasts.undo}
        </button>
      )}
      <button type="button" class="plain" onClick={() => closeToast(toast)} aria-label={words.parts.close}>
        <Icon name="close" />
      </button>
    </li>
  )
}

/** Undefined for a change without a text, which its screen confirms. */
function textOf(of: Toast['of']): string | undefined {
  if (of === 'undone') return words.toasts.undone
  if ('text' in of) return of.text
  if ('error' in of) return words.toasts.undoFailed(of.error)
  const texts: Partial<Record<typeof of.change, string | ((body: never) => string)>> = words.toasts.of
  const text = texts[of.change]
  return typeof text === 'function' ? text(of.body as never) : text
}
