// Runs test files one after another in one process. `src` and packages load once, `test` again for each file. A file ends when nothing of it
// keeps the process alive.
import { registerHooks } from 'node:module'
import { join, resolve } from 'node:path'
import { run } from 'node:test'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { endFile } from './file-end.ts'
import type { FileResult, FromShard, ToShard } from './messages.ts'
import { type ProcessState, processState, stateChanges } from './process-state.ts'
import { TestRecord } from './test-record.ts'

/** The time for a file to close its resources after its last test. */
const CLOSING_MS = Number(process.env.TEST_FILE_CLOSING_MS ?? 90_000)
/** Longer than any wait of a test: `until` has a limit of a minute. */
const SILENCE_MS = Number(process.env.TEST_FILE_SILENCE_MS ?? 600_000)
const MEMORY_LIMIT_BYTES = 600 * 2 ** 20
const WATCH_MS = Number(process.env.TEST_FILE_WATCH_MS ?? 2_000)

const ROOT = join(import.meta.dirname, '..', '..')
const RELOADED = pathToFileURL(`${process.env.TEST_RELOADED_FOLDER ?? join(ROOT, 'test')}/`).href
const KEPT = pathToFileURL(`${import.meta.dirname}/`).href

let turn = 0
registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context)
    const { url } = resolved
    if (!url.startsWith(RELOADED) || url.startsWith(KEPT) || url.includes('?')) return resolved
    return { ...resolved, url: `${url}?turn=${turn}` }
  },
})

interface RunningFile {
  file: string
  record: TestRecord
  before: ProcessState
  startedAt: number
  cpuBefore: NodeJS.CpuUsage
  /** Whether Node's runner has closed the report of the file. */
  isReported: boolean
  /** Node's runner does not report a file that throws after defining tests, so the shard imports it again. */
  loadFault: string | null
}

let running: RunningFile | null = null

// Node's runner sets it for every run, so it must be set before the first.
process.env.NODE_TEST_WORKER_ID ??= '1'
// Property tests use the seed that the run prints.
fc.configureGlobal({ seed: Number(process.env.SEED) })

process.on('message', (message: ToShard) => {
  if (message.kind === 'end') process.exit(0)
  // The channel must not keep the process alive while a file runs.
  process.channel?.unref()
  startFile(message.file)
})
// The runner has exited.
process.on('disconnect', () => process.exit(1))
process.on('beforeExit', () => {
  if (!running) return
  if (running.isReported) finishFile(running, [])
  // Node's runner ends pending tests in its own listener, so the loop must run once more.
  else setImmediate(() => {})
})
setInterval(watch, WATCH_MS).unref()
send({ kind: 'ready' })

function startFile(file: string): void {
  turn++
  // Names of databases and logs contain it, as in a separate process.
  const path = resolve(ROOT, file)
  process.argv[1] = path
  const record = new TestRecord(path)
  const started: RunningFile = {
    file,
    record,
    before: processState(),
    startedAt: performance.now(),
    cpuBefore: process.cpuUsage(),
    isReported: false,
    loadFault: null,
  }
  running = started
  const stream = run({ files: [path], isolation: 'none', cwd: ROOT })
  record.read(stream)
  stream.once('end', () => {
    started.isReported = true
    started.loadFault = `${file} did not finish loading: a top-level await never settled`
    import(pathToFileURL(path).href).then(
      () => {
        started.loadFault = null
      },
      (error) => {
        started.loadFault = inspect(error)
      },
    )
  })
}

function finishFile(ended: RunningFile, faults: string[]): void {
  running = null
  if (ended.loadFault !== null) faults.push(ended.loadFault)
  try {
    endFile()
  } catch (error) {
    faults.push(String(error))
  }
  // Node's runner keeps its listeners in a file that did not end.
  const left = faults.length > 0 ? [] : stateChanges(ended.before, processState())
  if (left.length > 0) faults.push(`${ended.file} changed the process and did not change it back: ${left.join(', ')}`)
  const cpu = process.cpuUsage(ended.cpuBefore)
  const result: FileResult = {
    file: ended.file,
    ...ended.record.result(faults),
    wallMs: performance.now() - ended.startedAt,
    cpuMs: (cpu.user + cpu.system) / 1_000,
  }
  const isSpent = faults.length > 0 || process.memoryUsage.rss() > MEMORY_LIMIT_BYTES
  process.channel?.ref()
  send({ kind: 'result', result, isSpent })
}

function watch(): void {
  if (!running) return
  const { file, record } = running
  const silenceMs = performance.now() - record.lastEventAt
  if (record.hasEnded && silenceMs > CLOSING_MS)
    finishFile(running, [`${file} does not end; it left open: ${process.getActiveResourcesInfo().join(', ')}`])
  else if (silenceMs > SILENCE_MS)
    finishFile(running, [`${file}: nothing happened for ${SILENCE_MS / 1_000} s; running: ${record.pending()}`])
}

function send(message: FromShard): void {
  process.send?.(message)
}
