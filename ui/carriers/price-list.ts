// Reads the price list of a carrier in the same format as the command line: a prefix and a price per line.

import type { ApiError } from '../api/api-error.ts'
import type { NewCarrierPrices } from '../api/calls.ts'
import { words } from '../words/index.ts'

type Price = NewCarrierPrices['prices'][number]

export interface LineError {
  line: number
  message: string
}

interface ReadPrices {
  prices: Price[]
  /** The line of each price. */
  lines: number[]
  errors: LineError[]
}

const LINE = /^"?(\+?\d*)"?[,;]"?(\d+(?:\.\d+)?)"?$/

/** `+97798,0.35`, or `,0.5` for all other numbers. A first line with column titles is skipped. */
export function readPrices(text: string): ReadPrices {
  const read: ReadPrices = { prices: [], lines: [], errors: [] }
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/)
  for (const [index, written] of lines.entries()) {
    const line = written.replaceAll(/\s/g, '')
    if (line === '' || (index === 0 && /^"?prefix/i.test(line))) continue
    const found = LINE.exec(line)
    if (found) {
      read.prices.push({ prefix: withPlus(found[1] ?? ''), price: Number(found[2]) })
      read.lines.push(index + 1)
    } else read.errors.push({ line: index + 1, message: words.prices.noLine })
  }
  return read
}

/** The errors of the API, by the line of the price. */
export function errorsByLine(error: ApiError | null, lines: readonly number[]): LineError[] {
  return (error?.details ?? []).flatMap(({ path: [list, index], message }) => {
    const line = list === 'prices' && typeof index === 'number' ? lines[index] : undefined
    return line === undefined ? [] : [{ line, message }]
  })
}

export function writePrices(prices: readonly Price[]): string {
  return prices.map(({ prefix, price }) => `${prefix},${price}`).join('\n')
}

/** Spreadsheets drop the plus sign of a number. */
function withPlus(digits: string): string {
  return digits === '' || digits.startsWith('+') ? digits : `+${digits}`
}
