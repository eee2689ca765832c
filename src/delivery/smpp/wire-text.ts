// Encodes and splits a text for one carrier, never into more segments than were charged (D3).

import { asciiEquivalent } from '../../domain/carriers/ascii-equivalents.ts'
import type { SmppCarrier } from '../../domain/carriers/carrier.ts'
import { type Encoding, splitText, splitTextAs } from '../../domain/text-encoding.ts'
import { type Alphabet, encodeText } from '../../smpp/alphabets.ts'

export interface WireText {
  alphabet: Alphabet
  segments: string[]
  referenceBits: 8 | 16
}

export function wireText(text: string, carrier: SmppCarrier): WireText {
  const paid = splitText(text)
  const { alphabet, segments } = inAlphabet(text, paid, carrier)
  const isWide = carrier.smpp.referenceBits === 16 && carrier.smpp.longMessages === 'udh' && segments.length > 1
  if (!isWide) return { alphabet, segments, referenceBits: 8 }
  // A 16-bit reference leaves less room for text, so it is used only if the number of segments does not grow.
  const whole = segments.join('')
  const wide = splitTextAs(whole, alphabet === 'ucs2' ? 'UCS2' : 'GSM7', { isWide: true })
  const fits = wide.length === paid.segments.length
  return { alphabet, segments: fits ? wide : segments, referenceBits: fits ? 16 : 8 }
}

/** D57: a text that the carrier's alphabet cannot encode is sent as UCS-2 if that costs no more, otherwise with similar characters. */
function inAlphabet(
  text: string,
  { encoding, segments }: { encoding: Encoding; segments: string[] },
  { smpp: { alphabet, fallback } }: SmppCarrier,
): Omit<WireText, 'referenceBits'> {
  if (encoding === 'UCS2') return { alphabet: 'ucs2', segments }
  // A text priced as GSM-7 always fits the GSM alphabet.
  if (alphabet === 'gsm' || encodeText(text, alphabet)) return { alphabet, segments }
  const inUcs2 = splitTextAs(text, 'UCS2', { isWide: false })
  if (fallback === 'ucs2' && inUcs2.length === segments.length) return { alphabet: 'ucs2', segments: inUcs2 }
  return { alphabet, segments: segments.map((segment) => replaceUnencodable(segment, alphabet)) }
}

/** Replaces one character by one, so that no segment grows. */
function replaceUnencodable(segment: string, alphabet: Alphabet): string {
  const alike = (character: string) => asciiEquivalent(character).slice(0, 1)
  return Array.from(segment, (it) => [it, alike(it), '?'].find((some) => encodeText(some, alphabet)) ?? '?').join('')
}
