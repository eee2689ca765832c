// The command line of `npm run bench`.
import { parseArgs } from 'node:util'
import { ROWS, selectRows } from './rows.ts'
import { listValid, UsageError } from './usage-error.ts'

export const DELIVERY_KINDS = ['throughput', 'webhooks', 'processes', 'whole', 'receipts', 'codes', 'claims'] as const
export type DeliveryKind = (typeof DELIVERY_KINDS)[number]

interface Benchmark {
  /** One line each in the help text. */
  help: string[]
  options?: Record<string, { type: 'string' | 'boolean' }>
  checkWords?: (words: string[]) => void
}

const BENCHMARKS: Record<string, Benchmark> = {
  table: {
    help: [
      '[row …]: all figures with their baselines; 5 minutes',
      '--messages <count>: messages per row (20000)',
      ...wrap(`rows: ${Object.keys(ROWS).join(', ')}`),
    ],
    options: { messages: { type: 'string' } },
    checkWords: selectRows,
  },
  accept: {
    help: ['accepted messages per second; 3 minutes', '--long: less variance; 12 minutes'],
    options: { long: { type: 'boolean' } },
  },
  delivery: {
    help: ['[kind [count]]: from the queue to the recorded receipt', ...wrap(`kinds: ${DELIVERY_KINDS.join(', ')}`)],
    checkWords: checkDelivery,
  },
  growth: {
    help: ['[messages]: speed with up to 20 000 000 messages; an hour'],
    checkWords: checkGrowth,
  },
  hour: { help: ['[minutes]: what an hour of steady load leaves in the database'], checkWords: checkHour },
  lists: { help: ['lists of the management API on a million messages; 2 minutes'] },
  live: { help: ['CPU time of 500 open consoles; 2 minutes'] },
  tenants: { help: ['how much abuse by one workspace slows another; 5 minutes'] },
  now: { help: ['database time of GET /now with a million queued messages'] },
  overload: { help: ['goodput under overload; 4 minutes'] },
  postings: { help: ['webhooks posted per second over HTTPS; 2 minutes'] },
}

export interface Command {
  name: string
  /** The arguments of the benchmark. */
  args: string[]
}

/** Null if the caller asks for help. */
export function parseCommand(all: string[]): Command | null {
  if (all.some((it) => it === '--help' || it === '-h')) return null
  const [first = ''] = all
  const [name, args] = first === '' || first.startsWith('-') ? ['table', all] : [first, all.slice(1)]
  if (!Object.hasOwn(BENCHMARKS, name)) throw listValid(`There is no benchmark '${name}'`, Object.keys(BENCHMARKS))
  const { options = {}, checkWords = refuseWords(name) } = BENCHMARKS[name] ?? {}
  const { values, positionals, tokens } = parseArgs({ args, options, strict: false, tokens: true })
  const unknown = tokens.find((it) => it.kind === 'option' && !Object.hasOwn(options, it.name))
  if (unknown?.kind === 'option') {
    const valid = ['--help', ...Object.keys(options).map((it) => `--${it}`)]
    throw listValid(`'${name}' has no option '${unknown.rawName}'`, valid)
  }
  if ('messages' in values) checkCount('--messages', values.messages)
  checkWords(positionals)
  return { name, args }
}

export function formatHelp(): string {
  const lines = Object.entries(BENCHMARKS).flatMap(([name, { help }]) =>
    help.map((line, index) => `  ${(index === 0 ? name : '').padEnd(10)}${line}`),
  )
  return ['Usage: npm run bench -- [benchmark] [arguments]', '', 'Benchmarks (default: table):', ...lines].join('\n')
}

function checkDelivery([kind = 'throughput', count, ...rest]: string[]): void {
  if (!DELIVERY_KINDS.some((it) => it === kind)) throw listValid(`'delivery' has no kind '${kind}'`, DELIVERY_KINDS)
  if (count !== undefined) checkCount('The count', count)
  refuseWords('delivery')(rest)
}

function checkGrowth([count, ...rest]: string[]): void {
  if (count !== undefined) checkCount('The number of messages', count)
  refuseWords('growth')(rest)
}

function checkHour([minutes, ...rest]: string[]): void {
  if (minutes !== undefined) checkCount('The number of minutes', minutes)
  refuseWords('hour')(rest)
}

function checkCount(what: string, count: unknown): void {
  if (!/^[1-9]\d*$/.test(String(count))) throw new UsageError(`${what} must be a positive whole number.`)
}

function refuseWords(name: string) {
  return ([word]: string[]) => {
    if (word !== undefined) throw new UsageError(`'${name}' has no argument '${word}'; --help lists the arguments.`)
  }
}

/** Lines of at most 66 characters, so that the help text fits in 80 columns. */
function wrap(text: string): string[] {
  return text.match(/.{1,66}(?: |$)/g)?.map((it) => it.trim()) ?? []
}
