// What was typed behind a command's words, as the request that it makes.
import { parseArgs } from 'node:util'
import { type Command, fieldOf, idsOf, isPaged, type Json, methodOf, type Option, pathOf, placesOf } from './command.ts'
import { usageOf } from './help.ts'
import type { ManyRequests } from './many-requests.ts'
import { nearest } from './nearest.ts'
import { readPriceFile } from './price-file.ts'
import { Misuse, type Surroundings } from './surroundings.ts'

export interface Request {
  method: string
  path: string
  /** Several values stand under one name several times. */
  query: Record<string, string | string[]>
  body: Json
}

/** In its path, braces stand for things that were typed by id or by name; a workspace that was not is the owner's own. */
export interface Draft extends Request {
  typed: Map<string, string>
}

export function get(path: string, query: Request['query'] = {}): Request {
  return { method: 'GET', path, query, body: undefined }
}

/** What every command takes. */
export interface Common {
  url: string | undefined
  'token-file': string | undefined
  json: boolean
  help: boolean
}

export interface Typed {
  common: Common
  /** All pages of a list. */
  all: boolean
  idempotencyKey: string | undefined
  /** It is meant. */
  yes: boolean
  values: Record<string, string | boolean>
  places: string[]
}

const COMMON_OPTIONS = {
  url: { type: 'string' },
  'token-file': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

export function readTyped(
  words: string[],
  { options = {}, isIdempotent, needsYes }: Pick<Command, 'options' | 'isIdempotent' | 'needsYes'>,
): Typed {
  const own = Object.entries(options)
    .filter(([, option]) => !option.isPlaced)
    .map(([name, { kind }]) => [name, { type: kind === 'flag' ? 'boolean' : 'string', multiple: isMany(kind) }])
  const { values, positionals } = parsed(words, {
    ...Object.fromEntries(own),
    ...COMMON_OPTIONS,
    ...(isPaged({ options }) && { all: { type: 'boolean' as const } }),
    ...(isIdempotent && { 'idempotency-key': { type: 'string' as const } }),
    ...(needsYes && { yes: { type: 'boolean' as const } }),
  })
  const { url, 'token-file': tokenFile, json, help, all, 'idempotency-key': idempotencyKey, yes, ...rest } = values
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
    values: Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, oneOf(value, options[name]?.kind)])),
    places: positionals,
  }
}

function isMany(kind: Option['kind'] | undefined): boolean {
  return kind === 'list' || isPaired(kind)
}

function isPaired(kind: Option['kind'] | undefined): boolean {
  return kind === 'pairs' || kind === 'secrets'
}

/** What may stand several times reads like the same with commas, or in lines where a comma may be part of it. */
function oneOf(value: unknown, kind: Option['kind'] | undefined): string | boolean {
  return Array.isArray(value) ? value.join(isPaired(kind) ? '\n' : ',') : (value as string | boolean)
}

const ABOUT_DASHES = 'A value that begins with a dash is written --option=-value, or behind -- where it has no option.'

function parsed(args: string[], options: NonNullable<Parameters<typeof parseArgs>[0]>['options'] & {}) {
  try {
    return parseArgs({ args, options, allowPositionals: true, allowNegative: true })
  } catch (fault) {
    if (!(fault instanceof TypeError)) throw fault
    const sentence = fault.message.split(/\n|\. /)[0]?.replace(/\.$/, '')
    const unknown = /^Unknown option '--(?:no-)?([^']+)'/.exec(fault.message)?.[1]
    const near = unknown === undefined ? undefined : nearest(unknown, Object.keys(options))
    if (near !== undefined) throw new Misuse(`${sentence}. Did you mean --${near}?`)
    throw new Misuse(`${sentence}. ${args.some((word) => /^-\W?\w/.test(word)) ? ABOUT_DASHES : ''}`.trimEnd())
  }
}

export function draftOf(command: Command, { values, places }: Typed, around: Surroundings): Draft {
  const placed = placesByName(command, places)
  const path = pathOf(command)
  const typed = new Map(idsOf(command).flatMap((id) => idTyped(id, placed)))
  const given = new Map([...Object.entries(values), ...placed])
  const fields = Object.entries(command.options ?? {}).flatMap(([name, option]): [string, Json][] => {
    const typed = given.get(name)
    if (typed === undefined && option.isNeeded) throw new Misuse(`--${name} is needed: ${option.tells}.`)
    if (typed === undefined) return []
    return [[fieldOf(name, option), readValue(name, option, typed, around)], ...Object.entries(option.implies ?? {})]
  })
  const method = methodOf(command)
  if (method === 'GET')
    return { ...get(path, Object.fromEntries(fields.map(([name, value]) => [name, inQuery(value)]))), typed }
  if (method === 'PATCH' && fields.length === 0) throw new Misuse('There is nothing to change: name what shall be.')
  return { method, path, query: {}, body: fields.length === 0 ? undefined : nested(fields), typed }
}

/** The body of a request that is none of the management API; what is named by a file is no part of it. */
export function fieldsTyped(command: ManyRequests, { values, places }: Typed, around: Surroundings): Json {
  const placed = command.places.flatMap((name, at): [string, Json][] =>
    places[at] === undefined ? [] : [[name, places[at]]],
  )
  const named = Object.entries(command.options ?? {}).flatMap(([name, option]): [string, Json][] => {
    const typed = values[name]
    const isNone = typed === undefined || option.kind === 'file' || option.kind === 'flag'
    return isNone ? [] : [[fieldOf(name, option), readValue(name, option, typed, around)]]
  })
  return Object.fromEntries([...placed, ...named])
}

