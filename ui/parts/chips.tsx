// Filters of which several may hold at once.
import { Dot, type Tone } from './status.tsx'

interface Props {
  label: string
  of: readonly (readonly [value: string, label: string, tone?: Tone])[]
  chosen: readonly string[]
  set: (chosen: string[]) => void
}

export function Chips({ label, of, chosen, set }: Props) {
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
