// Filters of a list: menus and selects for the choices, and a chip for each chosen value.
import type { ComponentChildren } from 'preact'
import { words } from '../words/index.ts'
import css from './filters.module.css'
import { capitalize } from './format.ts'
import { Icon } from './icon.tsx'
import { MenuButton } from './menu-button.tsx'
import { Dot, type Tone } from './status.tsx'

type Choices = readonly (readonly [value: string, label: string, tone?: Tone])[]

/** The line with the search and the filters; what is chosen is in the line below. */
export function FilterBar({ children }: { children: ComponentChildren }) {
  return <div class={css.bar}>{children}</div>
}

interface MenuProps {
  label: string
  of: Choices
  chosen: readonly string[]
  set: (chosen: string[]) => void
}

/** A choice of several values. */
export function FilterMenu({ label, of, chosen, set }: MenuProps) {
  const toggle = (value: string) =>
    set(chosen.includes(value) ? chosen.filter((it) => it !== value) : [...chosen, value])
  return (
    <MenuButton label={label} chosen={chosen.length}>
      <fieldset>
        <legend class="hidden">{label}</legend>
        {of.map(([value, name, tone]) => (
          <label key={value} class={css.choice}>
            <input type="checkbox" checked={chosen.includes(value)} onChange={() => toggle(value)} />
            {tone && <Dot tone={tone} />}
            {capitalize(name)}
          </label>
        ))}
      </fieldset>
    </MenuButton>
  )
}

interface ChipsProps {
  label: string
  of: Choices
  chosen: string
  set: (chosen: string) => void
}

/** Visible buttons of which at most one is pressed, for a few values. */
export function SingleChips({ label, of, chosen, set }: ChipsProps) {
  return (
    <fieldset class="row">
      <legend class="hidden">{label}</legend>
      {of.map(([value, name, tone]) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === chosen}
          onClick={() => set(value === chosen ? '' : value)}
        >
          {tone && <Dot tone={tone} />}
          {capitalize(name)}
        </button>
      ))}
    </fieldset>
  )
}

interface SelectProps {
  /** Shown while no value is chosen. */
  label: string
  value: string
  of: readonly (readonly [value: string, name: string])[]
  set: (value: string) => void
}

export function Select({ label, value, of, set }: SelectProps) {
  return (
    <select class={css.select} aria-label={label} value={value} onChange={(event) => set(event.currentTarget.value)}>
      <option value="">{label}</option>
      {of.map(([it, name]) => (
        <option key={it} value={it}>
          {name}
        </option>
      ))}
    </select>
  )
}

interface DatesProps {
  from: string
  to: string
  set: (changes: { from?: string; to?: string }) => void
}

export function DateFilter({ from, to, set }: DatesProps) {
  const field = (label: string, value: string, change: (day: string) => void) => (
    <label class={css.day}>
      <span>{label}</span>
      <input type="date" value={value} onChange={(event) => change(event.currentTarget.value)} />
    </label>
  )
  return (
    <MenuButton label={words.parts.date} chosen={[from, to].filter(Boolean).length}>
      <div class={css.days}>
        {field(words.parts.fromDay, from, (day) => set({ from: day }))}
        {field(words.parts.toDay, to, (day) => set({ to: day }))}
      </div>
    </MenuButton>
  )
}

export interface ChosenFilter {
  label: string
  value: string
  remove: () => void
}

/** One chip for each filter in use. */
export function ChosenFilters({ of, clear }: { of: readonly ChosenFilter[]; clear: () => void }) {
  if (of.length === 0) return null
  return (
    <div class={css.chips}>
      {of.map(({ label, value, remove }) => (
        <span key={label} class={css.chip}>
          {label} <span class={`foreign ${css.value}`}>{value}</span>
          <button type="button" onClick={remove} aria-label={words.parts.removeFilter(label)}>
            <Icon name="close" />
          </button>
        </span>
      ))}
      <button type="button" class="link" onClick={clear}>
        {words.parts.clearFilters}
      </button>
    </div>
  )
}
