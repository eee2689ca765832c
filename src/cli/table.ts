// Answers for people: lists as tables, single things field by field. Whatever is in them, the terminal is told only to print it.
import type { Json } from './command.ts'

const WIDEST_CELL = 60
const GAP = '  '
const NOTHING = '-'
/** In less, a text is no longer pleasant to read. */
const LEAST_ROOM = 20

export interface Layout {
  columns: readonly string[]
  /** How much a line of the terminal holds; null where there is none, and a line is as long as it is. */
  width: number | null
}

/** A table where it fits, else each thing in lines of its own: nothing is cut that somebody may want to copy. */
export function tableOf(items: Json[], { columns: all, width }: Layout): string {
  // What whoever asks is not told of is no column.
  const columns = all.filter((column) => items.some((item) => item[column] !== undefined))
  const table = new Table(items, columns)
  if (width === null || table.width <= width) return table.text()
  const dense = new Table(
    items,
    columns.filter((column) => items.some((item) => textOf(item[column]) !== NOTHING)),
  )
  return dense.within(width) ?? items.map((item) => cardOf(item, { columns, width })).join('\n')
}

class Table {
  readonly #lines: string[][]
  readonly #widths: number[]
  readonly #isNumeric: boolean[]

  constructor(items: Json[], columns: readonly string[]) {
    const last = columns.length - 1
    // The last column needs no room behind it, so it may be as long as it is.
    const cell = (item: Json, column: string, at: number) =>
      at === last ? textOf(item[column]) : shortened(textOf(item[column]))
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

  /** With its last column wrapped, where that has room enough for every word; else null. */
  within(width: number): string | null {
    if (this.width <= width) return this.text()
    const room = width - this.width + (this.#widths.at(-1) ?? 0)
    const words = this.#lines.flatMap((line) => (line.at(-1) ?? '').split(' '))
    if (room < LEAST_ROOM || widest(words) > room) return null
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

/** What it begins with on a line of its own, and what there is to tell of it under that. */
function cardOf(item: Json, { columns, width }: { columns: readonly string[]; width: number }): string {
  const [first = '', ...others] = columns
  const pairs = others
    .map((column) => ({ title: titleOf(column).toLowerCase(), text: textOf(item[column]) }))
    .filter(({ text }) => text !== NOTHING)
  const lines: string[] = []
  for (const { title, text } of pairs) {
    const pair = `${title}: ${text}`
    const longer = `${lines.at(-1)}${GAP}${pair}`
    if (lines.length > 0 && widthOf(longer) <= width) lines[lines.length - 1] = longer
    else lines.push(...wrapped(pair, width - 2 * GAP.length).map((part, at) => (at === 0 ? GAP : GAP + GAP) + part))
  }
  return [textOf(item[first]), ...lines].join('\n')
}

/** At its spaces; a word that is longer than a line stays whole. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`
    if (lines.length > 0 && widthOf(longer) <= width) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

/** What is inside another thing stands under both their names. */
export function fieldLines(thing: Json): string {
  const fields = flattened(thing)
  const width = fields.reduce((widest, [name]) => Math.max(widest, name.length), 0)
  return fields.map(([name, value]) => `${name.padEnd(width)}${GAP}${textOf(value)}`).join('\n')
}

export function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return NOTHING
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

function widest(texts: string[]): number {
  return texts.reduce((most, text) => Math.max(most, widthOf(text)), 0)
}

/** In cells of the terminal: marks over and under a letter take none, letters of East Asia two. */
function widthOf(text: string): number {
  let width = 0
  for (const letter of text) width += NARROW.test(letter) ? 0 : WIDE.test(letter) ? 2 : 1
  return width
}

const NARROW = /[\p{Mn}\p{Me}\p{Cf}]/u
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}]/u
