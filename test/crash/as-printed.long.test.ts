// The command of docs/design/crash-loop.md, as printed.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { blocksRunBy } from '../docs/blocks.ts'
import { CHECKOUT } from '../harness/process.ts'

test('the printed command kills as often as it says, and ends with every judge passed', async () => {
  const [block] = blocksRunBy('test/crash/as-printed.long.test.ts', 'docs/design/crash-loop.md', 1)
  assert.ok(block)
  // A failed judge is an exit code, which rejects.
  const { stdout } = await promisify(execFile)('sh', ['-c', block.text], { cwd: CHECKOUT })
  const kills = Number(/--kills (\d+)/.exec(block.text)?.[1])
  assert.match(stdout, new RegExp(`^\\| Kills +\\| ${kills} \\|$`, 'm'))
  assert.match(stdout, /^\| Judge lost +\| passed \|$/m)
})
