// Runs test files in a few long-lived processes from one queue, in the given order.
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { cpuSecondsOf } from './cpu.ts'
import type { FileResult, FromShard, ToShard } from './messages.ts'

const WATCH_MS = 1_000

interface ShardedRun {
  root: string
  /** In queue order. */
  files: readonly string[]
  shards: number
  env: Record<string, string>
  /** The folder whose modules are reloaded for each file. */
  reloaded: string
  /** A file above this limit is killed. CPU time, because a busy machine must not fail a file. */
  cpuLimitSeconds: number
  onResult(result: FileResult, shard: ShardInfo): void
}

export interface ShardInfo {
  number: number
  /** The output of the file. */
  output: string
}

export async function runInShards({ files, shards, ...run }: ShardedRun): Promise<void> {
  const queue = [...files]
  const workers = Array.from({ length: Math.min(shards, files.length) }, async (_, number) => {
    while (queue.length > 0) await runShard({ ...run, queue, number })
  })
  await Promise.all(workers)
}

/** Runs one process until the queue is empty or the process is spent or dead. A file that kills its process has failed. */
function runShard({
  root,
  env,
  reloaded,
  queue,
  number,
  cpuLimitSeconds,
  onResult,
}: Omit<ShardedRun, 'files' | 'shards'> & { queue: string[]; number: number }): Promise<void> {
  const child = startShard(root, { ...env, TEST_RELOADED_FOLDER: reloaded })
  let file: string | undefined
  let startedAt = performance.now()
  let cpuBefore = 0
  let output = ''
  let endedBecause: string | null = null
  let isReady = false
  const watching = setInterval(() => {
    if (file === undefined || cpuSecondsOf(child.pid ?? 0) - cpuBefore < cpuLimitSeconds) return
    endedBecause = `the file used more than ${cpuLimitSeconds} s of CPU`
    child.kill('SIGKILL')
  }, WATCH_MS)
  const keep = (text: string) => {
    output += text
  }
  child.stdout?.setEncoding('utf8').on('data', keep)
  child.stderr?.setEncoding('utf8').on('data', keep)
  // 'close' reports an exited child.
  const send = (message: ToShard) => child.send(message, () => {})
  const next = () => {
    file = queue.shift()
    startedAt = performance.now()
    cpuBefore = cpuSecondsOf(child.pid ?? 0)
    output = ''
    send(file === undefined ? { kind: 'end' } : { kind: 'run', file })
  }
  child.on('message', (message: FromShard) => {
    if (message.kind === 'ready') {
      isReady = true
      return next()
    }
    file = undefined
    // The last output comes through a pipe, so wait for it.
    setImmediate(() => {
      onResult(message.result, { number, output })
      if (message.isSpent) child.kill('SIGKILL')
      else next()
    })
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    // Not 'exit', because shared services keep the pipes until their logs are written.
    child.once('close', (code, signal) => {
      clearInterval(watching)
      if (!isReady) return reject(new Error(`a shard did not start:\n${output}`))
      if (file !== undefined) {
        const text = endedBecause ?? `the process ended with ${signal ?? `exit code ${code}`} while it ran this file`
        const wallMs = performance.now() - startedAt
        onResult(
          { file, passed: 0, skipped: [], tests: [], notes: [], failures: [{ path: [], text }], wallMs, cpuMs: 0 },
          { number, output },
        )
      }
      resolve()
    })
  })
}

function startShard(root: string, env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [join(import.meta.dirname, 'shard.ts')], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
}