/** The workspace stands first, and an owner may leave it out. */
function placesByName(command: Command, places: string[]): Map<string, string> {
  const all = placesOf(command)
  const names = all[0] === 'workspace' && places.length === all.length - 1 ? all.slice(1) : all
  if (places.length !== names.length) throw new Misuse(`This command is written: ${usageOf(command)}`)
  return new Map(names.map((name, index) => [name, places[index] ?? '']))
}

function inQuery(value: Json): string | string[] {
  return Array.isArray(value) ? value : String(value)
}

function idTyped(id: string, placed: Map<string, string>): [string, string][] {
  const word = placed.get(id)
  return word === undefined ? [] : [[id, checkedWord(id, word)]]
}

/** A URL reads dots as a way up, and nothing as nothing: the call would be another one. */
export function checkedWord(name: string, word: string): string {
  if (word === '' || word === '.' || word === '..') throw new Misuse(`'${word}' is no ${name}.`)
  return word
}

function readValue(name: string, option: Option, typed: string | boolean, around: Surroundings): Json {
  if (typeof typed === 'boolean') return typed
  if (typed === 'none' && option.none) return option.none === 'null' ? null : []
  switch (option.kind) {
    case 'number':
      if (!/^-?\d+(\.\d+)?$/.test(typed)) throw new Misuse(`${name} must be a number, not '${typed}'.`)
      return Number(typed)
    case 'list':
      return readList(name, option, typed)
    case 'json':
      return readJson(name, typed, around)
    case 'hours': {
      const [from, to, ...more] = typed.split('-')
      if (!from || !to || more.length > 0)
        throw new Misuse(`${name} must be hours such as 20:00-08:00, not '${typed}'.`)
      return { from, to }
    }
    case 'file':
      return readSecret(typed, around)
    case 'pem':
      return attempt(() => around.readFile(typed), typed)
    case 'prices':
      return readPriceFile(attempt(() => around.readFile(typed), typed))
    case 'pairs':
      return readPairs(name, typed, (value) => value)
    case 'secrets':
      return readPairs(name, typed, (value) => readNamedSecret(name, value, around))
    case 'text':
    case 'flag':
      return typed
    default:
      throw option.kind satisfies never
  }
}

/** An empty list of what is allowed allows nothing: a variable that happens to be empty shall not say that. */
function readList(name: string, { none }: Option, typed: string): string[] {
  const words = typed.split(',').map((word) => word.trim())
  if (words.some((word) => word === ''))
    throw new Misuse(
      `${name} must be words with commas between them, not '${typed}'.${none ? ' To lift it, write none.' : ''}`,
    )
  return words
}

function readPairs(name: string, typed: string, read: (value: string) => Json): Json {
  const pairs = typed.split('\n').map((pair) => {
    const [, key, value] = /^(\w+)=(.*)$/s.exec(pair) ?? []
    if (key === undefined || value === undefined) throw new Misuse(`--${name} is written name=value.`)
    return [key, read(value)]
  })
  return Object.fromEntries(pairs)
}

/** A command line can be read by others of the machine; what was typed is not repeated either. */
function readNamedSecret(name: string, typed: string, around: Surroundings): Json {
  if (typed === 'none') return null
  if (!/^@./s.test(typed))
    throw new Misuse(`--${name} is written name=@file, for a secret shall not stand in a command.`)
  return readSecret(typed.slice(1), around)
}

/** What is too long for a line stands in a file. */
function readJson(name: string, typed: string, { readFile }: Surroundings): Json {
  const file = /^@(.+)/.exec(typed)?.[1]
  if (file !== undefined)
    return readObject(
      `'${file}'`,
      attempt(() => readFile(file), file),
    )
  if (/^\s*[{[]/.test(typed)) return readObject(name, typed)
  if (/\.json$/i.test(typed)) throw new Misuse(`${name} is JSON; what stands in a file is written @${typed}.`)
  return typed
}

/** What is wrong is told, and what was typed is not repeated: it may be long. */
function readObject(name: string, typed: string): Json {
  try {
    return JSON.parse(typed)
  } catch (fault) {
    throw new Misuse(`${name} must be JSON, and is not: ${fault instanceof Error ? fault.message : fault}.`)
  }
}

/** The first line of a file, as editors of any kind write it. */
export function readSecret(file: string, { readFile }: Surroundings): string {
  const line = attempt(() => readFile(file), file)
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)[0]
  if (!line) throw new Misuse(`${file === '-' ? 'Standard input' : file} holds nothing in its first line.`)
  return line
}

function attempt(read: () => string, file: string): string {
  try {
    return read()
  } catch (fault) {
    throw new Misuse(`'${file}' cannot be read: ${fault instanceof Error ? fault.message : fault}.`)
  }
}

/** `rate.otp` stands in `rate`. */
function nested(fields: [string, Json][]): Json {
  const body: Json = {}
  for (const [field, value] of fields) {
    const [outer = '', inner] = field.split('.')
    if (inner === undefined) body[outer] = value
    else body[outer] = { ...body[outer], [inner]: value }
  }
  return body
}
