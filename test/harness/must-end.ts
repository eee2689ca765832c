// Loaded before every test file: one that does not end by itself has left something open, and is told so instead of
// being waited for or cut off.
import { relative } from 'node:path'
import { after } from 'node:test'

/** Enough for whatever is taken down after the last test. */
const PATIENCE_MS = 90_000

const file = relative(process.cwd(), process.argv[1] ?? '')
// Not in the runner, nor in processes that a test starts.
if (process.env.NODE_TEST_CONTEXT && file.endsWith('.test.ts')) {
  after(() => {
    setTimeout(giveUp, PATIENCE_MS).unref()
  })
}

function giveUp(): never {
  console.error(`${file} does not end by itself; it has left open: ${process.getActiveResourcesInfo().join(', ')}`)
  process.exit(1)
}
