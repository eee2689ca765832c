// `npm run crash -- [--kills 200] [--senders 10] [--accepts 0] [--seed N] [--fault <judge>]`: kills the service, its workers and its PostgreSQL
// under load, and judges the result by the logs of processes outside the service. Before each kill `--accepts` messages have been accepted since the
// last one. Ctrl-C or SIGTERM ends the kills and judges what has happened. `--fault` changes the logs after the run, and its judge must fail.
import { randomInt } from 'node:crypto'
import { UsageError } from '../../bench/usage-error.ts'
import { type CrashArguments, parseArguments, USAGE } from './arguments.ts'
import { withFault } from './faults.ts'
import { judgeAll } from './judges.ts'
import type { DoneKill } from './kills.ts'
import { run } from './loop.ts'
import { formatReport } from './report.ts'

const { kills, senders, accepts, fault, seed: given } = readArguments()
const seed = given ?? randomInt(10 ** 9)
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
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stopping.abort())
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

function readArguments(): CrashArguments {
  try {
    const read = parseArguments(process.argv.slice(2))
    if (read) return read
    console.log(USAGE)
    process.exit(0)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    console.error(`${error.message}\n\n${USAGE}`)
    process.exit(1)
  }
}
