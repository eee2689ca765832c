// `npm run crash -- [--kills 200] [--senders 10] [--accepts 0] [--seed N] [--fault <judge>]`: kills the service, its workers and its PostgreSQL
// under load, and judges the result by the logs of processes outside the service. Before each kill `--accepts` messages have been accepted since the
// last one. Ctrl-C ends the kills and judges what has happened. `--fault` changes the logs after the run, and its judge must fail.
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { withFault } from './faults.ts'
import { JUDGE_NAMES, type JudgeName, judgeAll } from './judges.ts'
import type { DoneKill } from './kills.ts'
import { DEFAULT_SENDERS, run } from './loop.ts'
import { formatReport } from './report.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    senders: { type: 'string', default: String(DEFAULT_SENDERS) },
    accepts: { type: 'string', default: '0' },
    seed: { type: 'string' },
    fault: { type: 'string' },
  },
})
const kills = wholeNumber('kills', values.kills)
const senders = wholeNumber('senders', values.senders)
const accepts = wholeNumber('accepts', values.accepts)
const seed = values.seed === undefined ? randomInt(10 ** 9) : wholeNumber('seed', values.seed)
const fault = judgeNamed(values.fault)
const load = `--senders ${senders} --accepts ${accepts}`
const command = `npm run crash -- --kills ${kills} ${load} --seed ${seed}${fault ? ` --fault ${fault}` : ''}`

console.log(`Seed ${seed}`)
const exitCode = await main().catch((error: unknown) => {
  console.error(error)
  return 1
})
if (exitCode === 1) console.log(`Repeat the run with: ${command}`)
// Senders of a run that ended early still repeat their requests.
process.exit(exitCode)

async function main(): Promise<number> {
  const startedAt = performance.now()
  const stopping = new AbortController()
  process.on('SIGINT', () => stopping.abort())
  const { evidence, folder, close } = await run({
    ...{ seed, kills, senders, accepts },
    onKill: logKill,
    stopping: stopping.signal,
  })
  const judged = fault ? withFault(evidence, fault) : evidence
  const verdicts = judgeAll(judged)
  const isGood = Object.values(verdicts).every(({ length }) => length === 0)
  await close({ isKept: !isGood })
  console.log(`\n${formatReport(judged, verdicts)}\n`)
  console.log(`Seed ${seed}, ${Math.round((performance.now() - startedAt) / 1000)} s`)
  if (!isGood) console.log(`The logs are in ${folder}.`)
  return isGood ? 0 : 1
}

function logKill({ number, victim, point, isReached, recoveryMs }: DoneKill): void {
  const where = isReached ? point : `random time (not reached: ${point})`
  console.log(`${number}/${kills} ${victim}; ${where}; next 200 after ${(recoveryMs / 1000).toFixed(1)} s`)
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) fail(`--${name} must be a whole number.`)
  return Number(text)
}

function judgeNamed(name: string | undefined): JudgeName | undefined {
  const judge = JUDGE_NAMES.find((it) => it === name)
  if (name !== undefined && judge === undefined) fail(`--fault must be one of ${JUDGE_NAMES.join(', ')}.`)
  return judge
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
