// The address holds filters, tabs and open rows: it can be shared, and Back undoes a choice.
import { useSearchParams } from 'wouter-preact'

/** The parameters of a screen with their defaults; a list holds several values. */
type Usual = Record<string, string | readonly string[]>
type Chosen<Of extends Usual> = { [Key in keyof Of]: Of[Key] extends string ? string : string[] }

export function useUrlState<const Of extends Usual>(
  usual: Of,
): [Chosen<Of>, (changes: Partial<Chosen<Of>>, how?: { replace: boolean }) => void] {
  const [params, setParams] = useSearchParams()
  const chosen = Object.fromEntries(
    Object.entries(usual).map(([key, value]) => [
      key,
      typeof value === 'string' ? (params.get(key) ?? value) : params.getAll(key),
    ]),
  ) as Chosen<Of>
  const change = (changes: Partial<Chosen<Of>>, how = { replace: false }) =>
    setParams((before: URLSearchParams) => {
      const after = new URLSearchParams(before)
      for (const [key, value] of Object.entries(changes)) {
        after.delete(key)
        for (const one of Array.isArray(value) ? value : [value]) {
          if (one !== undefined && one !== '' && one !== usual[key]) after.append(key, one)
        }
      }
      return after
    }, how)
  return [chosen, change]
}
