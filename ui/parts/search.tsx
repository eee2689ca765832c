// A search field with the shortcut `/`. The search starts after a pause, not at every letter.
import { useEffect, useRef, useState } from 'preact/hooks'
import { words } from '../words/index.ts'
import { Icon } from './icon.tsx'
import { useKeys } from './keys.ts'
import css from './search.module.css'

const DELAY_MS = 250

interface Props {
  label: string
  value: string
  set: (value: string) => void
}

export function Search({ label, value, set }: Props) {
  const [typed, setTyped] = useState(value)
  const field = useRef<HTMLInputElement>(null)
  useKeys({ '/': [words.keys.search, () => field.current?.focus()] })
  /** The last value passed to `set`. When it comes back as a prop, text typed meanwhile is kept. */
  const lastSet = useRef(value)
  useEffect(() => {
    if (value === lastSet.current) return
    lastSet.current = value
    setTyped(value)
  }, [value])
  useEffect(() => {
    if (typed === lastSet.current) return
    const timer = setTimeout(() => {
      lastSet.current = typed
      set(typed)
    }, DELAY_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <label class={css.search}>
      <span class="hidden">{label}</span>
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        placeholder={label}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Escape' && field.current?.blur()}
      />
      <kbd aria-hidden="true">/</kbd>
    </label>
  )
}
