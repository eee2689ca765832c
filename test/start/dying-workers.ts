// Preloaded into a service: lets chosen workers exit at their start, and lets a worker disconnect and linger on SIGUSR2.
import cluster from 'node:cluster'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const { TEST_FORKS = '', TEST_FAILING_FORKS = '' } = process.env
const LINGERING_MS = 3_000

if (cluster.isWorker) {
  const fork = register()
  writeFileSync(join(TEST_FORKS, String(fork), 'at'), String(performance.timeOrigin))
  if (TEST_FAILING_FORKS === 'all' || TEST_FAILING_FORKS.split(',').includes(String(fork))) process.exit(3)
  process.on('SIGUSR2', () => {
    process.on('exit', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LINGERING_MS))
    process.disconnect?.()
  })
}

/** Counts from 1. mkdir succeeds for one process only. */
function register(fork = 1): number {
  try {
    mkdirSync(join(TEST_FORKS, String(fork)))
    return fork
  } catch {
    return register(fork + 1)
  }
}
