// Reads the values of options and arguments: numbers, lists, JSON, and the contents of files.
import type { AnyJson, Option } from './command.ts'
import { type CliContext, UsageError } from './context.ts'
import { describeFileError } from './file-errors.ts'
import { findNearestWord } from './nearest.ts'
import { readPriceFile } from './price-file.ts'

export function readValue(name: string, option: Option, typed: string | boolean, context: CliContext): AnyJson {
  if (typeof typed === 'boolean') return typed
  if (typed === 'none' && option.none) return option.none === 'null' ? null : []
  switch (option.kind) {
    case 'number':
      return readNumber(name, typed)
    case 'numbers':
      return readList(name, option, typed).map((word) => readNumber(name, word))
    case 'list':
      return readList(name, option, typed)
    case 'json':
      return readJson(name, typed, context)
    case 'hours': {
      const [from, to, ...more] = typed.split('-')
      if (!from || !to || more.length > 0)
        throw new UsageError(`${name} must be hours like 20:00-08:00, not '${typed}'.`)
      return { from, to }
    }
    case 'file':
      return readSecret(typed, context)
    case 'pem':
      return attempt(() => context.readFile(typed), typed)
    case 'prices':
      return readPriceFile(attempt(() => context.readFile(typed), typed))
    case 'pairs':
      return readPairs(name, typed, (value) => value)
    case 'secrets':
      return readPairs(name, typed, (value) => readNamedSecret(name, value, context))
    case 'text':
      return checkedChoice(name, option, typed)
    case 'flag':
      return typed
    default:
      throw option.kind satisfies never
  }
}

function readNumber(name: string, typed: string): number {
  if (!/^-?\d+(\.\d+)?$/.test(typed)) throw new UsageError(`${name} must be a number, not '${typed}'.`)
  return Number(typed)
}

/** An empty allow list allows nothing, so an empty shell variable must not cause one. */
function readList(name: string, option: Option, typed: string): string[] {
  const words = typed.split(',').map((word) => word.trim())
  if (words.some((word) => word === ''))
    throw new UsageError(
      `${name} must be a comma-separated list, not '${typed}'.${option.none ? " To remove it, write 'none'." : ''}`,
    )
  return words.map((word) => checkedChoice(name, option, word))
}

function checkedChoice(name: string, { choices }: Option, word: string): string {
  if (choices === undefined || choices.includes(word)) return word
  const near = findNearestWord(word, choices)
  const hint = near === undefined ? '' : ` Did you mean ${near}?`
  throw new UsageError(`${name} must be one of ${choices.join(', ')}, not '${word}'.${hint}`)
}

function readPairs(name: string, typed: string, read: (value: string) => AnyJson): AnyJson {
  const pairs = typed.split('\n').map((pair) => {
    const [, key, value] = /^(\w+)=(.*)$/s.exec(pair) ?? []
    if (key === undefined || value === undefined) throw new UsageError(`--${name} must be name=value.`)
    return [key, read(value)]
  })
  return Object.fromEntries(pairs)
}

/** Other users of the machine can read a command line, and logs an error message: neither may show a secret. */
function readNamedSecret(name: string, typed: string, context: CliContext): AnyJson {
  if (typed === 'none') return null
  if (!/^@./s.test(typed))
    throw new UsageError(`--${name} must be name=@file: a secret does not belong in a command line.`)
  return readSecret(typed.slice(1), context)
}

function readJson(name: string, typed: string, { readFile }: CliContext): AnyJson {
  const file = /^@(.+)/.exec(typed)?.[1]
  if (file !== undefined)
    return readObject(
      `'${file}'`,
      attempt(() => readFile(file), file),
    )
  if (/^\s*[{[]/.test(typed)) return readObject(name, typed)
  if (/\.json$/i.test(typed)) throw new UsageError(`${name} must be JSON. To read a file, write @${typed}.`)
  return typed
}

function readObject(name: string, typed: string): AnyJson {
  try {
    return JSON.parse(typed)
  } catch (error) {
    throw new UsageError(`${name} is not valid JSON: ${error instanceof Error ? error.message : error}.`)
  }
}

/** The first line of a file, without byte order mark. */
export function readSecret(file: string, { readFile }: CliContext): string {
  const line = attempt(() => readFile(file), file)
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)[0]
  if (!line) throw new UsageError(`The first line of ${file === '-' ? 'standard input' : file} is empty.`)
  return line
}

function attempt(read: () => string, file: string): string {
  try {
    return read()
  } catch (error) {
    const fileError = describeFileError(error, file === '-' ? 'standard input' : file)
    throw new UsageError(fileError ?? `'${file}' cannot be read: ${error instanceof Error ? error.message : error}.`)
  }
}
