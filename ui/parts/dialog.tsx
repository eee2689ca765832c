// A dialog of the browser: it traps the focus, closes with Escape, and restores the focus.
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { words } from '../words/index.ts'
import css from './dialog.module.css'

interface Props {
  title: string
  close: () => void
  /** For wide content, such as JSON. */
  isWide?: boolean
  children: ComponentChildren
}

/** Open as long as it is rendered. */
export function Dialog({ title, close, isWide = false, children }: Props) {
  const element = useRef<HTMLDialogElement>(null)
  const heading = useId()
  // In the layout effect, so that keys typed right after the shortcut reach the dialog.
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    // The browser would focus the close button, which comes first; a form starts in its first field.
    dialog?.querySelector<HTMLElement>('input:not([type=checkbox]), select, textarea')?.focus()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={element}
      class={isWide ? `${css.dialog} ${css.broad}` : css.dialog}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
    >
      <div class={css.head}>
        <h2 id={heading} class="foreign">
          {title}
        </h2>
        <button type="button" class="plain" onClick={close} aria-label={words.parts.close}>
          ✕
        </button>
      </div>
      <div class="stack">{children}</div>
    </dialog>
  )
}
