// JSON of a carrier, as its answers and receipts are read. A number that JavaScript cannot hold stays as it is written: ids of twenty digits
// are common, and two of them that are rounded to one would be two messages under one id, and a receipt the wrong one's (D65).

import { textOf } from './content.ts'

/** Where none of these stands, no number is too long. */
const PERHAPS_TOO_LONG = /\d{16}|\d[eE][+-]?\d/

/** undefined where it is no JSON. */
export function readJson(body: Buffer): unknown {
  const text = textOf(body)
  try {
    return PERHAPS_TOO_LONG.test(text) ? JSON.parse(text, asWritten) : JSON.parse(text)
  } catch {
    return undefined
  }
}

function asWritten(_name: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source
  if (typeof value !== 'number' || source === undefined) return value
  return Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : source
}
