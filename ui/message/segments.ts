// The segments of a text, and its non-GSM characters, which force UCS-2.
import { isGsm7, splitText } from '../../src/domain/text-encoding.ts'

interface Piece {
  text: string
  /** Not in the GSM alphabet. */
  isForeign: boolean
}

/** Splits each segment into runs of GSM characters and runs of other characters. */
export function piecesOf(text: string): { encoding: 'GSM7' | 'UCS2'; segments: Piece[][] } {
  const { encoding, segments } = splitText(text)
  return { encoding, segments: segments.map((segment) => runsOf(segment)) }
}

/** Each character once, in the order of the text. Combining marks stay with their letter. */
export function foreignCharacters(text: string, most: number): string[] {
  const characters = [...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)]
  return [...new Set(characters.map(({ segment }) => segment).filter((it) => !isGsm7(it)))].slice(0, most)
}

function runsOf(segment: string): Piece[] {
  const runs: Piece[] = []
  for (const text of segment) {
    const isForeign = !isGsm7(text)
    const last = runs.at(-1)
    if (last?.isForeign === isForeign) last.text += text
    else runs.push({ text, isForeign })
  }
  return runs
}
