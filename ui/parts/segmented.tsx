// A choice of one of a few values, all visible.
import css from './segmented.module.css'

interface Props<Value extends string> {
  label: string
  isLabelShown?: boolean
  value: string
  of: readonly (readonly [value: Value, name: string])[]
  set: (value: Value) => void
}

export function Segmented<Value extends string>({ label, isLabelShown = false, value, of, set }: Props<Value>) {
  return (
    <fieldset class={isLabelShown ? css.setting : undefined}>
      <legend class={isLabelShown ? 'meta' : 'hidden'}>{label}</legend>
      <div class={css.segmented}>
        {of.map(([it, name]) => (
          <button key={it} type="button" aria-pressed={it === value} onClick={() => set(it)}>
            {name}
          </button>
        ))}
      </div>
    </fieldset>
  )
}
