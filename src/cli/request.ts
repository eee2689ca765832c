// What was typed behind a command's words, as the request that it makes.
import { parseArgs } from 'node:util'
import { type Command, fieldOf, idsOf, type Json, methodOf, type Option, pathOf, placesOf } from './command.ts'
import { usageOf } from './help.ts'

export interface Request {
  method: string
  path: string
  query: Record<string, string>
  body: Json
}

export function get(path: string, query: Record<string, string> = {}): Request {
  return { method: 'GET', path, query, body: undefined }
}

/** The command line is wrong, and says how. */
export class Misuse extends Error {}

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
  { options = {}, columns, isIdempotent }: Pick<Command, 'options' | 'columns' | 'isIdempotent'>,
): Typed {
  const own = Object.entries(options)
    .filter(([, option]) => !option.isPlaced)
    .map(([name, { kind }]) => [name, { type: kind === 'flag' ? ('boolean' as const) : ('string' as const) }])
  const { values, positionals } = parsed(words, {
    ...Object.fromEntries(own),
    ...COMMON_OPTIONS,
    ...(columns && options.cursor && { all: { type: 'boolean' as const } }),
    ...(isIdempotent && { 'idempotency-key': { type: 'string' as const } }),
  })
  const { url, 'token-file': tokenFile, json, help, all, 'idempotency-key': idempotencyKey, ...rest } = values
  return {
    common: {
      url: url as string | undefined,
      'token-file': tokenFile as string | undefined,
      json: json === true,
      help: help === true,
    },
    all: all === true,
    idempotencyKey: idempotencyKey as string | undefined,
    values: rest as Typed['values'],
    places: positionals,
  }
}

function parsed(args: string[], options: NonNullable<Parameters<typeof parseArgs>[0]>['options'] & {}) {
  try {
    return parseArgs({ args, options, allowPositionals: true, allowNegative: true })
  } catch (fault) {
    if (!(fault instanceof TypeError)) throw fault
    throw new Misuse(fault.message.split('. ')[0])
  }
}

export function requestOf(command: Command, { values, places }: Typed, readFile: (name: string) => string): Request {
  const names = placesOf(command)
  if (places.length !== names.length) throw new Misuse(`This command is written: ${usageOf(command)}`)
  const ids = idsOf(command)
  const path = ids.reduce(
    (text, id, index) => text.replace(`{${id}}`, encodeURIComponent(places[index] ?? '')),
    pathOf(command),
  )
  const given = new Map(Object.entries(values))
  for (const [index, name] of names.entries()) if (index >= ids.length) given.set(name, places[index] ?? '')
  const fields = Object.entries(command.options ?? {}).flatMap(([name, option]): [string, Json][] => {
    const typed = given.get(name)
    if (typed === undefined && option.isNeeded) throw new Misuse(`--${name} is needed: ${option.tells}`)
    return typed === undefined ? [] : [[fieldOf(name, option), readValue(name, option, typed, readFile)]]
  })
  const method = methodOf(command)
  if (method === 'GET') {
    const query = Object.fromEntries(fields.map(([name, value]) => [name, String(value)]))
    return get(path, query)
  }
  if (method === 'PATCH' && fields.length === 0) throw new Misuse('There is nothing to change: name what shall be.')
  return { method, path, query: {}, body: fields.length === 0 ? undefined : nested(fields) }
}

function readValue(name: string, option: Option, typed: string | boolean, readFile: (name: string) => string): Json {
  const { kind, mayBeNone } = option
  if (typeof typed === 'boolean') return typed
  if (mayBeNone && typed === 'none') return null
  switch (kind) {
    case 'number': {
      const value = Number(typed)
      if (typed.trim() === '' || !Number.isFinite(value)) throw new Misuse(`${name} must be a number, not '${typed}'.`)
      return value
    }
    case 'list':
      return typed
        .split(',')
        .map((word) => word.trim())
        .filter((word) => word !== '')
    case 'json':
      return typed.trimStart().startsWith('{') ? objectOf(name, typed) : typed
    case 'hours': {
      const [from, to, ...more] = typed.split('-')
      if (!from || !to || more.length > 0)
        throw new Misuse(`${name} must be hours such as 20:00-08:00, not '${typed}'.`)
      return { from, to }
    }
    case 'file':
      return readFile(typed).split(/\r?\n/)[0]
    case 'text':
    case 'flag':
      return typed
    default:
      throw kind satisfies never
  }
}

function objectOf(name: string, typed: string): Json {
  try {
    return JSON.parse(typed)
  } catch {
    throw new Misuse(`${name} must be JSON, and this is none: ${typed}`)
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
