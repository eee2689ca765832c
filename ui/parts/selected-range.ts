// The selected rows after a click with Shift.

interface Range {
  rows: readonly string[]
  from: string
  to: string
}

/** The last row decides whether the range is selected. */
export function withRange(ids: ReadonlySet<string>, { rows, from, to }: Range): Set<string> {
  const [first = -1, last = -1] = [rows.indexOf(from), rows.indexOf(to)].toSorted((one, other) => one - other)
  const range = first < 0 ? [to] : rows.slice(first, last + 1)
  const changed = new Set(ids)
  for (const id of range) {
    if (ids.has(to)) changed.delete(id)
    else changed.add(id)
  }
  return changed
}
