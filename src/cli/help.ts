// The help: all commands, the commands of one subject, or one command with its options and an example.
import { type CommandForm, isPaged, type Option } from './command.ts'
import { COMMANDS } from './commands.ts'
import { SPECIAL_COMMANDS } from './special-commands.ts'

const WIDTH = 80
/** In a list, a longer command has a line of its own. */
const WIDEST_USAGE = 36

const ADDRESS = '  --url <address>      of the service (HULAKI_URL, or http://127.0.0.1:8080)'
const JSON_AND_HELP = [
  '  --json               print JSON; errors are printed as JSON on standard',
  '                       error',
  '  -h, --help           show the help of a command',
]

export const HELP_OF_COMMON = [
  'Common options:',
  ADDRESS,
  '  --token-file <file>  with the token of the operator or of an owner',
  '                       (HULAKI_TOKEN, HULAKI_OPERATOR_TOKEN, or the file',
  '                       operator-token in the data folder)',
  ...JSON_AND_HELP,
  'A workspace, client, template or carrier is given by its id, or by its name if',
  'the name is unique. Owners can leave out their workspace.',
].join('\n')

const HELP_OF_PROGRAMS = ['Common options:', ADDRESS, ...JSON_AND_HELP].join('\n')

const HELP_OF_LOCAL = ['Common options:', ...JSON_AND_HELP].join('\n')

function helpOfOptions({ isLocal, isForPrograms }: CommandForm): string {
  if (isLocal) return HELP_OF_LOCAL
  return isForPrograms ? HELP_OF_PROGRAMS : HELP_OF_COMMON
}

const EXIT_CODES = [
  '  0  done',
  '  1  rejected, or the output could not be printed; for doctor: a check failed',
  '  2  invalid command line',
  '  3  not found, or no access with this token',
  '  4  the token is missing or wrong',
  '  5  service not reachable or not available; try again later',
]

export function helpOfAll(): string {
  return [
    'hulaki <command> [options]: manage and send with Hulaki.',
    '',
    ...listOf([...COMMANDS, ...SPECIAL_COMMANDS]),
    '',
    HELP_OF_COMMON,
    'hulaki --version shows the version.',
    '',
    'Exit codes:',
    ...EXIT_CODES,
  ].join('\n')
}

/** The commands whose names start with these words, such as `client` or `client key`; null if there are none. */
export function helpOfSubject(subject: string): string | null {
  const some = [...COMMANDS, ...SPECIAL_COMMANDS].filter(({ name }) => `${name} `.startsWith(`${subject} `))
  return some.length === 0 ? null : listOf(some).join('\n')
}

export function helpOf(command: CommandForm): string {
  const lines = [
    ...Object.entries(command.options).map(([name, option]) => [
      option.isPositional ? `<${name}>` : optionUsage(name, option),
      formatNote(option),
    ]),
    ...(isPaged(command) ? [['--all', 'every page of the list']] : []),
    ...(command.isIdempotent
      ? [['--idempotency-key <key>', 'a key of your own, to repeat the command safely after a failure']]
      : []),
    ...(command.isText ? [['--output <file>', 'write a file instead of standard output']] : []),
    ...(command.needsYes ? [['--yes', 'confirm: nothing happens without it']] : []),
  ]
  const width = Math.max(0, ...lines.map(([left = '']) => left.length))
  return [
    `${command.summary}.`,
    ...(command.about ? wrapPieces(`${command.about}.`.split(' '), WIDTH) : []),
    '',
    ...wrapIndented(formatUsage(command), 'Usage: '),
    ...(lines.length > 0
      ? ['', 'Options:', ...lines.flatMap(([left = '', right = '']) => inColumns(left.padEnd(width), right))]
      : []),
    '',
    ...wrapIndented(formatExample(command), 'Example: ', ' \\'),
    '',
    helpOfOptions(command),
  ].join('\n')
}

export function formatUsage(command: CommandForm): string {
  const options = Object.entries(command.options)
  const required = options.filter(([, option]) => option.isRequired)
  const hasMore = command.isText || options.some(([, option]) => !option.isRequired && !option.isPositional)
  return [
    ...['hulaki', command.name, ...formatPositionals(command)],
    ...required.map(([name, option]) => optionUsage(name, option)),
    ...(command.needsYes ? ['--yes'] : []),
    ...(hasMore ? ['[options]'] : []),
  ].join(' ')
}

