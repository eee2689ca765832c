// The selected rows of a list, by id: one by one, a range, or all rows of the page.
import { useEffect, useRef, useState } from 'preact/hooks'
import { withRange } from './selected-range.ts'

/** The limit of one action. */
export const MAX_SELECTED = 1_000

export interface Selection {
  ids: ReadonlySet<string>
  /** With `isRange`, all rows from the one toggled before get the state of this row. */
  toggle: (id: string, isRange: boolean) => void
  /** Selects all rows of the page, or none if all are selected. */
  togglePage: () => void
  set: (ids: Iterable<string>) => void
}

/** `rows` are the ids on the page, in order. `listed` identifies the list: another one has no selected rows. */
export function useSelection(rows: readonly string[], listed: string): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const latest = useRef<string | null>(null)
  const set = (next: Iterable<string>) => setIds(new Set([...next].slice(0, MAX_SELECTED)))
  useEffect(() => {
    setIds(new Set())
    latest.current = null
  }, [listed])
  return {
    ids,
    set,
    toggle: (id, isRange) => {
      const from = isRange && latest.current !== null ? latest.current : id
      set(withRange(ids, { rows, from, to: id }))
      latest.current = id
    },
    togglePage: () => {
      const isAll = rows.every((id) => ids.has(id))
      set(isAll ? [...ids].filter((id) => !rows.includes(id)) : new Set([...ids, ...rows]))
    },
  }
}
