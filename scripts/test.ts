// `npm test`: type checks, Biome and all tests except long ones, against one bundled PostgreSQL.
//   npm test -- <file or folder> …   only these
//   npm test -- unit                 tests without a database
//   npm test -- --watch …            reruns the affected tests after each change
//   npm run test:long                browsers, killed processes, installed packages
//   npm run test:long -- crash       SIGTERM and kill -9 under load, CRASH_ROUNDS times (50); also restarts, fresh
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, rmSync, statSync, watch } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { REFUSALS } from '../src/domain/refusals.ts'
import { findLogLeaks } from '../test/harness/log-leaks.ts'
import { openTestServer } from '../test/harness/server.ts'
import { cpuSecondsOf } from '../test/runner/cpu.ts'
import { Imports } from '../test/runner/imports.ts'
import { Report } from '../test/runner/report.ts'
import { Durations, isLongFile, type Selection, SUITES, selectFiles, UnknownTests } from '../test/runner/selection.ts'
import { runInShards } from '../test/runner/shards.ts'
import { scratchFolder } from './scratch-folder.ts'

const root = join(import.meta.dirname, '..')
const cache = join(root, 'node_modules', '.cache')
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'))
rejectUnknownOptions()
const suites = words.flatMap((word) => SUITES[word] ?? [])
for (const { env } of suites) Object.assign(process.env, { ...env, ...process.env })
const isLong = process.argv.includes('--long') || suites.length > 0 || words.some(isLongFile)
const isWatching = process.argv.includes('--watch')
const isWhole = words.length === 0 && !isWatching
const seed = process.env.SEED ?? String(randomInt(2 ** 31))

/** Two shards more than cores, because test files mostly wait; long files compute. */
const SHARDS = Number(process.env.TEST_SHARDS ?? availableParallelism() + (isLong ? 0 : 2))
const CPU_LIMIT_SECONDS = isLong ? 900 : 180
/** Editors write a file in several steps. */
const SETTLE_MS = 200
const FOLDER_NAME = 'hulaki-test'
const KEPT_MS = 24 * 3_600_000

process.exitCode = await main()

async function main(): Promise<number> {
  mkdirSync(cache, { recursive: true })
  const checks = isWhole ? runChecks() : Promise.resolve(true)
  try {
    const areTestsGood = isWatching ? await watchFiles() : await runOnce(selectFiles(root, words, { isLong }))
    return (await checks) && areTestsGood ? 0 : 1
  } catch (error) {
    if (!(error instanceof UnknownTests)) throw error
    console.error(error.message)
    return 1
  }
}

/** Sequential on one core, parallel to the tests. Unchanged files are not checked again. */
async function runChecks(): Promise<boolean> {
  const bin = (name: string) => join(root, 'node_modules', '.bin', name)
  const tsc = (project: string) =>
    check(bin('tsc'), [
      ...['--noEmit', '-p', project, '--singleThreaded', '--incremental'],
      ...['--tsBuildInfoFile', join(cache, `tsc-${project === '.' ? 'root' : project}.tsbuildinfo`)],
    ])
  let isGood = await check(bin('biome'), ['check', '--error-on-warnings'])
  for (const project of ['.', 'ui', 'sdk', 'examples']) isGood = (await tsc(project)) && isGood
  return isGood
}

function rejectUnknownOptions(): void {
  const unknown = process.argv.slice(2).find((word) => word.startsWith('--') && word !== '--long' && word !== '--watch')
  if (unknown === undefined) return
  const [, ...usage] = readFileSync(import.meta.filename, 'utf8')
    .split('\n')
    .slice(0, 6)
  if (unknown !== '--help') console.error(`Unknown option ${unknown}.`)
  console.log(usage.map((line) => line.replace(/^\/\/ {3}/, '')).join('\n'))
  process.exit(unknown === '--help' ? 0 : 1)
}

function check(command: string, args: string[]): Promise<boolean> {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit' })
  return new Promise((resolve) => {
    child.on('error', () => resolve(false))
    child.on('exit', (code) => {
      if (code !== 0) console.error(`FAIL ${[command, ...args].join(' ')}`)
      resolve(code === 0)
    })
  })
}

async function runOnce(selection: Selection): Promise<boolean> {
  const server = await openRunServer(selection)
  endOnSignal(server)
  try {
    const isGood = await runFiles(selection, server)
    const errors = isWhole ? await errorsOfWholeRun(server, isGood) : await server.errors()
    for (const error of errors) console.error(error)
    // A failed run keeps its cluster with the databases of the failed files.
    if (isGood) server.removeOnClose()
    else console.error(`The databases of the failed files are in ${server.folder}.`)
    return isGood && errors.length === 0
  } finally {
    await server.close()
  }
}

