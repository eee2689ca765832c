// Turns the words that follow a command into its request.
import { parseArgs } from 'node:util'
import {
  type AnyJson,
  type Command,
  type CommandForm,
  isPaged,
  methodOf,
  type Option,
  pathIds,
  pathOf,
} from './command.ts'
import { type CliContext, UsageError } from './context.ts'
import { formatNote, formatUsage } from './help.ts'
import { findNearestWord } from './nearest.ts'
import { readValue } from './values.ts'

export interface Request {
  method: string
  path: string
  /** A list is sent as several parameters with the same name. */
  query: Record<string, string | string[]>
  body: AnyJson
}

/** The path has places in braces for ids or names. A missing workspace is that of the owner. */
export interface Draft extends Request {
  typed: Map<string, string>
}

export function get(path: string, query: Request['query'] = {}): Request {
  return { method: 'GET', path, query, body: undefined }
}

/** Options of every command. */
export interface Common {
  url: string | undefined
  'token-file': string | undefined
  json: boolean
  help: boolean
}

export interface ParsedCommand {
  common: Common
  all: boolean
  idempotencyKey: string | undefined
  yes: boolean
  /** The file of the response. */
  output: string | undefined
  values: Record<string, string | boolean>
  positionals: string[]
}

const COMMON_OPTIONS = {
  url: { type: 'string' },
  'token-file': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

export function parseCommand(words: string[], { options, isIdempotent, isText, needsYes }: CommandForm): ParsedCommand {
  const own = Object.entries(options)
    .filter(([, option]) => !option.isPositional)
    .map(([name, { kind }]) => [name, { type: kind === 'flag' ? 'boolean' : 'string', multiple: isMany(kind) }])
  const number = Object.keys(options).find((name) => isTypedNumber(options[name]))
  const { values, positionals } = parseWords(words, number, {
    ...Object.fromEntries(own),
    ...COMMON_OPTIONS,
    ...(isPaged({ options }) && { all: { type: 'boolean' as const } }),
    ...(isIdempotent && { 'idempotency-key': { type: 'string' as const } }),
    ...(needsYes && { yes: { type: 'boolean' as const } }),
    ...(isText && { output: { type: 'string' as const } }),
  })
  const {
    url,
    'token-file': tokenFile,
    json,
    help,
    all,
    'idempotency-key': idempotencyKey,
    yes,
    output,
    ...rest
  } = values
  return {
    common: {
      url: url as string | undefined,
      'token-file': tokenFile as string | undefined,
      json: json === true,
      help: help === true,
    },
    all: all === true,
    idempotencyKey: idempotencyKey as string | undefined,
    yes: yes === true,
    output: output as string | undefined,
    values: Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, oneOf(value, options[name]?.kind)])),
    positionals,
  }
}

function isTypedNumber(option: Option | undefined): boolean {
  return option?.isPositional === true && (option.kind === 'number' || option.kind === 'numbers')
}

function isMany(kind: Option['kind'] | undefined): boolean {
  return kind === 'list' || kind === 'numbers' || isPaired(kind)
}

function isPaired(kind: Option['kind'] | undefined): boolean {
  return kind === 'pairs' || kind === 'secrets'
}

/** A repeated option reads like one with commas; pairs are joined by line breaks, because a value may have commas. */
function oneOf(value: unknown, kind: Option['kind'] | undefined): string | boolean {
  return Array.isArray(value) ? value.join(isPaired(kind) ? '\n' : ',') : (value as string | boolean)
}

const ABOUT_DASHES = 'Write a value that begins with a dash as --option=-value, or after -- if it has no option.'

