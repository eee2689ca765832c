// Where in a call something stands: a pointer into its JSON, a field of its form, a parameter of its query, or whichever of these has it.
import { at, type Pointer, parsePointer } from './pointer.ts'

export type ReceiptPlace = { kind: 'json'; pointer: Pointer } | { kind: 'form' | 'query' | 'any'; name: string }

/** null where it is none. */
export function parsePlace(text: string): ReceiptPlace | null {
  const named = /^(form|query|any):(.{1,100})$/s.exec(text)
  if (named) return { kind: named[1] as 'form' | 'query' | 'any', name: named[2] ?? '' }
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
  if (place.kind === 'any') return anywhere(source, place.name)
  if (place.kind !== 'json') return source[place.kind].get(place.name) ?? undefined
  return plainAt(source.json, place.pointer)
}

/** A provider may let its customers choose how it calls. */
function anywhere({ json, form, query }: ReceiptSource, name: string): string | undefined {
  return plainAt(json, [name]) ?? form.get(name) ?? query.get(name) ?? undefined
}

function plainAt(json: unknown, pointer: Pointer): string | undefined {
  const found = at(json, pointer)
  return ['string', 'number', 'boolean'].includes(typeof found) ? String(found) : undefined
}
