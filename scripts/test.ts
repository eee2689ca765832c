// `npm test`: type check, Biome, then every test but the long ones against one bundled PostgreSQL. `npm test -- <file>` runs one file,
// `npm run test:long` the long ones: browsers, processes that are killed, packages that are installed.
import { spawn } from 'node:child_process'
import { globSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { run as runFiles } from 'node:test'
import { spec } from 'node:test/reporters'
import { REFUSALS } from '../src/domain/refusals.ts'
import { openTestServer } from '../test/harness/server.ts'
import { spillsIn } from '../test/harness/spills.ts'
import { scratchFolder } from './scratch-folder.ts'

const root = join(import.meta.dirname, '..')
const bin = (name: string) => join(root, 'node_modules', '.bin', name)
const asked = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const areLong = process.argv.includes('--long') || asked.some((file) => file.endsWith('.long.test.ts'))
const isWhole = asked.length === 0

/** Files wait now and then for a database, a socket or a process: one more than there are cores. Browsers and many processes compute. */
const AT_ONCE = availableParallelism() + (areLong ? 0 : 1)
const PATIENCE_MS = areLong ? 600_000 : 240_000
/** More that fail are no accident of a busy machine. */
const MOST_ALONE = 5
const LONGEST_SHOWN = 10

process.exitCode = await main()

async function main(): Promise<number> {
  if (isWhole) {
    const checks = await Promise.all([
      run(bin('tsc'), ['--noEmit']),
      run(bin('tsc'), ['--noEmit', '-p', 'ui']),
      run(bin('tsc'), ['--noEmit', '-p', 'sdk']),
      run(bin('tsc'), ['--noEmit', '-p', 'examples']),
      run(bin('biome'), ['check', '--error-on-warnings']),
    ])
    if (checks.some((code) => code !== 0)) return 1
  }
  const folder = scratchFolder('hulaki-test')
  const server = await openTestServer(folder)
  Object.assign(process.env, {
    TEST_DATABASE_SERVER: JSON.stringify(server.connection),
    TEST_RUN_FOLDER: folder,
    // Every file is a process: what one has compiled, the others and the next run need not.
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled'),
  })
  const code = (await passes(isWhole ? filesOfTheRun() : asked)) ? 0 : 1
  const silent = isWhole && !areLong && code === 0 ? neverProvoked(folder) : []
  for (const refusal of silent) console.error(`no test provokes the code ${refusal} over HTTP`)
  const { spills, logs } = spillsIn(folder)
  for (const spill of spills) console.error(spill)
  if (isWhole && logs === 0) spills.push('no log was kept')
  const leaks = await server.leaks()
  for (const leak of leaks) console.error(`left behind: ${leak}`)
  await server.close()
  // The cluster of a failed run stays, with the databases of the files that failed, for whoever looks into it.
  if (code === 0) rmSync(folder, { recursive: true, force: true })
  else console.error(`The databases of the failed files are kept in ${folder}.`)
  return code !== 0 || leaks.length > 0 || silent.length > 0 || spills.length > 0 ? 1 : 0
}

/** Every code of §7 must have been answered to some test of the run. */
function neverProvoked(folder: string): string[] {
  const provoked = new Set(readFileSync(join(folder, 'provoked-codes'), 'utf8').split('\n'))
  return Object.keys(REFUSALS).filter((code) => !provoked.has(code))
}

function filesOfTheRun(): string[] {
  const all = globSync('test/**/*.test.ts', { cwd: root }).sort()
  return all.filter((file) => file.endsWith('.long.test.ts') === areLong)
}

/** What fails beside others is asked once more alone, where no neighbour takes the machine's time from it. It says so. */
async function passes(files: string[]): Promise<boolean> {
  const failed = await failing(files, AT_ONCE)
  if (failed.length === 0) return true
  if (!isWhole || failed.length > MOST_ALONE) return false
  console.error(`\nOnce more, alone: ${failed.join(', ')}`)
  return (await failing(failed, 1)).length === 0
}

/** Runs them, so many at once, and says which of them failed and which took longest. */
async function failing(files: string[], concurrency: number): Promise<string[]> {
  const stream = runFiles({
    files: files.map((file) => join(root, file)),
    cwd: root,
    concurrency,
    timeout: PATIENCE_MS,
    execArgv: ['--import=./test/harness/must-end.ts'],
  })
  const failed = new Set<string>()
  const took: { file: string; seconds: number }[] = []
  stream.on('test:fail', ({ file, name }) => failed.add(relative(root, file ?? name)))
  stream.on('test:summary', ({ file, duration_ms }) => {
    if (file) took.push({ file: relative(root, file), seconds: duration_ms / 1000 })
  })
  stream.compose(new spec()).pipe(process.stdout, { end: false })
  await new Promise((resolve) => stream.on('end', resolve))
  took.sort((one, other) => other.seconds - one.seconds)
  if (files.length > LONGEST_SHOWN)
    for (const { file, seconds } of took.slice(0, LONGEST_SHOWN))
      console.log(`${seconds.toFixed(1).padStart(7)} s ${file}`)
  return [...failed]
}

function run(command: string, args: string[]): Promise<number> {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit' })
  return new Promise((resolve) => {
    child.on('error', () => resolve(1))
    child.on('exit', (code) => resolve(code ?? 1))
  })
}
