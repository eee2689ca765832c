// Encodes a text as SMS segments: alphabet, count and boundaries (§2.1, §8.4, D3), and forbidden characters (D4).

export const GSM_ESCAPE = 0x1b

/** 128 characters by code; the position of the escape is a filler that no text matches. */
export const GSM_BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'

/** By the code after an escape. */
export const GSM_EXTENSION: ReadonlyMap<number, string> = new Map([
  [0x0a, '\f'],
  [0x14, '^'],
  [0x28, '{'],
  [0x29, '}'],
  [0x2f, '\\'],
  [0x3c, '['],
  [0x3d, '~'],
  [0x3e, ']'],
  [0x40, '|'],
  [0x65, '€'],
])

/** By character: its code, or the escape and its code. */
export const GSM_SEPTETS: ReadonlyMap<string, readonly number[]> = new Map([
  ...Array.from(GSM_BASIC, (character, code): [string, number[]] => [character, [code]]).toSpliced(GSM_ESCAPE, 1),
  ...Array.from(GSM_EXTENSION, ([code, character]): [string, number[]] => [character, [GSM_ESCAPE, code]]),
])

export type Encoding = 'GSM7' | 'UCS2'

export type TextError = 'control_character' | 'lone_surrogate'

export const MAX_SEGMENTS = 6

export function measureText(text: string): { encoding: Encoding; segments: number } {
  const septets = septetCount(text)
  const encoding = septets === null ? 'UCS2' : 'GSM7'
  return { encoding, segments: segmentEnds(text, encoding, septets ?? text.length).length }
}

// D3: a customer pays for the same segments that the carrier gets, because both use the same boundaries.
export function splitText(text: string): { encoding: Encoding; segments: string[] } {
  const septets = septetCount(text)
  const encoding = septets === null ? 'UCS2' : 'GSM7'
  const ends = segmentEnds(text, encoding, septets ?? text.length)
  return { encoding, segments: ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end)) }
}

/** Splits in the given alphabet; GSM-7 only if it can encode the text. With a wide reference the segments have one unit less. */
export function splitTextAs(text: string, encoding: Encoding, { isWide }: { isWide: boolean }): string[] {
  const size = encoding === 'UCS2' ? text.length : (septetCount(text) ?? text.length)
  const ends = segmentEnds(text, encoding, size, isWide ? 1 : 0)
  return ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end))
}

export function isGsm7(text: string): boolean {
  return septetCount(text) !== null
}

// The size of a text in GSM-7; null if one of its characters is not in that alphabet.
export function septetCount(text: string): number | null {
  let total = 0
  for (let at = 0; at < text.length; at++) {
    const septets = septetsOf(text.charCodeAt(at))
    if (septets === 0) return null
    total += septets
  }
  return total
}

// D4 for message texts. Line feed, carriage return and form feed are in the GSM-7 alphabet, and a tab is usual in UCS-2. Other control characters
// have no meaning on a handset, and NUL cannot be stored.
export function textError(text: string): TextError | null {
  if (/[\p{Cc}--[\n\r\f\t]]/v.test(text)) return 'control_character'
  return text.isWellFormed() ? null : 'lone_surrogate'
}

// D4 for every other string, for example a sender, a purpose or a name: one line without control characters.
export function lineError(line: string): TextError | null {
  if (/\p{Cc}/v.test(line)) return 'control_character'
  return line.isWellFormed() ? null : 'lone_surrogate'
}

// Septets in GSM-7, code units in UCS-2: in a single segment, or beside the six octets that join the segments of a long message.
const CAPACITY = {
  GSM7: { alone: 160, joined: 153 },
  UCS2: { alone: 70, joined: 67 },
}

/** §8.4: the length of the longest text in septets or code units. */
export const MAX_TEXT_LENGTH = { GSM7: MAX_SEGMENTS * CAPACITY.GSM7.joined, UCS2: MAX_SEGMENTS * CAPACITY.UCS2.joined }

// The end of each segment. An escape pair or a surrogate pair that would cross a boundary moves to the next segment (D3).
function segmentEnds(text: string, encoding: Encoding, size: number, less = 0): number[] {
  const { alone } = CAPACITY[encoding]
  const joined = CAPACITY[encoding].joined - less
  if (size <= alone) return [text.length]
  const ends: number[] = []
  let filled = 0
  for (let at = 0; at < text.length; ) {
    const codePoint = text.codePointAt(at) ?? 0
    const units = codePoint > 0xffff ? 2 : 1
    const width = encoding === 'GSM7' ? septetsOf(codePoint) : units
    if (filled + width > joined) {
      ends.push(at)
      filled = 0
    }
    filled += width
    at += units
  }
  ends.push(text.length)
  return ends
}

// Septets by code unit, up to the highest in the alphabet (the euro sign); 0 for a character that GSM-7 does not have.
const SEPTETS = new Uint8Array('€'.charCodeAt(0) + 1)

for (const [character, { length }] of GSM_SEPTETS) SEPTETS[character.charCodeAt(0)] = length

function septetsOf(codeUnit: number): number {
  return SEPTETS[codeUnit] ?? 0
}
