// A filter of which one holds, or any.
interface Props {
  /** What it says while any will do. */
  label: string
  value: string
  of: readonly (readonly [value: string, name: string])[]
  set: (value: string) => void
}

export function Choice({ label, value, of, set }: Props) {
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