export function formatPositionals({ positionals, optionalPositionals = 0 }: CommandForm): string[] {
  const needed = positionals.length - optionalPositionals
  return positionals.map((place, at) => (at < needed ? `<${place}>` : `[<${place}>]`))
}

/** A command that can be typed as it is, with ids in variables. */
export function formatExample({ name, example, positionals, options, needsYes }: CommandForm): string {
  if (example !== undefined) return `hulaki ${name} ${example}`
  const required = Object.entries(options).filter(([, option]) => option.isRequired)
  return [
    ...['hulaki', name, ...positionals.map(sampleOf)],
    ...required.flatMap(([option]) => [`--${option}`, sampleOf(option)]),
    ...(needsYes ? ['--yes'] : []),
  ].join(' ')
}

const SAMPLES: Record<string, string> = {
  amount: '1000',
  below: '100',
  'brand-name': 'Himal',
  carrier: 'Everest',
  client: "'Web shop'",
  code: '123456',
  country: 'NP',
  currency: 'NPR',
  email: 'sita@example.com',
  month: '2026-11',
  name: "'Web shop'",
  outcome: 'delivered',
  prefix: '+97798510',
  prices: 'prices.csv',
  reason: "'Name the shop'",
  role: 'developer',
  seconds: '60',
  since: '2026-11-15T00:00:00Z',
  status: 'failed',
  template: 'Order',
  text: "'Your order 4711 is on its way'",
  to: '9800000001',
  workspace: "'Himal Bank'",
}

function sampleOf(place: string): string {
  return SAMPLES[place] ?? `$${place.toUpperCase()}`
}

/** Two columns, the second wrapped at its spaces. */
function inColumns(left: string, right: string): string[] {
  const lines = wrapPieces(right.split(' '), WIDTH - left.length - 4)
  return lines.map((line, at) => `  ${at === 0 ? left : ' '.repeat(left.length)}  ${line}`.trimEnd())
}

/** Wraps before options and quotes and indents further lines. `end` is appended to all lines except the last. */
function wrapIndented(text: string, title: string, end = ''): string[] {
  const lines = wrapPieces(text.split(/ (?=--|\[|')/), WIDTH - title.length - end.length)
  return lines.map(
    (line, at) => (at === 0 ? title : ' '.repeat(title.length)) + line + (at < lines.length - 1 ? end : ''),
  )
}

/** Pieces that stay whole, in lines of at most `room` characters. */
function wrapPieces(pieces: string[], room: number): string[] {
  const lines: string[] = []
  for (const piece of pieces) {
    const longer = `${lines.at(-1)} ${piece}`
    if (lines.length > 0 && longer.length <= room) lines[lines.length - 1] = longer
    else lines.push(piece)
  }
  return lines
}

function listOf(some: readonly CommandForm[]): string[] {
  const all = some.map((command) => ({ ...command, usage: [command.name, ...formatPositionals(command)].join(' ') }))
  const width = Math.min(WIDEST_USAGE, Math.max(...all.map(({ usage }) => usage.length)))
  return all.flatMap(({ usage, summary }) =>
    usage.length <= width
      ? inColumns(usage.padEnd(width), summary)
      : [`  ${usage}`, ...inColumns(' '.repeat(width), summary)],
  )
}

function optionUsage(name: string, { kind, at, isRequired }: Option): string {
  // Required, and no field that could be false: only a confirmation.
  if (kind === 'flag' && isRequired && at === '') return `--${name}`
  return kind === 'flag' ? `--[no-]${name}` : `--${name} <${VALUE_NAMES[kind] ?? kind}>`
}

/** Kinds whose name does not show how a value is typed. */
const VALUE_NAMES: Partial<Record<Option['kind'], string>> = {
  pem: 'file',
  prices: 'file',
  pairs: 'name=value',
  secrets: 'name=@file',
}

export function formatNote({ kind, about, choices, range, usual, none, isRequired }: Option): string {
  const remarks = [
    kind === 'file' || kind === 'prices' ? '- is standard input' : undefined,
    choices?.join(', ') ?? range,
    isRequired ? 'required' : undefined,
    usual === undefined ? undefined : `default: ${usual}`,
    none && usual !== 'none' ? "'none' clears it" : undefined,
  ].filter((it) => it !== undefined)
  return remarks.length === 0 ? about : `${about} (${remarks.join('; ')})`.trimStart()
}
