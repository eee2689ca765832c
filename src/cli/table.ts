// Formats responses: lists as tables, single objects field by field. Control characters never reach the terminal.
import type { AnyJson, Names, View } from './command.ts'
import { exactTime, isTime, shortTime } from './time.ts'

const WIDEST_CELL = 60
const GAP = '  '
const NOTHING = '-'
/** The minimum width of a wrapped column. */
const MIN_WIDTH = 20
/** In the health of a carrier. */
const SINCE = /\bsince (\d{4}-\d\d-\d\dT[\d:.]+Z)/g
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export interface Layout {
  columns: readonly string[]
  /** Columns of the terminal; null without a terminal, where lines have any length and values are complete. */
  width: number | null
  view?: View
}

const NO_VIEW: View = { names: new Map(), now: new Date(0) }

/** On a terminal: short local times, names in place of ids, and the id of each item at the end or on a line of its own. */
export function tableOf(items: AnyJson[], { columns: all, width, view = NO_VIEW }: Layout): string {
  // Some roles do not get all fields.
  const known = all.filter((column) => items.some((item) => item[column] !== undefined))
  if (width === null) return new Table(items, known, titleOf).text()
  const shown = items.map((item) => shortItem(item, known, view))
  const columns = known.filter(
    (column) => column !== 'id' && shown.some((item) => formatValue(item[column]) !== NOTHING),
  )
  if (!known.includes('id')) return fitted(shown, columns, width)
  const whole = new Table(shown, [...columns, 'id'])
  if (whole.width <= width) return whole.text()
  const table = new Table(shown, columns).within(width)
  if (table === null || columns.length === 0) return fitted(shown, [...columns, 'id'], width)
  return table.withLines(shown.map(({ id }) => `${GAP}id: ${id}`))
}

/** A table if it fits; otherwise one block per item. */
function fitted(items: AnyJson[], columns: readonly string[], width: number): string {
  const table = new Table(items, columns).within(width)
  return table ? table.text() : items.map((item) => cardOf(item, { columns, width })).join('\n')
}

function shortItem(item: AnyJson, columns: readonly string[], view: View): AnyJson {
  return Object.fromEntries(
    columns.map((column) => [column, column === 'id' ? item.id : shortValue(item[column], view)]),
  )
}

/** An id without a name shows its end: the beginnings of ids of the same hour are equal. */
export function shortValue(value: AnyJson, view: View): AnyJson {
  if (isTime(value)) return shortTime(value, view.now)
  if (typeof value === 'string' && ID.test(value)) return view.names.get(value) ?? `…${value.slice(-8)}`
  if (typeof value === 'string')
    return value.replaceAll(SINCE, (_all, time) => `since ${shortTime(time, view.now).trim()}`)
  if (Array.isArray(value)) return value.map((part) => shortValue(part, view))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shortValue(part, view)]))
}

class Table {
  readonly #lines: string[][]
  readonly #widths: number[]
  readonly #isNumeric: boolean[]
  /** Room of the last column, if it wraps. */
  #room: number | null = null

