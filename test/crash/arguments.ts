// The arguments of `npm run crash`.
import { parseArgs } from 'node:util'
import { UsageError } from '../../bench/usage-error.ts'
import { JUDGE_NAMES, type JudgeName } from './judges.ts'
import { DEFAULT_SENDERS } from './loop.ts'

export const USAGE = `npm run crash -- [options]
  --kills 200       kills of the run
  --senders ${DEFAULT_SENDERS}      requests at the same time
  --accepts 0       messages accepted between two kills, at least
  --seed N          repeats the kills and requests of a run
  --fault <judge>   changes the logs after the run so that this judge fails: ${JUDGE_NAMES.join(', ')}
  --help            shows this`

export interface CrashArguments {
  kills: number
  senders: number
  accepts: number
  /** null: a new one. */
  seed: number | null
  fault: JudgeName | null
}

const TEXT = { type: 'string' } as const
const OPTIONS = {
  ...{ kills: TEXT, senders: TEXT, accepts: TEXT, seed: TEXT, fault: TEXT },
  help: { type: 'boolean' },
} as const

/** null: help is wanted. Throws a UsageError. */
export function parseArguments(args: string[]): CrashArguments | null {
  // The messages of a strict parseArgs are for programmers.
  const { tokens } = parseArgs({ args, options: OPTIONS, strict: false, allowPositionals: true, tokens: true })
  const texts = new Map<string, string>()
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue
    if (token.kind === 'positional') throw new UsageError(`'${token.value}' is not an option.`)
    if (token.name === 'help') return null
    if (!Object.hasOwn(OPTIONS, token.name)) throw new UsageError(`Unknown option ${token.rawName}.`)
    if (token.value === undefined) throw new UsageError(`${token.rawName} needs a value.`)
    texts.set(token.name, token.value)
  }
  const number = (name: string) => wholeNumber(name, texts.get(name))
  return {
    kills: number('kills') ?? 200,
    senders: number('senders') ?? DEFAULT_SENDERS,
    accepts: number('accepts') ?? 0,
    seed: number('seed'),
    fault: judgeNamed(texts.get('fault')),
  }
}

function wholeNumber(name: string, text: string | undefined): number | null {
  if (text === undefined) return null
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${name} must be a whole number, not '${text}'.`)
  return Number(text)
}

function judgeNamed(name: string | undefined): JudgeName | null {
  if (name === undefined) return null
  const judge = JUDGE_NAMES.find((it) => it === name)
  if (judge === undefined) throw new UsageError(`--fault must be one of ${JUDGE_NAMES.join(', ')}, not '${name}'.`)
  return judge
}
