// Filters of a list: menus and selects for the choices, and a chip for each chosen value. On a phone, one button opens them.
import type { ComponentChildren } from 'preact'
import { useContext, useId } from 'preact/hooks'
import { words } from '../words/index.ts'
import { FilterSheet, InSheet } from './filter-sheet.tsx'
import css from './filters.module.css'
import { capitalize } from './format.ts'
import { Icon } from './icon.tsx'
import { MenuButton } from './menu-button.tsx'
import { useIsNarrow } from './narrow.ts'
import { Dot, type Tone } from './status.tsx'

type Choices = readonly (readonly [value: string, label: string, tone?: Tone])[]

interface BarProps {
  /** Before the filters, also on a phone, such as the search. */
  first?: ComponentChildren
  /** After the filters, also on a phone. */
  last?: ComponentChildren
  /** The filters in use. */
  chosen: readonly ChosenFilter[]
  clear: () => void
  children: ComponentChildren
}

/** The line with the search and the filters; what is chosen is in the line below. */
export function FilterBar({ first, last, chosen, clear, children }: BarProps) {
  const isNarrow = useIsNarrow()
  return (
    <div class="stack">
      <div class={css.bar}>
        {first}
        {isNarrow ? (
          <FilterSheet chosen={chosen.length} clear={clear}>
            {children}
          </FilterSheet>
        ) : (
          children
        )}
        {last}
      </div>
      <ChosenFilters of={chosen} clear={clear} />
    </div>
  )
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
  const isInSheet = useContext(InSheet)
  const choices = (
    <fieldset class={isInSheet ? css.open : undefined}>
      <legend class={isInSheet ? undefined : 'hidden'}>{label}</legend>
      {of.map(([value, name, tone]) => (
        <label key={value} class={css.choice}>
          <input type="checkbox" checked={chosen.includes(value)} onChange={() => toggle(value)} />
          {tone && <Dot tone={tone} />}
          {capitalize(name)}
        </label>
      ))}
    </fieldset>
  )
  if (isInSheet) return choices
  return (
    <MenuButton label={label} chosen={chosen.length}>
      {choices}
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
  label: string
  /** Shown while no value is chosen. */
  any: string
  value: string
  of: readonly (readonly [value: string, name: string])[]
  set: (value: string) => void
}

export function Select({ label, any, value, of, set }: SelectProps) {
  const id = useId()
  const isInSheet = useContext(InSheet)
  return (
    <div class={isInSheet ? css.field : undefined}>
      <label class={isInSheet ? undefined : 'hidden'} for={id}>
        {label}
      </label>
      <select id={id} class={css.select} value={value} onChange={(event) => set(event.currentTarget.value)}>
        <option value="">{any}</option>
        {of.map(([it, name]) => (
          <option key={it} value={it}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}

interface DatesProps {
  from: string
  to: string
  set: (changes: { from?: string; to?: string }) => void
}

export function DateFilter({ from, to, set }: DatesProps) {
  const field = (label: string, value: string, change: (day: string) => void) => (
    <label class={css.field}>
      <span>{label}</span>
      <input type="date" value={value} onChange={(event) => change(event.currentTarget.value)} />
    </label>
  )
  const isInSheet = useContext(InSheet)
  const days = (
    <div class={isInSheet ? css.pair : css.days}>
      {field(words.parts.fromDay, from, (day) => set({ from: day }))}
      {field(words.parts.toDay, to, (day) => set({ to: day }))}
    </div>
  )
  if (isInSheet) return days
  return (
    <MenuButton label={words.parts.date} chosen={[from, to].filter(Boolean).length}>
      {days}
    </MenuButton>
  )
}

export interface ChosenFilter {
  label: string
  value: string
  remove: () => void
}

/** One chip for each filter in use. */
function ChosenFilters({ of, clear }: { of: readonly ChosenFilter[]; clear: () => void }) {
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
