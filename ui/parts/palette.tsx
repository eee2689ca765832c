// ⌘K: search screens and actions by name.
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { words } from '../words/index.ts'
import css from './palette.module.css'

export interface Entry {
  name: string
  act: () => void
}

interface Props {
  entries: readonly Entry[]
  close: () => void
}

export function Palette({ entries, close }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const list = useId()
  useEffect(() => {
    dialog.current?.showModal()
    return () => dialog.current?.close()
  }, [])
  const found = matching(entries, typed)
  const chosen = Math.min(at, found.length - 1)
  const choose = (entry: Entry | undefined) => {
    if (!entry) return
    close()
    entry.act()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      setAt((chosen + step + found.length) % Math.max(1, found.length))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      choose(found[chosen])
    }
  }
  return (
    <dialog ref={dialog} class={css.palette} aria-label={words.shell.palette} onCancel={close}>
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={found.length > 0 ? `${list}-${chosen}` : undefined}
        aria-label={words.shell.palette}
        placeholder={words.shell.palette}
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
      />
      <Options id={list} entries={found} chosen={chosen} choose={choose} />
      {found.length === 0 && <p class={`quiet ${css.entry}`}>{words.parts.noResults}</p>}
    </dialog>
  )
}

interface OptionsProps {
  id: string
  entries: readonly Entry[]
  chosen: number
  choose: (entry: Entry) => void
}

function Options({ id, entries, chosen, choose }: OptionsProps) {
  return (
    <div id={id} role="listbox" aria-label={words.shell.palette} class={css.list}>
      {entries.map((entry, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
        <div
          key={entry.name}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === chosen}
          class={css.entry}
          onClick={() => choose(entry)}
        >
          {entry.name}
        </div>
      ))}
    </div>
  )
}

/** The entries that contain the text; entries that start with it come first. */
function matching(entries: readonly Entry[], typed: string): readonly Entry[] {
  const sought = typed.trim().toLocaleLowerCase()
  const places = entries.map((entry) => ({ entry, place: entry.name.toLocaleLowerCase().indexOf(sought) }))
  return places
    .filter(({ place }) => place >= 0)
    .sort((one, other) => Number(one.place > 0) - Number(other.place > 0))
    .map(({ entry }) => entry)
}
