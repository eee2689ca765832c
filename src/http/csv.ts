// CSV files (RFC 4180): written as they are read, and safe to open in a spreadsheet.
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** As a file to keep. Nothing of it waits in memory but what is under way. */
export function sendCsv(
  reply: FastifyReply,
  { name, lines }: { name: string; lines: AsyncIterable<string> },
): FastifyReply {
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .send(Readable.from(lines))
}

/** A word that a spreadsheet would take for a formula begins with an apostrophe: names are written by others than who opens it. */
const FORMULA = /^[=+\-@\t\r]/

export function csvLine(values: readonly (string | number)[]): string {
  return `${values.map((value) => (typeof value === 'number' ? String(value) : csvWord(value))).join(',')}\r\n`
}

function csvWord(word: string): string {
  const safe = FORMULA.test(word) ? `'${word}` : word
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
