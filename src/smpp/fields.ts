// The field types of PDUs (SMPP 3.4 §3.1): validation, size, writing and reading.

export type PduField<T> = {
  /** The value of an omitted field: the specification's NULL. */
  readonly zero: T
  /** Set for fields of a fixed size. */
  readonly fixedBytes?: number
  /** Why the value is invalid, or undefined. */
  problem(value: T): string | undefined
  size(value: T): number
  write(value: T, into: Buffer, at: number): void
  /** undefined: the bytes end too early. */
  read(from: Buffer, at: number): T | undefined
}

export type ValueOf<F> = F extends PduField<infer T> ? T : never

export const uint8: PduField<number> = integer(1)
export const uint16: PduField<number> = integer(2)
export const uint32: PduField<number> = integer(4)

function integer(bytes: 1 | 2 | 4): PduField<number> {
  const highest = 2 ** (8 * bytes) - 1
  return {
    zero: 0,
    fixedBytes: bytes,
    problem: (value) =>
      Number.isInteger(value) && value >= 0 && value <= highest ? undefined : `is not an integer from 0 to ${highest}`,
    size: () => bytes,
    write(value, into, at) {
      if (bytes === 1) into[at] = value
      else into.writeUIntBE(value, at, bytes)
    },
    read(from, at) {
      if (bytes === 1) return from[at]
      return at + bytes > from.length ? undefined : from.readUIntBE(at, bytes)
    },
  }
}

/**
 * NUL-terminated text; `maxBytes` includes the NUL, as in the specification. The limit applies to writing only: longer values of a peer
 * are read in full.
 */
export function cString(maxBytes: number): PduField<string> {
  return {
    zero: '',
    problem(value) {
      if (value.length >= maxBytes) return `is longer than ${maxBytes - 1} characters`
      // A NUL would end the field early and shift the following fields: one in source_addr rewrites the destination.
      return isAsciiWithoutNul(value) ? undefined : 'contains a NUL or a non-ASCII character'
    },
    size: (value) => value.length + 1,
    write(value, into, at) {
      for (let i = 0; i < value.length; i++) into[at + i] = value.charCodeAt(i)
      into[at + value.length] = 0
    },
    read(from, at) {
      const end = from.indexOf(0, at)
      return end < 0 ? undefined : from.toString('latin1', at, end)
    },
  }
}

/** A C-string at the end of its container, where some peers omit the NUL. */
export function lastCString(maxBytes: number): PduField<string> {
  return {
    ...cString(maxBytes),
    read(from, at) {
      const end = from.indexOf(0, at)
      return from.toString('latin1', at, end < 0 ? from.length : end)
    },
  }
}

/** Bytes after a one-byte length: sm_length and short_message. Reads return a view of the frame. */
export function countedOctets(maxBytes: number): PduField<Buffer> {
  return {
    ...octets(maxBytes),
    size: (value) => 1 + value.length,
    write(value, into, at) {
      into[at] = value.length
      into.set(value, at + 1)
    },
    read(from, at) {
      const length = from[at]
      if (length === undefined || at + 1 + length > from.length) return undefined
      return from.subarray(at + 1, at + 1 + length)
    },
  }
}

/** Bytes up to the end of the container: the value of a TLV. Reads return a view of the frame. */
export function octets(maxBytes: number): PduField<Buffer> {
  return {
    zero: Buffer.alloc(0),
    problem: (value) => (value.length > maxBytes ? `is longer than ${maxBytes} bytes` : undefined),
    size: (value) => value.length,
    write: (value, into, at) => into.set(value, at),
    read: (from, at) => from.subarray(at),
  }
}

function isAsciiWithoutNul(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0 || code > 0x7f) return false
  }
  return true
}
