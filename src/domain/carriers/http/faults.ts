// What is wrong with a description, and where in it.
import type { Fault } from '../../refusals.ts'
import type { Json } from './call.ts'
import { parsePointer } from './pointer.ts'

export type Place = (string | number)[]

export function fault(path: Place, message: string): Fault {
  return { path, message, code: 'custom' }
}

/** Every text within JSON, with its place. */
export function walk(value: Json, path: Place, visit: (text: string, path: Place) => void): void {
  if (typeof value === 'string') visit(value, path)
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) walk(item, [...path, index], visit)
  else if (typeof value === 'object' && value !== null)
    for (const [name, field] of Object.entries(value)) walk(field, [...path, name], visit)
}

export function judgePointer(text: string | null, path: Place): Fault[] {
  return text === null || parsePointer(text) !== null
    ? []
    : [fault(path, 'Must be a JSON pointer such as /messages/0/id')]
}
