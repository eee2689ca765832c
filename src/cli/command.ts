// The types of a command: its words, its request to the management API and the output of the response.

/** How the value of an option is written. */
export type Kind =
  | 'text'
  | 'number'
  /** Comma-separated, or the option repeated. */
  | 'list'
  /** Like a list. */
  | 'numbers'
  /** `--tls` or `--no-tls`. */
  | 'flag'
  /** An object or a list if the value begins with a brace or a bracket, or `@file`. Otherwise a word. */
  | 'json'
  /** `20:00-08:00` */
  | 'hours'
  /** A file whose first line is the value, because others can read a command line; `-` is standard input. */
  | 'file'
  /** A file whose whole content is the value. */
  | 'pem'
  /** A file with a prefix and a price per line; `-` is standard input. */
  | 'prices'
  /** `name=value`, any number of times. */
  | 'pairs'
  /** `name=@file`, any number of times: the first line of the file. */
  | 'secrets'

/** A field of a query or body, as the OpenAPI document describes it. */
export interface CallField {
  /** `rate.otp` is the field `otp` of the object `rate`. */
  at: string
  kind: Extract<Kind, 'text' | 'number' | 'list' | 'numbers' | 'flag' | 'json'>
  about: string
  choices?: readonly string[]
  range?: string
  /** The default, in words. */
  usual?: string
  isRequired?: true
  isNullable?: true
  isId?: true
}

export type CallerRole = 'operator' | 'owner' | 'developer'

/** A call of the management API, as the OpenAPI document describes it. */
export interface Call {
  /** For example `GET /clients/{client}`. */
  asks: string
  summary: string
  about?: string
  fields: readonly CallField[]
  /** Of a list: the fields of an item that have a single value. */
  columns?: readonly string[]
  /** The response is a file. */
  isText?: true
  isIdempotent?: true
  /** The least role that may make the call, if it is not every role. */
  role?: CallerRole
}

/** Kinds of objects with a name that can replace the ID. */
const NAMED_KINDS = ['workspace', 'client', 'template', 'carrier'] as const
export type NamedKind = (typeof NAMED_KINDS)[number]

export function isNamedKind(kind: string): kind is NamedKind {
  return NAMED_KINDS.some((named) => named === kind)
}

export interface Option extends Omit<CallField, 'kind' | 'isRequired' | 'isNullable' | 'isId'> {
  kind: Kind
  /** The value is an ID or a name of this kind. */
  namedKind?: NamedKind
  isRequired?: boolean
  /** Other fields that this option sets. */
  implies?: Record<string, AnyJson>
  /** The value of the word `none`. */
  none?: 'null' | 'empty'
  /** Written without its name. */
  isPositional?: boolean
}

/** Names by id. */
export type Names = ReadonlyMap<string, string>

/** What a person at a terminal reads in place of ids and times. */
export interface View {
  names: Names
  now: Date
}

/** How a command is written, and what its help says. */
export interface CommandForm {
  name: string
  summary: string
  about?: string
  /** The words that follow the name, in order: IDs of the path and positional options. */
  positionals: readonly string[]
  /** How many of the positionals may be left out, from the end. */
  optionalPositionals?: number
  options: Record<string, Option>
  /** The example arguments, if they cannot be generated. */
  example?: string
  /** Sent with an Idempotency-Key, so that a repeated request has no second effect. */
  isIdempotent?: boolean
  /** Changes many messages at once, or cannot be undone, and needs `--yes`. */
  needsYes?: boolean
  /** The response is a file. */
  isText?: boolean
  /** Authenticates with an API key, not with a token. */
  isForPrograms?: boolean
  /** Uses the database and the files of this machine, not the API. */
  isLocal?: boolean
}

/** A command that makes one request of the management API. */
export interface Command extends CommandForm {
  asks: string
  role?: CallerRole
  /** Columns of a list; other responses are shown field by field. */
  columns?: readonly string[]
  /** The columns on a terminal, if all columns are too wide. */
  brief?: readonly string[]
  row?: (item: AnyJson) => AnyJson
  /** Decides the exit code of a check. */
  isSuccessful?: (answer: AnyJson) => boolean
  /** `width` is the number of columns of the terminal, or null without a terminal. */
  show?: (answer: AnyJson, width: number | null, view: View) => string
}

// biome-ignore lint/suspicious/noExplicitAny: a response is shown as the service sent it
export type AnyJson = any

/** Whether the words of a command line start with the name, which has one to three words. */
export function hasName({ name }: Pick<CommandForm, 'name'>, words: readonly string[]): boolean {
  return name.split(' ').every((word, at) => word === words[at])
}

export function isPaged({ options }: Pick<CommandForm, 'options'>): boolean {
  return options.cursor !== undefined
}

export function methodOf({ asks }: Command): string {
  return asks.split(' ')[0] ?? ''
}

export function pathOf({ asks }: Command): string {
  return asks.split(' ')[1] ?? ''
}

/** The IDs in the path, in order. */
export function pathIds({ asks }: Pick<Command, 'asks'>): string[] {
  return [...asks.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}
