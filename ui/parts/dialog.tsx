// A dialog of the browser: it holds the focus, closes by Escape, and gives the focus back.
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { words } from '../words/index.ts'
import css from './dialog.module.css'

interface Props {
  title: string
  close: () => void
  /** For what needs more room, such as JSON. */
  isWide?: boolean
  children: ComponentChildren
}

/** Open as long as it is rendered. */
export function Dialog({ title, close, isWide = false, children }: Props) {
  const element = useRef<HTMLDialogElement>(null)
  const heading = useId()
  // At once, before the next key: who opens it by a key and goes on typing types into it.
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    // The browser begins at the cross, since it stands first: whoever opens a form wants to write.
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
