// A text as it goes out: its segments, and the characters that do not fit the alphabet of GSM and so forced UCS-2.
import { isGsm7, splitText } from '../../src/domain/text-encoding.ts'

export interface Piece {
  text: string
  /** It is not in the alphabet of GSM. */
  isForeign: boolean
}

/** Of each segment, runs of characters that are in the alphabet and runs that are not. */
export function piecesOf(text: string): { encoding: 'GSM7' | 'UCS2'; segments: Piece[][] } {
  const { encoding, segments } = splitText(text)
  return { encoding, segments: segments.map((segment) => runsOf(segment)) }
}

/** Each once, in the order they stand. What joins others is shown with what it joins. */
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
