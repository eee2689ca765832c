// Preloaded into a service: which of its workers die at birth, by the order in which they are born, and one that hangs up and
// lingers when it is told to.
import cluster from 'node:cluster'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const { TEST_BIRTHS = '', TEST_STILLBORN = '' } = process.env
const LINGERING_MS = 3_000

if (cluster.isWorker) {
  const birth = register()
  writeFileSync(join(TEST_BIRTHS, String(birth), 'at'), String(performance.timeOrigin))
  if (TEST_STILLBORN === 'all' || TEST_STILLBORN.split(',').includes(String(birth))) process.exit(3)
  process.on('SIGUSR2', () => {
    process.on('exit', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LINGERING_MS))
    process.disconnect?.()
  })
}

/** Counts from 1; only one of several can make a folder. */
function register(birth = 1): number {
  try {
    mkdirSync(join(TEST_BIRTHS, String(birth)))
    return birth
  } catch {
    return register(birth + 1)
  }
}
