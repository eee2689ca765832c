// Formats responses: lists as tables, single objects field by field. Control characters never reach the terminal.
import type { AnyJson } from './command.ts'

const WIDEST_CELL = 60
const GAP = '  '
const NOTHING = '-'
/** The minimum width of a wrapped column. */
const MIN_WIDTH = 20

export interface Layout {
  columns: readonly string[]
  /** Columns of the terminal; null without a terminal, where lines have any length. */
  width: number | null
}

/** A table if it fits; otherwise one block per item, because a truncated id cannot be copied. */
export function tableOf(items: AnyJson[], { columns: all, width }: Layout): string {
  // Some roles do not get all fields.
  const columns = all.filter((column) => items.some((item) => item[column] !== undefined))
  const table = new Table(items, columns)
  if (width === null || table.width <= width) return table.text()
  const dense = new Table(
    items,
    columns.filter((column) => items.some((item) => formatValue(item[column]) !== NOTHING)),
  )
  return dense.within(width) ?? items.map((item) => cardOf(item, { columns, width })).join('\n')
}

class Table {
  readonly #lines: string[][]
  readonly #widths: number[]
  readonly #isNumeric: boolean[]

  constructor(items: AnyJson[], columns: readonly string[]) {
    const last = columns.length - 1
    // The last column may have any length.
    const cell = (item: AnyJson, column: string, at: number) =>
      at === last ? formatValue(item[column]) : shortened(formatValue(item[column]))
    this.#lines = [columns.map(titleOf), ...items.map((item) => columns.map((column, at) => cell(item, column, at)))]
    this.#isNumeric = columns.map((column) => items.some((item) => typeof item[column] === 'number'))
    this.#widths = columns.map((_, at) => widest(this.#lines.map((line) => line[at] ?? '')))
  }

  get width(): number {
    return this.#widths.reduce((sum, width) => sum + width, 0) + GAP.length * (this.#widths.length - 1)
  }

  text(): string {
    return this.#lines.map((line) => this.#written(line)).join('\n')
  }

  /** Wraps the last column; null if the column would be too narrow. */
  within(width: number): string | null {
    if (this.width <= width) return this.text()
    const room = width - this.width + (this.#widths.at(-1) ?? 0)
    const words = this.#lines.flatMap((line) => (line.at(-1) ?? '').split(' '))
    if (room < MIN_WIDTH || widest(words) > room) return null
    return this.#lines
      .flatMap((line) => {
        const [first = '', ...more] = wrapped(line.at(-1) ?? '', room)
        const begun = this.#written([...line.slice(0, -1), first])
        return [begun, ...more.map((words) => ' '.repeat(width - room) + words)]
      })
      .join('\n')
  }

  #written(line: string[]): string {
    return line
      .map((text, at) => {
        const room = ' '.repeat(Math.max(0, (this.#widths[at] ?? 0) - widthOf(text)))
        return this.#isNumeric[at] ? room + text : text + room
      })
      .join(GAP)
      .trimEnd()
  }
}

/** The first column on a line of its own, the others below. */
function cardOf(item: AnyJson, { columns, width }: { columns: readonly string[]; width: number }): string {
  const [first = '', ...others] = columns
  const pairs = others
    .map((column) => ({ title: titleOf(column).toLowerCase(), text: formatValue(item[column]) }))
    .filter(({ text }) => text !== NOTHING)
  const lines: string[] = []
  for (const { title, text } of pairs) {
    const pair = `${title}: ${text}`
    const longer = `${lines.at(-1)}${GAP}${pair}`
    if (lines.length > 0 && widthOf(longer) <= width) lines[lines.length - 1] = longer
    else lines.push(...wrapped(pair, width - 2 * GAP.length).map((part, at) => (at === 0 ? GAP : GAP + GAP) + part))
  }
  return [formatValue(item[first]), ...lines].join('\n')
}

/** Wraps at spaces; a longer word stays whole. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`
    if (lines.length > 0 && widthOf(longer) <= width) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

/** The field `otp` of `rate` is shown as `rate.otp`. */
export function fieldLines(thing: AnyJson): string {
  const fields = flattened(thing)
  const width = fields.reduce((widest, [name]) => Math.max(widest, name.length), 0)
  return fields.map(([name, value]) => `${name.padEnd(width)}${GAP}${formatValue(value)}`).join('\n')
}

export function formatValue(value: unknown): string {
  if (value === null || value === undefined || value === '') return NOTHING
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  // An empty allow list differs from no allow list.
  if (Array.isArray(value)) return value.length === 0 ? '[]' : value.map(formatValue).join(',')
  if (typeof value === 'object') {
    return Object.entries(value)
      .map(([name, part]) => `${name}=${formatValue(part)}`)
      .join(' ')
  }
  return printable(String(value))
}

/** Control characters, line breaks, and bidirectional control characters. */
const CONTROL_CHARACTERS = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu

/** Texts come from customers and handsets, and must not control the terminal. */
function printable(text: string): string {
  return text.replaceAll(CONTROL_CHARACTERS, '\ufffd')
}

/** Keeps line breaks. */
export function sanitize(text: string): string {
  return text.split('\n').map(printable).join('\n')
}

/** JSON in which control characters are escaped. */
export function jsonLine(answer: AnyJson): string {
  return JSON.stringify(answer).replaceAll(
    CONTROL_CHARACTERS,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function flattened(thing: AnyJson, prefix = ''): [string, unknown][] {
  return Object.entries<AnyJson>(thing).flatMap(([name, value]): [string, unknown][] => {
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

/** `failureReason` becomes FAILURE REASON. */
function titleOf(column: string): string {
  return column.replaceAll(/[A-Z]/g, ' $&').toUpperCase()
}

function widest(texts: string[]): number {
  return texts.reduce((most, text) => Math.max(most, widthOf(text)), 0)
}

/** In cells of the terminal: combining marks take none, East Asian letters two. */
function widthOf(text: string): number {
  let width = 0
  for (const letter of text) width += NARROW.test(letter) ? 0 : WIDE.test(letter) ? 2 : 1
  return width
}

const NARROW = /[\p{Mn}\p{Me}\p{Cf}]/u
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}]/u
