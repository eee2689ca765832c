// Text to bytes and back in the alphabets of short messages (GSM 03.38 §6.2.1, unpacked; SMPP 3.4 §5.2.19).
import { GSM_BASIC, GSM_ESCAPE, GSM_EXTENSION, GSM_SEPTETS } from '../domain/text-encoding.ts'

export type Alphabet = 'gsm' | 'ascii' | 'latin1' | 'ucs2'

const NO_BREAK_SPACE = '\u00a0'

/** Encodes a text; undefined if the alphabet lacks one of its characters. */
export function encodeText(text: string, alphabet: Alphabet): Buffer | undefined {
  switch (alphabet) {
    case 'gsm':
      return encodeGsm(text)
    case 'ascii':
      return encodeBelow(0x80, text)
    case 'latin1':
      return encodeBelow(0x100, text)
    case 'ucs2':
      return Buffer.from(text, 'utf16le').swap16()
    default:
      throw alphabet satisfies never
  }
}

/** Decodes bytes. Never fails: invalid bytes become U+FFFD. */
export function decodeText(bytes: Buffer, alphabet: Alphabet): string {
  switch (alphabet) {
    case 'gsm':
      return decodeGsm(bytes)
    case 'ascii':
      return Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : '\ufffd')).join('')
    case 'latin1':
      return bytes.toString('latin1')
    case 'ucs2':
      // Drops an odd byte at the end.
      return Buffer.from(bytes.subarray(0, bytes.length & ~1))
        .swap16()
        .toString('utf16le')
    default:
      throw alphabet satisfies never
  }
}

/** The alphabet of a data_coding; 0 is the carrier's default. undefined: not text. */
export function alphabetOf(dataCoding: number, carrierDefault: Alphabet): Alphabet | undefined {
  if (dataCoding === 0) return carrierDefault
  if (dataCoding === 1) return 'ascii'
  if (dataCoding === 3) return 'latin1'
  if (dataCoding === 8) return 'ucs2'
  // GSM 03.38 §4: message classes (0x10-0x1F, 0xF0-0xFF) and waiting indications encode the alphabet in a few bits.
  const group = dataCoding & 0xf0
  if (group === 0x10) return gsmGeneralAlphabet(dataCoding)
  if (group === 0xc0 || group === 0xd0) return 'gsm'
  if (group === 0xe0) return 'ucs2'
  if (group === 0xf0) return (dataCoding & 0x04) === 0 ? 'gsm' : undefined
  return undefined
}

function gsmGeneralAlphabet(dataCoding: number): Alphabet | undefined {
  const bits = dataCoding & 0x0c
  if (bits === 0x00) return 'gsm'
  return bits === 0x08 ? 'ucs2' : undefined
}

function encodeGsm(text: string): Buffer | undefined {
  const bytes = []
  for (const character of text) {
    const codes = GSM_SEPTETS.get(character)
    if (codes === undefined) return undefined
    bytes.push(...codes)
  }
  return Buffer.from(bytes)
}

function decodeGsm(bytes: Buffer): string {
  let text = ''
  for (let i = 0; i < bytes.length; i++) {
    const code = bytes.readUInt8(i)
    if (code !== GSM_ESCAPE) {
      text += GSM_BASIC[code] ?? '\ufffd'
      continue
    }
    i += 1
    text += afterEscape(bytes[i])
  }
  return text
}

// GSM 03.38 §6.2.1.1: an unknown escape shows the character of the main table; a second escape is a space.
function afterEscape(code: number | undefined): string {
  if (code === undefined || code === GSM_ESCAPE) return NO_BREAK_SPACE
  return GSM_EXTENSION.get(code) ?? GSM_BASIC[code] ?? '\ufffd'
}

function encodeBelow(limit: number, text: string): Buffer | undefined {
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) >= limit) return undefined
  }
  return Buffer.from(text, 'latin1')
}
