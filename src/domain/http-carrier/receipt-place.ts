// Where in a call something stands: a pointer into its JSON, a field of its form, or a parameter of its query.
import { at, type Pointer, parsePointer } from './pointer.ts'

export type ReceiptPlace = { kind: 'json'; pointer: Pointer } | { kind: 'form' | 'query'; name: string }

/** null where it is none. */
export function parsePlace(text: string): ReceiptPlace | null {
  const named = /^(form|query):(.{1,100})$/s.exec(text)
  if (named) return { kind: named[1] as 'form' | 'query', name: named[2] ?? '' }
  const pointer = text.startsWith('/') ? parsePointer(text) : null
  return pointer && { kind: 'json', pointer }
}

/** What one report is read from. */
export interface ReceiptSource {
  json: unknown
  form: URLSearchParams
  query: URLSearchParams
}

/** undefined where nothing plain is there. */
export function wordAt(source: ReceiptSource, place: ReceiptPlace | null): string | undefined {
  if (place === null) return undefined
  if (place.kind !== 'json') return source[place.kind].get(place.name) ?? undefined
  const found = at(source.json, place.pointer)
  return ['string', 'number', 'boolean'].includes(typeof found) ? String(found) : undefined
}
