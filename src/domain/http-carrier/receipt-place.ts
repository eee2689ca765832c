// Where in a call something stands: a pointer into its JSON, a field of its form, or a parameter of its query.
import { type Pointer, parsePointer } from './pointer.ts'

export type ReceiptPlace = { kind: 'json'; pointer: Pointer } | { kind: 'form' | 'query'; name: string }

/** null where it is none. */
export function parsePlace(text: string): ReceiptPlace | null {
  const named = /^(form|query):(.{1,100})$/s.exec(text)
  if (named) return { kind: named[1] as 'form' | 'query', name: named[2] ?? '' }
  const pointer = text.startsWith('/') ? parsePointer(text) : null
  return pointer && { kind: 'json', pointer }
}
