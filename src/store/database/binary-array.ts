// Encodes long arrays of a batch in PostgreSQL's binary format, because parsing them as text takes longer than most statements.
// A value that does not fit its type fails before anything is sent.
import { DAY_MS } from '../../domain/durations.ts'

interface ElementType {
  oid: number
  write: (item: unknown) => void
}

/** By the type name in a cast; arrays of other types are sent as text. */
const TYPES: ReadonlyMap<string, ElementType> = new Map(
  Object.entries({
    boolean: { oid: 16, write: writeBoolean },
    bytea: { oid: 17, write: writeBytes },
    bigint: { oid: 20, write: (item) => writeInt64(whole(item, Number.MAX_SAFE_INTEGER)) },
    smallint: { oid: 21, write: (item) => writeInt16(whole(item, 0x7fff)) },
    int: { oid: 23, write: (item) => writeInt32(whole(item, 0x7fff_ffff)) },
    text: { oid: 25, write: writeText },
    date: { oid: 1082, write: (item) => writeInt32(whole((midnight(item) - EPOCH_MS) / DAY_MS, 0x7fff_ffff)) },
    timestamptz: { oid: 1184, write: writeTime },
    uuid: { oid: 2950, write: writeUuid },
    jsonb: { oid: 3802, write: writeJson },
  } satisfies Record<string, ElementType>),
)

/** Null for types without a binary encoder. */
export function binaryArray(typeName: string, items: readonly unknown[]): Buffer | null {
  const type = TYPES.get(typeName)
  if (!type) return null
  size = 0
  reserve(HEAD_BYTES)
  view.setInt32(0, items.length === 0 ? 0 : 1)
  view.setInt32(HAS_NULLS_AT, 0)
  view.setInt32(8, type.oid)
  view.setInt32(12, items.length)
  view.setInt32(16, 1)
  size = items.length === 0 ? EMPTY_BYTES : HEAD_BYTES
  for (let index = 0; index < items.length; index++) {
    const item = items[index]
    if (item === null || item === undefined) writeNull()
    else type.write(item)
  }
  return Buffer.copyBytesFrom(bytes, 0, size)
}

const EPOCH_MS = Date.UTC(2000, 0, 1)

// Dimensions, null flag, element type; then the length and first index of each dimension.
const HAS_NULLS_AT = 4
const EMPTY_BYTES = 12
const HEAD_BYTES = 20

// One buffer for all arrays; it grows when an item might not fit.
let bytes = Buffer.allocUnsafeSlow(65_536)
let view = new DataView(bytes.buffer)
let size = 0

function reserve(more: number): void {
  if (size + more <= bytes.length) return
  const larger = Buffer.allocUnsafeSlow(Math.max(bytes.length * 2, size + more))
  bytes.copy(larger, 0, 0, size)
  bytes = larger
  view = new DataView(larger.buffer)
}

function writeNull(): void {
  reserve(4)
  view.setInt32(size, -1)
  view.setInt32(HAS_NULLS_AT, 1)
  size += 4
}

function writeInt16(value: number): void {
  reserve(6)
  view.setInt32(size, 2)
  view.setInt16(size + 4, value)
  size += 6
}

function writeInt32(value: number): void {
  reserve(8)
  view.setInt32(size, 4)
  view.setInt32(size + 4, value)
  size += 8
}

/** In two halves, which avoids a BigInt per value. */
function writeInt64(value: number): void {
  reserve(12)
  view.setInt32(size, 8)
  view.setInt32(size + 4, Math.floor(value / 2 ** 32))
  view.setUint32(size + 8, value >>> 0)
  size += 12
}

function writeTime(item: unknown): void {
  if (!(item instanceof Date)) throw unfit(item)
  writeInt64(whole((item.getTime() - EPOCH_MS) * 1000, Number.MAX_SAFE_INTEGER))
}

function writeBoolean(item: unknown): void {
  if (typeof item !== 'boolean') throw unfit(item)
  reserve(5)
  view.setInt32(size, 1)
  view.setUint8(size + 4, item ? 1 : 0)
  size += 5
}

function writeBytes(item: unknown): void {
  if (!Buffer.isBuffer(item)) throw unfit(item)
  reserve(4 + item.length)
  view.setInt32(size, item.length)
  item.copy(bytes, size + 4)
  size += 4 + item.length
}

function writeText(item: unknown): void {
  if (typeof item !== 'string') throw unfit(item)
  reserve(4 + item.length * 3)
  const length = bytes.write(item, size + 4)
  view.setInt32(size, length)
  size += 4 + length
}

/** Version 1 of the format is JSON as text. */
function writeJson(item: unknown): void {
  const text = typeof item === 'object' ? JSON.stringify(item) : undefined
  if (text === undefined) throw unfit(item)
  reserve(5 + text.length * 3)
  const length = bytes.write(text, size + 5)
  view.setInt32(size, 1 + length)
  view.setUint8(size + 4, 1)
  size += 5 + length
}

function writeUuid(item: unknown): void {
  if (typeof item !== 'string' || item.length !== 36) throw unfit(item)
  reserve(20)
  view.setInt32(size, 16)
  size += 4
  for (let at = 0; at < 36; at += 2) {
    if (at === 8 || at === 13 || at === 18 || at === 23) {
      if (item[at] !== '-') throw unfit(item)
      at += 1
    }
    const high = HEX_DIGITS[item.charCodeAt(at)] ?? NO_DIGIT
    const low = HEX_DIGITS[item.charCodeAt(at + 1)] ?? NO_DIGIT
    if ((high | low) > 15) throw unfit(item)
    bytes[size++] = (high << 4) | low
  }
}

const NO_DIGIT = 0xff
const HEX_DIGITS = new Uint8Array(128).fill(NO_DIGIT)
for (const digit of '0123456789abcdefABCDEF') HEX_DIGITS[digit.charCodeAt(0)] = Number.parseInt(digit, 16)

function whole(item: unknown, most: number): number {
  if (typeof item !== 'number' || !Number.isInteger(item) || Math.abs(item) > most) throw unfit(item)
  return item
}

/** Of a date such as 2026-11-15. */
function midnight(item: unknown): number {
  if (typeof item !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(item)) throw unfit(item)
  return Date.parse(item)
}

/** Does not show the value: it may be a secret. */
export class UnfitValue extends RangeError {}

function unfit(item: unknown): UnfitValue {
  return new UnfitValue(`a ${typeof item} does not fit the type of its array`)
}