/** `number` is the argument that is a number, if the command has one. */
function parseWords(
  args: string[],
  number: string | undefined,
  options: NonNullable<Parameters<typeof parseArgs>[0]>['options'] & {},
) {
  try {
    return parseArgs({ args, options, allowPositionals: true, allowNegative: true })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const sentence = error.message.split(/\n|\. /)[0]?.replace(/\.$/, '')
    const unknown = /^Unknown option '--(?:no-)?([^']+)'/.exec(error.message)?.[1]
    // Every number that is an argument is positive, and parseArgs takes a negative one for an option.
    const negative = /^Unknown option '(-[\d.])'/.exec(error.message)?.[1]
    if (number !== undefined && negative !== undefined)
      throw new UsageError(
        `${number} must be greater than zero, not '${args.find((word) => word.startsWith(negative))}'.`,
      )
    const near = unknown === undefined ? undefined : findNearestWord(unknown, Object.keys(options))
    if (near !== undefined) throw new UsageError(`${sentence}. Did you mean --${near}?`)
    throw new UsageError(`${sentence}. ${args.some((word) => /^-\W?\w/.test(word)) ? ABOUT_DASHES : ''}`.trimEnd())
  }
}

export function createDraft(command: Command, { values, positionals }: ParsedCommand, context: CliContext): Draft {
  const placed = positionalsByName(command, positionals)
  const path = pathOf(command)
  const typed = new Map(pathIds(command).flatMap((id) => idTyped(id, placed)))
  const given = new Map([...Object.entries(values), ...placed])
  const method = methodOf(command)
  // The service rejects a change without a required field; without any field there is nothing to send.
  if (method === 'PATCH' && Object.keys(values).length === 0)
    throw new UsageError(`Nothing to change. Set at least one option. Usage: ${formatUsage(command)}`)
  const fields = Object.entries(command.options).flatMap(([name, option]): [string, AnyJson][] => {
    const typed = given.get(name)
    if (typed === undefined && option.isRequired) throw new UsageError(`--${name} is required: ${formatNote(option)}.`)
    if (typed === undefined) return []
    return [[option.at, readValue(name, option, typed, context)], ...Object.entries(option.implies ?? {})]
  })
  if (method === 'GET')
    return { ...get(path, Object.fromEntries(fields.map(([name, value]) => [name, inQuery(value)]))), typed }
  // A call with optional fields only still has a body.
  const hasBody = Object.keys(command.options).length > 0
  return { method, path, query: {}, body: hasBody ? nested(fields) : undefined, typed }
}

/** The body of a request of the v1 API; files and flags are not part of it. */
export function readFields(command: CommandForm, { values, positionals }: ParsedCommand, context: CliContext): AnyJson {
  const placed = command.positionals.flatMap((name, at): [string, AnyJson][] =>
    positionals[at] === undefined ? [] : [[name, positionals[at]]],
  )
  const named = Object.entries(command.options).flatMap(([name, option]): [string, AnyJson][] => {
    const typed = values[name]
    const isNone = typed === undefined || option.kind === 'file' || option.kind === 'flag'
    return isNone ? [] : [[option.at, readValue(name, option, typed, context)]]
  })
  return Object.fromEntries([...placed, ...named])
}

/** Owners can leave out the workspace, which is the first positional. */
function positionalsByName(command: Command, positionals: string[]): Map<string, string> {
  const all = command.positionals
  const names = all[0] === 'workspace' && positionals.length === all.length - 1 ? all.slice(1) : all
  if (positionals.length !== names.length) throw new UsageError(`Usage: ${formatUsage(command)}`)
  return new Map(names.map((name, index) => [name, positionals[index] ?? '']))
}

function inQuery(value: AnyJson): string | string[] {
  return Array.isArray(value) ? value : String(value)
}

function idTyped(id: string, placed: Map<string, string>): [string, string][] {
  const word = placed.get(id)
  return word === undefined ? [] : [[id, checkPathSegment(id, word)]]
}

/** In a URL, dots or an empty word would address another call. */
export function checkPathSegment(name: string, word: string): string {
  if (word === '' || word === '.' || word === '..') throw new UsageError(`'${word}' is not a valid ${name}.`)
  return word
}

/** `rate.otp` is the field `otp` of `rate`. */
function nested(fields: [string, AnyJson][]): AnyJson {
  const body: AnyJson = {}
  for (const [field, value] of fields) {
    const [outer = '', inner] = field.split('.')
    if (inner === undefined) body[outer] = value
    else body[outer] = { ...body[outer], [inner]: value }
  }
  return body
}
