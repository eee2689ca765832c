// JSON pointers (RFC 6901), for example `/messages/0/id`.
import { getOwnValue } from '../../own-value.ts'

const DEEPEST = 20
const LONGEST = 200

export type Pointer = readonly string[]

/** null if the text is not a JSON pointer. */
export function parsePointer(text: string): Pointer | null {
  if (text === '') return []
  if (!text.startsWith('/') || text.length > LONGEST || /~(?![01])/.test(text)) return null
  const steps = text.slice(1).split('/')
  return steps.length > DEEPEST ? null : steps.map((it) => it.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** undefined if nothing is there. */
export function at(value: unknown, pointer: Pointer): unknown {
  let here = value
  for (const step of pointer) {
    if (Array.isArray(here)) here = /^(0|[1-9]\d{0,8})$/.test(step) ? here[Number(step)] : undefined
    else if (typeof here === 'object' && here !== null) here = getOwnValue(here as Record<string, unknown>, step)
    else return undefined
  }
  return here
}
