// A dialog of the browser: it traps the focus, closes with Escape, and restores the focus.
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { words } from '../words/index.ts'
import css from './dialog.module.css'
import { Icon } from './icon.tsx'

interface Props {
  title: string
  /** Null where only a button of the content closes it. */
  close: (() => void) | null
  /**
   * `wide` is for wide content, such as JSON. `growing` is for content that grows while it is used: the top of the dialog stays where it is.
   * A `drawer` opens at the side, a `sheet` at the bottom.
   */
  shape?: 'wide' | 'growing' | 'drawer' | 'sheet'
  children: ComponentChildren
}

/** Open as long as it is rendered. */
export function Dialog({ title, close, shape, children }: Props) {
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
      class={`${css.dialog} ${shape ? css[shape] : ''}`}
      aria-labelledby={heading}
      closedby={close ? 'closerequest' : 'none'}
      // A browser lets a page refuse only the first Escape, and older ones ignore closedby.
      onKeyDown={(event) => {
        if (event.key === 'Escape' && close === null) event.preventDefault()
      }}
      onCancel={(event) => {
        event.preventDefault()
        close?.()
      }}
    >
      <div class={css.head}>
        <h2 id={heading} class="foreign">
          {title}
        </h2>
        {close && (
          <button type="button" class={`plain ${css.close}`} onClick={close} aria-label={words.parts.close}>
            <Icon name="close" />
          </button>
        )}
      </div>
      <div class={`stack ${css.body}`}>{children}</div>
    </dialog>
  )
}
