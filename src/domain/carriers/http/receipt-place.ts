// The place of a value in a callback: a pointer into the JSON body, a form field, a query parameter, or any of these.
import { at, type Pointer, parsePointer } from './pointer.ts'

export type ReceiptPlace = { kind: 'json'; pointer: Pointer } | { kind: 'form' | 'query' | 'any'; name: string }

/** null if the text names no place. */
export function parsePlace(text: string): ReceiptPlace | null {
  const named = /^(form|query|any):(.{1,100})$/s.exec(text)
  if (named) return { kind: named[1] as 'form' | 'query' | 'any', name: named[2] ?? '' }
  const pointer = text.startsWith('/') ? parsePointer(text) : null
  return pointer && { kind: 'json', pointer }
}

/** The parts of a callback or response that a receipt is read from. */
export interface ReceiptSource {
  json: unknown
  form: URLSearchParams
  query: URLSearchParams
}

/** undefined if no plain value is there. */
export function textAt(source: ReceiptSource, place: ReceiptPlace | null): string | undefined {
  if (place === null) return undefined
  if (place.kind === 'any') return anywhere(source, place.name)
  if (place.kind !== 'json') return source[place.kind].get(place.name) ?? undefined
  return plainAt(source.json, place.pointer)
}

/** Some providers let customers choose the format of callbacks. */
function anywhere({ json, form, query }: ReceiptSource, name: string): string | undefined {
  return plainAt(json, [name]) ?? form.get(name) ?? query.get(name) ?? undefined
}

function plainAt(json: unknown, pointer: Pointer): string | undefined {
  const found = at(json, pointer)
  return ['string', 'number', 'boolean'].includes(typeof found) ? String(found) : undefined
}