/** The shards end with this process, but PostgreSQL would outlive it. */
function endOnSignal(server: RunServer): void {
  // npm repeats the signal of the terminal.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      server.removeOnClose()
      const end = () => process.exit(1)
      server.close().then(end, end)
    })
}

async function runFiles({ files, timed }: Selection, server: RunServer): Promise<boolean> {
  const startedAt = performance.now()
  const durations = new Durations(root)
  const report = new Report(files.length + timed.length, console.log)
  const env = {
    ...(server.connection ? { TEST_DATABASE_SERVER: JSON.stringify(server.connection) } : {}),
    TEST_RUN_FOLDER: server.folder,
    SEED: seed,
    // Shares compiled code between shards and runs.
    NODE_COMPILE_CACHE: join(cache, 'compiled'),
  }
  const run = (some: string[], shards: number) =>
    runInShards({
      root,
      // Named files run in the given order, so that an order can be repeated.
      files: words.length === 0 ? durations.longestFirst(some) : some,
      shards,
      env,
      reloaded: join(root, 'test'),
      cpuLimitSeconds: CPU_LIMIT_SECONDS,
      onResult: (result, shard) => {
        durations.set(result.file, result.wallMs)
        report.add(result, shard)
      },
    })
  await run(files, SHARDS)
  await run(timed, 1)
  durations.save()
  const cpu = `${Math.round(cpuSecondsOf('self'))} s CPU in Node and checks, ${server.cpuSeconds().toFixed(1)} s in PostgreSQL`
  report.close({ wallMs: performance.now() - startedAt, cpu, seed })
  return report.isSuccess
}

type RunServer = Awaited<ReturnType<typeof openRunServer>>

async function openRunServer({ needsDatabase }: Selection) {
  removeOldFolders()
  const folder = scratchFolder(FOLDER_NAME)
  const server = needsDatabase ? await openTestServer(folder) : null
  let isRemoved = false
  return {
    folder,
    connection: server?.connection,
    cpuSeconds: () => (server ? cpuSecondsOf(server.postmasterPid) : 0),
    /** Leaked connections, and secrets in logs. */
    errors: async (): Promise<string[]> => {
      const leaks = (await server?.leaks()) ?? []
      return [...leaks.map((leak) => `leaked: ${leak}`), ...findLogLeaks(folder).leaks]
    },
    removeOnClose: () => {
      isRemoved = true
    },
    close: async () => {
      await server?.close()
      if (isRemoved) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A failed run keeps its databases for a day. */
function removeOldFolders(): void {
  for (const name of globSync(`${FOLDER_NAME}-*`, { cwd: tmpdir() })) {
    const path = join(tmpdir(), name)
    const ageMs = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (ageMs > KEPT_MS) rmSync(path, { recursive: true, force: true })
  }
}

async function errorsOfWholeRun(server: RunServer, isGood: boolean): Promise<string[]> {
  const errors = await server.errors()
  if (findLogLeaks(server.folder).logs === 0) errors.push('no test wrote a log')
  if (isGood && !isLong) errors.push(...untestedCodes(server.folder))
  return errors
}

/** Some test of the run must get every code of §7. */
function untestedCodes(folder: string): string[] {
  const tested = new Set(readFileSync(join(folder, 'tested-codes'), 'utf8').split('\n'))
  const missing = Object.keys(REFUSALS).filter((code) => !tested.has(code))
  return missing.map((code) => `no test gets the code ${code} over HTTP`)
}

/** Runs the chosen files, then after each change the affected ones, until it is interrupted. */
async function watchFiles(): Promise<never> {
  const chosen = words.length > 0 ? words : ['unit']
  let selection = selectFiles(root, chosen, { isLong })
  const server = await openRunServer(selection)
  server.removeOnClose()
  const changed = new Set<string>()
  let wake = () => {}
  for (const folder of ['src', 'test', 'ui', 'sdk', 'docs'])
    watch(join(root, folder), { recursive: true }, (_, name) => {
      if (name) changed.add(join(folder, name))
      wake()
    })
  endOnSignal(server)
  for (;;) {
    if (selection.files.length + selection.timed.length > 0) await runFiles(selection, server)
    console.log('\nWaiting for changes; Ctrl-C ends.')
    if (changed.size === 0) await new Promise<void>((resolve) => (wake = resolve))
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
    selection = affectedBy(changed, selectFiles(root, chosen, { isLong }))
    changed.clear()
  }
}

function affectedBy(changed: ReadonlySet<string>, { files, timed, needsDatabase }: Selection): Selection {
  const imports = new Imports(root)
  const isAffected = (file: string) => !imports.reachedFrom(file).isDisjointFrom(changed)
  return { files: files.filter(isAffected), timed: timed.filter(isAffected), needsDatabase }
}
