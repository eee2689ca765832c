// A search field with the shortcut `/`. The search starts after a pause, not at every letter.
import { useEffect, useRef, useState } from 'preact/hooks'
import { words } from '../words/index.ts'
import { useKeys } from './keys.tsx'
import css from './search.module.css'

const BREATH_MS = 250

interface Props {
  label: string
  value: string
  set: (value: string) => void
}

export function Search({ label, value, set }: Props) {
  const [typed, setTyped] = useState(value)
  const field = useRef<HTMLInputElement>(null)
  useKeys({ '/': [words.keys.search, () => field.current?.focus()] })
  /** The last value given to `set`: when it comes back, more may have been typed, which must not be lost. */
  const handedOn = useRef(value)
  useEffect(() => {
    if (value === handedOn.current) return
    handedOn.current = value
    setTyped(value)
  }, [value])
  useEffect(() => {
    if (typed === handedOn.current) return
    const timer = setTimeout(() => {
      handedOn.current = typed
      set(typed)
    }, BREATH_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <label class={css.search}>
      <span class="hidden">{label}</span>
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
