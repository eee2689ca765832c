// Whether the window is as narrow as a phone: filters and actions are then behind one button each.
import { Store, useStore } from './store.ts'

/** Just below the width of `(width < 720px)` in the styles, for browsers without that syntax. */
const media = matchMedia('(max-width: 719.98px)')
const isNarrow = new Store(media.matches)
media.addEventListener('change', ({ matches }) => isNarrow.set(matches))

export function useIsNarrow(): boolean {
  return useStore(isNarrow)
}
