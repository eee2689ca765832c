// A carrier's prices as it sends them: a file with a prefix and a price in each line.
import { Misuse } from './surroundings.ts'

interface Price {
  prefix: string
  price: number
}

const LINE = /^"?(\+?\d*)"?[,;]"?(\d+(?:\.\d+)?)"?$/
const MOST_TOLD = 10

/** `+97798,0.35`, or `,0.5` for all numbers; a first line with titles is passed over. All lines that are none of this are told. */
export function readPriceFile(text: string): Price[] {
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((line, index) => ({ line: line.replaceAll(/\s/g, ''), number: index + 1 }))
  const rows = lines.filter(({ line, number }) => line !== '' && !(number === 1 && /^"?prefix/i.test(line)))
  const read = rows.map(({ line, number }) => ({ number, found: LINE.exec(line) }))
  const wrong = read.filter(({ found }) => found === null).map(({ number }) => number)
  if (wrong.length > 0) {
    const told = wrong.slice(0, MOST_TOLD).join(', ')
    const more = wrong.length > MOST_TOLD ? ` and ${wrong.length - MOST_TOLD} more` : ''
    throw new Misuse(`A line of prices is a prefix and a price, such as +97798,0.35; see line ${told}${more}.`)
  }
  return read.map(({ found }) => ({ prefix: withPlus(found?.[1] ?? ''), price: Number(found?.[2]) }))
}

/** A spreadsheet takes the plus for part of a number, and drops it. */
function withPlus(digits: string): string {
  return digits === '' || digits.startsWith('+') ? digits : `+${digits}`
}
