// Reads the price list of a carrier: a file with a prefix and a price per line.
import { UsageError } from './context.ts'

interface Price {
  prefix: string
  price: number
}

const LINE = /^"?(\+?\d*)"?[,;]"?(\d+(?:\.\d+)?)"?$/
const MAX_NAMED = 10

/** `+97798,0.35`, or `,0.5` for all numbers. A first line with titles is skipped. The error names all invalid lines. */
export function readPriceFile(text: string): Price[] {
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((line, index) => ({ line: line.replaceAll(/\s/g, ''), number: index + 1 }))
  const rows = lines.filter(({ line, number }) => line !== '' && !(number === 1 && /^"?prefix/i.test(line)))
  const read = rows.map(({ line, number }) => ({ number, found: LINE.exec(line) }))
  const wrong = read.filter(({ found }) => found === null).map(({ number }) => number)
  if (wrong.length > 0) {
    const named = wrong.slice(0, MAX_NAMED).join(', ')
    const more = wrong.length > MAX_NAMED ? ` and ${wrong.length - MAX_NAMED} more` : ''
    throw new UsageError(`A line must be a prefix and a price, like +97798,0.35; invalid: line ${named}${more}.`)
  }
  return read.map(({ found }) => ({ prefix: withPlus(found?.[1] ?? ''), price: Number(found?.[2]) }))
}

/** Spreadsheets drop the plus. */
function withPlus(digits: string): string {
  return digits === '' || digits.startsWith('+') ? digits : `+${digits}`
}