  constructor(items: AnyJson[], columns: readonly string[], formatTitle = shortTitleOf) {
    const last = columns.length - 1
    // The last column may have any length.
    const cell = (item: AnyJson, column: string, at: number) =>
      at === last ? formatValue(item[column]) : shortened(formatValue(item[column]))
    this.#lines = [
      columns.map((column) => formatTitle(column)),
      ...items.map((item) => columns.map((column, at) => cell(item, column, at))),
    ]
    this.#isNumeric = columns.map((column) => items.some((item) => typeof item[column] === 'number'))
    this.#widths = columns.map((_, at) => widest(this.#lines.map((line) => line[at] ?? '')))
  }

  get width(): number {
    return this.#widths.reduce((sum, width) => sum + width, 0) + GAP.length * (this.#widths.length - 1)
  }

  text(): string {
    return this.#rows().flat().join('\n')
  }

  /** With one more line below each row. */
  withLines(lines: readonly string[]): string {
    const [head = [], ...rows] = this.#rows()
    return [...head, ...rows.flatMap((row, at) => [...row, lines[at] ?? ''])].join('\n')
  }

  /** Wraps the last column; null if the column would be too narrow. */
  within(width: number): Table | null {
    if (this.width <= width) return this
    const room = width - this.width + (this.#widths.at(-1) ?? 0)
    const words = this.#lines.flatMap((line) => (line.at(-1) ?? '').split(' '))
    if (room < MIN_WIDTH || widest(words) > room) return null
    this.#room = room
    return this
  }

  #rows(): string[][] {
    const room = this.#room
    if (room === null) return this.#lines.map((line) => [this.#written(line)])
    const indent = ' '.repeat(this.width - (this.#widths.at(-1) ?? 0))
    return this.#lines.map((line) => {
      const [first = '', ...more] = wrapped(line.at(-1) ?? '', room)
      return [this.#written([...line.slice(0, -1), first]), ...more.map((words) => indent + words)]
    })
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
    .map((column) => ({ title: shortTitleOf(column).toLowerCase(), text: formatValue(item[column]) }))
    .filter(({ text }) => text !== NOTHING)
  const lines: string[] = []
  for (const { title, text } of pairs) {
    const pair = `${title}: ${text}`
    const longer = `${lines.at(-1)}${GAP}${pair}`
    if (lines.length > 0 && widthOf(longer) <= width) lines[lines.length - 1] = longer
    else
      lines.push(...wrapped(pair, width - 2 * GAP.length, true).map((part, at) => (at === 0 ? GAP : GAP + GAP) + part))
  }
  return [formatValue(item[first]), ...lines].join('\n')
}

/** Wraps at spaces; a longer word stays whole, unless it may break. */
export function wrapped(text: string, width: number, canBreak = false): string[] {
  const lines: string[] = []
  const words = canBreak ? text.split(' ').flatMap((word) => pieces(word, width)) : text.split(' ')
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`
    if (lines.length > 0 && widthOf(longer) <= width) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

function pieces(word: string, width: number): string[] {
  if (widthOf(word) <= width) return [word]
  const parts: string[] = ['']
  for (const letter of word) {
    if (widthOf(`${parts.at(-1)}${letter}`) > width) parts.push('')
    parts[parts.length - 1] += letter
  }
  return parts
}

/** The field `otp` of `rate` is shown as `rate.otp`. On a terminal, values wrap and times are local. */
export function fieldLines(thing: AnyJson, width: number | null = null, { names }: View = NO_VIEW): string {
  const fields = flattened(thing)
  const titles = fields.reduce((widest, [name]) => Math.max(widest, name.length), 0)
  if (width === null)
    return fields.map(([name, value]) => `${name.padEnd(titles)}${GAP}${formatValue(value)}`).join('\n')
  const indent = titles + GAP.length
  return fields
    .flatMap(([name, value]) => {
      const text = formatValue(namedValue(value, names))
      return wrapped(text, Math.max(MIN_WIDTH, width - indent)).map(
        (part, at) => (at === 0 ? `${name.padEnd(titles)}${GAP}` : ' '.repeat(indent)) + part,
      )
    })
    .join('\n')
}

/** A single object shows whole ids, after their names, because people copy them. */
function namedValue(value: AnyJson, names: Names): AnyJson {
  if (isTime(value)) return exactTime(value)
  if (typeof value === 'string') return names.has(value) ? `${names.get(value)} (${value})` : value
  if (Array.isArray(value)) return value.map((part) => namedValue(part, names))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, namedValue(part, names)]))
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

/** For example '1 row' or '2 replies'. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

/** Rounded down: one failure of many is not 100 %. */
export function percentOf(ratio: number | null): string | null {
  return ratio === null ? null : `${Math.floor(ratio * 1000) / 10} %`
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

/** On a terminal, `clientId` is CLIENT and `createdAt` is CREATED. */
function shortTitleOf(column: string): string {
  return titleOf(column.replace(/(?<=.)(Id|At)$/, ''))
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
