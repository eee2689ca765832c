// Answers for people: lists as tables, single things field by field. Whatever is in them, the terminal is told only to print it.
import type { Json } from './command.ts'

const WIDEST_CELL = 60
const GAP = '  '

export function tableOf(items: Json[], columns: readonly string[]): string {
  const rows = items.map((item) => columns.map((column) => textOf(item[column])))
  const isNumeric = columns.map((column) => items.some((item) => typeof item[column] === 'number'))
  const lastColumn = columns.length - 1
  // The last column needs no room behind it, so it may be as long as it is.
  const cut = rows.map((row) => row.map((text, column) => (column === lastColumn ? text : shortened(text))))
  const lines = [columns.map(titleOf), ...cut]
  const widths = columns.map((_, column) =>
    lines.reduce((widest, line) => Math.max(widest, widthOf(line[column] ?? '')), 0),
  )
  return lines
    .map((line) =>
      line
        .map((text, column) => {
          const room = ' '.repeat((widths[column] ?? 0) - widthOf(text))
          return isNumeric[column] ? room + text : text + room
        })
        .join(GAP)
        .trimEnd(),
    )
    .join('\n')
}

/** What is inside another thing stands under both their names. */
export function fieldLines(thing: Json): string {
  const fields = flattened(thing)
  const width = fields.reduce((widest, [name]) => Math.max(widest, name.length), 0)
  return fields.map(([name, value]) => `${name.padEnd(width)}${GAP}${textOf(value)}`).join('\n')
}

export function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  // Of what may be allowed, nothing at all is another thing than no restriction.
  if (Array.isArray(value)) return value.length === 0 ? '[]' : value.map(textOf).join(',')
  if (typeof value === 'object') {
    return Object.entries(value)
      .map(([name, part]) => `${name}=${textOf(part)}`)
      .join(' ')
  }
  return printable(String(value))
}

/** Controls of the terminal, line breaks of every kind, and those that turn the direction of writing. */
const DRAWS = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu

/** Names and texts come from customers and handsets: a line break or an escape in one must not draw on the screen. */
function printable(text: string): string {
  return text.replaceAll(DRAWS, '\ufffd')
}

/** Of several lines, all but what makes them lines. */
export function harmless(text: string): string {
  return text.split('\n').map(printable).join('\n')
}

/** The same to every program that reads it, and to a terminal only signs. */
export function jsonLine(answer: Json): string {
  return JSON.stringify(answer).replaceAll(DRAWS, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function flattened(thing: Json, prefix = ''): [string, unknown][] {
  return Object.entries<Json>(thing).flatMap(([name, value]): [string, unknown][] => {
    const whole = prefix + name
    if (Array.isArray(value) && value.some((item) => typeof item === 'object'))
      return value.map((item, index) => [`${whole} ${index + 1}`, item])
    const isInside = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isInside ? flattened(value, `${whole}.`) : [[whole, value]]
  })
}

function shortened(text: string): string {
  const letters = [...text]
  return letters.length > WIDEST_CELL ? `${letters.slice(0, WIDEST_CELL - 1).join('')}…` : text
}

/** `deadBecause` is headed DEAD BECAUSE. */
function titleOf(column: string): string {
  return column.replaceAll(/[A-Z]/g, ' $&').toUpperCase()
}

/** In cells of the terminal: marks over and under a letter take none, letters of East Asia two. */
function widthOf(text: string): number {
  let width = 0
  for (const letter of text) width += NARROW.test(letter) ? 0 : WIDE.test(letter) ? 2 : 1
  return width
}

const NARROW = /[\p{Mn}\p{Me}\p{Cf}]/u
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}]/u
