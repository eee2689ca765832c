// The kinds of value a PDU is made of (SMPP 3.4 §3.1): how each is judged, sized, written and read.

export type Field<T> = {
  /** What goes on the wire where nothing was set: the specification's NULL. */
  readonly zero: T
  /** Set where every value takes the same room. */
  readonly fixedBytes?: number
  /** Why the value must not be written, or undefined. */
  problem(value: T): string | undefined
  size(value: T): number
  write(value: T, into: Buffer, at: number): void
  /** undefined where the bytes end before the value does. */
  read(from: Buffer, at: number): T | undefined
}

export type ValueOf<F> = F extends Field<infer T> ? T : never

export const uint8: Field<number> = integer(1)
export const uint16: Field<number> = integer(2)
export const uint32: Field<number> = integer(4)

function integer(bytes: 1 | 2 | 4): Field<number> {
  const highest = 2 ** (8 * bytes) - 1
  return {
    zero: 0,
    fixedBytes: bytes,
    problem: (value) =>
      Number.isInteger(value) && value >= 0 && value <= highest ? undefined : `is not an integer of 0 to ${highest}`,
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
 * Text that ends with a NUL; `maxBytes` counts the NUL, as the specification does.
 * The limit binds only what we write: a peer's longer value is read as it is, the frame bounds it.
 */
export function cString(maxBytes: number): Field<string> {
  return {
    zero: '',
    problem(value) {
      if (value.length >= maxBytes) return `is longer than ${maxBytes - 1} characters`
      // A NUL would end the field early and shift all that follows: one in source_addr rewrites the destination.
      return isAsciiWithoutNul(value) ? undefined : 'holds a NUL or a character that is not ASCII'
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

/** A C-string that is the last value of its place, where the bytes' end is as good an end as the NUL some peers forget. */
export function lastCString(maxBytes: number): Field<string> {
  return {
    ...cString(maxBytes),
    read(from, at) {
      const end = from.indexOf(0, at)
      return from.toString('latin1', at, end < 0 ? from.length : end)
    },
  }
}

/** Bytes with their count in one octet before them: sm_length and short_message. What is read is a view of the frame. */
export function countedOctets(maxBytes: number): Field<Buffer> {
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

/** Bytes up to the end of their place: the value of a TLV. What is read is a view of the frame. */
export function octets(maxBytes: number): Field<Buffer> {
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
