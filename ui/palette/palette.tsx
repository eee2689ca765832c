// ⌘K: the field. It is in the first file of the console, so that no key typed after the shortcut is lost while the results are loading.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '../parts/icon.tsx'
import { words } from '../words/index.ts'
import type * as overlays from './overlays.ts'
import css from './palette.module.css'
import type { Places, PressKey } from './results.tsx'

interface Props extends Places {
  /** Null while it is loading. */
  Results: typeof overlays.Results | null
  close: () => void
}

export function Palette({ Results, close, ...places }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [typed, setTyped] = useState('')
  const [active, setActive] = useState<string | undefined>()
  const press = useRef<PressKey | null>(null)
  /** Enter was pressed before the results were loaded. */
  const isEntered = useRef(false)
  // In the layout effect, so that keys typed right after the shortcut reach the field.
  useLayoutEffect(() => {
    dialog.current?.showModal()
    return () => dialog.current?.close()
  }, [])
  const onKeyDown = (event: KeyboardEvent) => {
    if (!['ArrowDown', 'ArrowUp', 'Enter'].includes(event.key)) return
    event.preventDefault()
    if (press.current) press.current(event.key)
    else isEntered.current = event.key === 'Enter'
  }
  return (
    <dialog ref={dialog} class={css.palette} aria-label={words.shell.palette} onCancel={close}>
      <div class={css.search}>
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-autocomplete="list"
          aria-controls="palette-results"
          aria-activedescendant={active}
          aria-label={words.shell.palette}
          placeholder={words.shell.palette}
          autoComplete="off"
          spellcheck={false}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      {Results ? (
        <Results id="palette-results" {...{ typed, press, isEntered, setActive, close, ...places }} />
      ) : (
        <div
          id="palette-results"
          role="listbox"
          aria-label={words.shell.palette}
          aria-busy="true"
          class={css.results}
        />
      )}
    </dialog>
  )
}
