// A text as one carrier gets it: in which alphabet, cut where, tied together how. Never into more segments than were paid for (D3).

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
  // The wider header leaves less room: only where the segments stay as many.
  const whole = segments.join('')
  const wide = splitTextAs(whole, alphabet === 'ucs2' ? 'UCS2' : 'GSM7', { isWide: true })
  const fits = wide.length === paid.segments.length
  return { alphabet, segments: fits ? wide : segments, referenceBits: fits ? 16 : 8 }
}

/** D57: what the carrier's alphabet cannot say goes in UCS-2 where that costs no more, else by the nearest characters. */
function inAlphabet(
  text: string,
  { encoding, segments }: { encoding: Encoding; segments: string[] },
  { smpp: { alphabet, fallback } }: SmppCarrier,
): Omit<WireText, 'referenceBits'> {
  if (encoding === 'UCS2') return { alphabet: 'ucs2', segments }
  // All of what is priced as GSM-7 is in that alphabet.
  if (alphabet === 'gsm' || encodeText(text, alphabet)) return { alphabet, segments }
  const inUcs2 = splitTextAs(text, 'UCS2', { isWide: false })
  if (fallback === 'ucs2' && inUcs2.length === segments.length) return { alphabet: 'ucs2', segments: inUcs2 }
  return { alphabet, segments: segments.map((segment) => nearest(segment, alphabet)) }
}

/** One character for one, so that no segment grows. */
function nearest(segment: string, alphabet: Alphabet): string {
  const alike = (character: string) => asciiEquivalent(character).slice(0, 1)
  return Array.from(segment, (it) => [it, alike(it), '?'].find((some) => encodeText(some, alphabet)) ?? '?').join('')
}
