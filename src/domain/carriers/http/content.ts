// The content of a carrier's answer or call: decompressed, though we ask for no compression, as text and as JSON. Some providers compress
// whatever they are asked for, and some begin their JSON with a byte order mark.
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

/** D50: more of an answer or a call is not read, so a small body cannot become a large one. */
export const MOST_CONTENT_BYTES = 1024 * 1024

const DECOMPRESS = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
])

/** null where the content cannot be decompressed, or is too large. */
export function decompress(body: Buffer, encoding: string | string[] | undefined): Buffer | null {
  const name = String(encoding ?? '')
    .trim()
    .toLowerCase()
  // JSON and forms never begin like gzip: then the header is missing.
  const decode = DECOMPRESS.get(name) ?? (isGzip(body) ? gunzipSync : null)
  if (!decode || body.length === 0) return body
  try {
    return decode(body, { maxOutputLength: MOST_CONTENT_BYTES })
  } catch {
    return null
  }
}

function isGzip(body: Buffer): boolean {
  return body[0] === 0x1f && body[1] === 0x8b
}

/** Without its byte order mark. */
export function textOf(body: Uint8Array): string {
  return new TextDecoder().decode(body)
}

/** Where none of these stands, no number is too long. */
const PERHAPS_TOO_LONG = /\d{16}|\d[eE][+-]?\d/

/**
 * undefined where it is no JSON. A number that JavaScript cannot hold stays as it is written: of ids of twenty digits two would be rounded to
 * one, and a receipt would be the wrong message's (D65).
 */
export function readJson(body: Uint8Array): unknown {
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
