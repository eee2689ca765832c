// What a command is: its words, the one request it makes of the management API, and how the answer is shown.

/** How the value of an option is written. */
export type Kind =
  | 'text'
  | 'number'
  /** Words with commas between them, or the option several times. */
  | 'list'
  /** `--tls` or `--no-tls`. */
  | 'flag'
  /** An object or a list where it begins with a brace or a bracket, or stands in a file: `@file`. Else a word. */
  | 'json'
  /** `20:00-08:00` */
  | 'hours'
  /** The name of a file whose first line is the value, for what shall not stand in a command line; `-` is standard input. */
  | 'file'
  /** The name of a file that is the value, all of it. */
  | 'pem'
  /** The name of a file with a prefix and a price in each line; `-` is standard input. */
  | 'prices'
  /** `name=value`, any number of times. */
  | 'pairs'
  /** `name=@file`, any number of times: the first line of the file. */
  | 'secrets'

/** What has a name that does for its id, where no other has the same. */
const NAMED_KINDS = ['workspace', 'client', 'template', 'carrier'] as const
export type NamedKind = (typeof NAMED_KINDS)[number]

export function isNamedKind(kind: string): kind is NamedKind {
  return NAMED_KINDS.some((named) => named === kind)
}

export interface Option {
  kind: Kind
  tells: string
  /** Its place in the body or the query, where that is not the option's name in camel case. */
  at?: string
  /** It is the id of such a thing, or its name. */
  thing?: NamedKind
  isNeeded?: boolean
  /** What else the body says where it is given. */
  implies?: Record<string, Json>
  /** What holds where a new thing is not told otherwise. */
  otherwise?: string
  /** What the word `none` stands for, where it takes the value away. */
  none?: 'null' | 'empty'
  /** Written without its name, behind the ids of the path. */
  isPlaced?: boolean
}

export interface Command {
  name: string
  tells: string
  /** Such as `GET /clients/{client}`; what stands in braces follows the words of the command. */
  asks: string
  options?: Record<string, Option>
  /** Of a list; what has none is shown field by field. */
  columns?: readonly string[]
  /** Of a list: an item as its row tells it. */
  row?: (item: Json) => Json
  /** Whether what was asked is as it should be: where not, the exit code says so. */
  isWell?: (answer: Json) => boolean
  /** `width` is how much a line of the terminal holds, or null where there is none. */
  show?: (answer: Json, width: number | null) => string
  /** It is answered with a file, which is printed as it is. */
  isText?: boolean
  /** Money moves: it carries an Idempotency-Key, and so may be repeated. */
  isIdempotent?: boolean
  /** It changes much at once: it is done only with `--yes`. */
  needsYes?: boolean
}

// biome-ignore lint/suspicious/noExplicitAny: an answer is shown as it came, whatever it holds
export type Json = any

export const PAGING: Record<string, Option> = {
  limit: { kind: 'number', tells: 'how many at once, 1 to 200', otherwise: '50' },
  cursor: { kind: 'text', tells: 'where to go on, as the end of a list tells' },
}

/** A list that comes in pages, and so can be had whole. */
export function isPaged({ options = {} }: Pick<Command, 'options'>): boolean {
  return options.cursor !== undefined
}

/** The same as on creation, with nothing needed and nothing placed; what is not named stays. */
export function changeable(options: Record<string, Option>): Record<string, Option> {
  return Object.fromEntries(
    Object.entries(options).map(([name, { isNeeded: _, isPlaced: __, otherwise: ___, ...option }]) => [name, option]),
  )
}

export function methodOf({ asks }: Command): string {
  return asks.split(' ')[0] ?? ''
}

export function pathOf({ asks }: Command): string {
  return asks.split(' ')[1] ?? ''
}

/** The ids in its path, in their order. */
export function idsOf(command: Command): string[] {
  return [...pathOf(command).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}

/** What follows the words of a command, in order. */
export function placesOf(command: Command): string[] {
  const placed = Object.entries(command.options ?? {}).filter(([, option]) => option.isPlaced)
  return [...idsOf(command), ...placed.map(([name]) => name)]
}

export function fieldOf(name: string, { at }: Option): string {
  return at ?? name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}
