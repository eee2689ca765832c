// What can be typed: all of it, the commands of one kind, or one command with its options.
import { type Command, isPaged, type Option, placesOf } from './command.ts'
import { COMMANDS } from './commands.ts'
import { MANY_REQUESTS, type ManyRequests } from './many-requests.ts'

interface Described {
  name: string
  tells: string
  usage: string
}

const WIDTH = 80
/** In a list, a command that is longer stands on a line of its own, or the sentences would have no room. */
const WIDEST_USAGE = 36

const ADDRESS = '  --url <address>      of the service (HULAKI_URL, or http://127.0.0.1:8080)'
const JSON_AND_HELP = [
  '  --json               the answer as it came, for programs; an error as JSON on',
  '                       standard error',
  '  -h, --help           about one command',
]

export const HELP_OF_COMMON = [
  'Every command takes',
  ADDRESS,
  '  --token-file <file>  with the token of the operator or of an owner',
  '                       (HULAKI_TOKEN, HULAKI_OPERATOR_TOKEN, or the',
  '                       operator-token in the data folder)',
  ...JSON_AND_HELP,
  'A workspace, client, template or carrier is named by its id, or by its name',
  'where only one has it. An owner may leave out the workspace: it is the own one.',
  'hulaki --version tells the version.',
].join('\n')

const HELP_OF_PROGRAMS = ['It also takes', ADDRESS, ...JSON_AND_HELP].join('\n')

const EXIT_CODES = [
  '  0  done',
  '  1  refused, or the answer could not be printed; for doctor: something is',
  '     not well',
  '  2  the command line is wrong',
  '  3  there is no such thing, or not for this token',
  '  4  the token is missing or wrong',
  '  5  the service cannot be reached or cannot answer now; ask again later',
]

export function helpOfAll(): string {
  return [
    'hulaki <command> [options]: the operator and the owners of workspaces at work.',
    '',
    ...listOf(everything()),
    '',
    HELP_OF_COMMON,
    '',
    'It exits with',
    ...EXIT_CODES,
  ].join('\n')
}

/** Those that begin with this word; null where none does. */
export function helpOfKind(word: string): string | null {
  const some = everything().filter(({ name }) => name.split(' ')[0] === word)
  return some.length === 0 ? null : listOf(some).join('\n')
}

/** Of a command that is no single request. */
export function helpOfMany(command: ManyRequests): string {
  return helpText({ ...command, usage: usageOfMany(command) })
}

export function usageOfMany({ name, places, optionalPlaces = 0, options = {} }: ManyRequests): string {
  const more = Object.keys(options).length > 0 ? ['[options]'] : []
  return ['hulaki', name, ...placesOfMany({ places, optionalPlaces }), ...more].join(' ')
}

function placesOfMany({ places, optionalPlaces = 0 }: Pick<ManyRequests, 'places' | 'optionalPlaces'>): string[] {
  const needed = places.length - optionalPlaces
  return places.map((place, at) => (at < needed ? `<${place}>` : `[<${place}>]`))
}

export function helpOf(command: Command): string {
  return helpText({ ...command, usage: usageOf(command) })
}

type Helped = Described & Pick<Command, 'options' | 'isIdempotent' | 'needsYes'> & Pick<ManyRequests, 'isForPrograms'>

function helpText(command: Helped): string {
  const options = Object.entries(command.options ?? {})
  const lines = [
    ...options.map(([name, option]) => [option.isPlaced ? `<${name}>` : writtenAs(name, option), noteOf(option)]),
    ...(isPaged(command) ? [['--all', 'every page of the list']] : []),
    ...(command.isIdempotent
      ? [['--idempotency-key <key>', 'one of your own, so that it may be repeated after a failure']]
      : []),
    ...(command.needsYes ? [['--yes', 'it is meant: nothing is done without it']] : []),
  ]
  const width = Math.max(0, ...lines.map(([left = '']) => left.length))
  return [
    `${command.tells}.`,
    '',
    ...filled(command.usage.split(/ (?=--|\[)/), WIDTH - 6).map((line, at) =>
      at === 0 ? `  ${line}` : `      ${line}`,
    ),
    ...(lines.length > 0
      ? ['', ...lines.flatMap(([left = '', right = '']) => besides(left.padEnd(width), right))]
      : []),
    '',
    command.isForPrograms ? HELP_OF_PROGRAMS : HELP_OF_COMMON,
  ].join('\n')
}

/** Two columns, the second wrapped at its spaces. */
function besides(left: string, right: string): string[] {
  const lines = filled(right.split(' '), WIDTH - left.length - 4)
  return lines.map((line, at) => `  ${at === 0 ? left : ' '.repeat(left.length)}  ${line}`)
}

/** Pieces that stay whole, in lines of so many characters. */
function filled(pieces: string[], room: number): string[] {
  const lines: string[] = []
  for (const piece of pieces) {
    const longer = `${lines.at(-1)} ${piece}`
    if (lines.length > 0 && longer.length <= room) lines[lines.length - 1] = longer
    else lines.push(piece)
  }
  return lines
}

export function usageOf(command: Command): string {
  const needed = Object.entries(command.options ?? {}).filter(([, option]) => option.isNeeded)
  const hasMore = Object.values(command.options ?? {}).some((option) => !option.isNeeded && !option.isPlaced)
  return [
    'hulaki',
    command.name,
    ...placesOf(command).map((place) => `<${place}>`),
    ...needed.map(([name, option]) => writtenAs(name, option)),
    ...(hasMore ? ['[options]'] : []),
  ].join(' ')
}

function everything(): Described[] {
  return [...COMMANDS.map(describe), ...MANY_REQUESTS.map(describeMany)]
}

function describe(command: Command): Described {
  const { name, tells } = command
  return { name, tells, usage: [name, ...placesOf(command).map((place) => `<${place}>`)].join(' ') }
}

function describeMany(command: ManyRequests): Described {
  const { name, tells } = command
  return { name, tells, usage: [name, ...placesOfMany(command)].join(' ') }
}

function listOf(some: Described[]): string[] {
  const width = Math.min(WIDEST_USAGE, Math.max(...some.map(({ usage }) => usage.length)))
  return some.flatMap(({ usage, tells }) =>
    usage.length <= width ? besides(usage.padEnd(width), tells) : [`  ${usage}`, ...besides(' '.repeat(width), tells)],
  )
}

function writtenAs(name: string, { kind }: Option): string {
  return kind === 'flag' ? `--[no-]${name}` : `--${name} <${WRITTEN[kind] ?? kind}>`
}

/** Kinds whose name does not show how a value is typed. */
const WRITTEN: Partial<Record<Option['kind'], string>> = {
  pem: 'file',
  prices: 'file',
  pairs: 'name=value',
  secrets: 'name=@file',
}

function noteOf({ tells, otherwise, none, isNeeded }: Option): string {
  const words = otherwise === undefined ? tells : `${tells} (${otherwise})`
  return [words, ...(none ? ['none takes it away'] : []), ...(isNeeded ? ['needed'] : [])].join('; ')
}
