// Filters of a list: chips, of which several may hold at once, and a choice, of which one holds.
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

interface ChoiceProps {
  /** Shown while no value is chosen. */
  label: string
  value: string
  of: readonly (readonly [value: string, name: string])[]
  set: (value: string) => void
}

export function Choice({ label, value, of, set }: ChoiceProps) {
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
