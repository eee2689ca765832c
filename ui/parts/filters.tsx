// Filters of a list: chips for one or several values, a select for one value, and a day.
import { Dot, type Tone } from './status.tsx'

interface ChipsProps {
  label: string
  of: readonly (readonly [value: string, label: string, tone?: Tone])[]
  chosen: readonly string[]
  set: (chosen: string[]) => void
}

export function Chips({ label, of, chosen, set }: ChipsProps) {
  const toggle = (value: string) =>
    set(chosen.includes(value) ? chosen.filter((it) => it !== value) : [...chosen, value])
  return (
    <fieldset class="row">
      <legend class="hidden">{label}</legend>
      {of.map(([value, name, tone]) => (
        <button key={value} type="button" aria-pressed={chosen.includes(value)} onClick={() => toggle(value)}>
          {tone && <Dot tone={tone} />}
          {name}
        </button>
      ))}
    </fieldset>
  )
}

interface ChipProps {
  label: string
  of: ChipsProps['of']
  chosen: string
  set: (chosen: string) => void
}

/** Chips of which at most one is chosen. */
export function SingleChips({ chosen, set, ...chips }: ChipProps) {
  return <Chips {...chips} chosen={chosen === '' ? [] : [chosen]} set={(values) => set(values.at(-1) ?? '')} />
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
    <select aria-label={label} value={value} onChange={(event) => set(event.currentTarget.value)}>
      <option value="">{label}</option>
      {of.map(([it, name]) => (
        <option key={it} value={it}>
          {name}
        </option>
      ))}
    </select>
  )
}

export function DayFilter({ label, value, set }: { label: string; value: string; set: (day: string) => void }) {
  return (
    <label class="row">
      <span class="quiet">{label}</span>
      <input type="date" value={value} onChange={(event) => set(event.currentTarget.value)} />
    </label>
  )
}
