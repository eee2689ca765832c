// Decodes the body of a carrier's response or callback as text and JSON. Some providers compress without being asked, and some start their
// JSON with a byte order mark.
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

/** D50: no more is read or decompressed, so that a small body cannot expand without limit. */
export const MAX_CONTENT_BYTES = 1024 * 1024

const DECOMPRESS = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
])

/** null if the body cannot be decompressed, or is too large. */
export function decompress(body: Buffer, encoding: string | string[] | undefined): Buffer | null {
  const name = String(encoding ?? '')
    .trim()
    .toLowerCase()
  // JSON and forms never begin like gzip, so the Content-Encoding header is missing.
  const decode = DECOMPRESS.get(name) ?? (isGzip(body) ? gunzipSync : null)
  if (!decode || body.length === 0) return body
  try {
    return decode(body, { maxOutputLength: MAX_CONTENT_BYTES })
  } catch {
    return null
  }
}

function isGzip(body: Buffer): boolean {
  return body[0] === 0x1f && body[1] === 0x8b
}

/** Removes the byte order mark. */
export function readBodyText(body: Uint8Array): string {
  return new TextDecoder().decode(body)
}

/** Without a match, no number is too long for JavaScript. */
const MAYBE_TOO_LONG = /\d{16}|\d[eE][+-]?\d/

/**
 * undefined if the body is not JSON. A number that JavaScript cannot represent stays text: rounding two ids of twenty digits could make them
 * equal, and a receipt would match the wrong message (D65).
 */
export function readJson(body: Uint8Array): unknown {
  const text = readBodyText(body)
  try {
    return MAYBE_TOO_LONG.test(text) ? JSON.parse(text, asWritten) : JSON.parse(text)
  } catch {
    return undefined
  }
}

function asWritten(_name: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source
  if (typeof value !== 'number' || source === undefined) return value
  return Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : source
}
