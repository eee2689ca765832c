// `npm run bench` measures a row end to end, with few messages.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const RUN = join(import.meta.dirname, '..', '..', 'bench', 'run.ts')
const run = promisify(execFile)

test('the command prints throughput, CPU time, WAL and latency of a row', async () => {
  const { stdout } = await run(process.execPath, [RUN, 'table', '--messages', '100', 'whole-webhooks'])
  assert.match(stdout, /PostgreSQL 18.*commit/)
  const row = stdout.split('\n').find((line) => line.includes('Request to two webhooks')) ?? ''
  const cells = row.split('|').map((cell) => cell.trim().replaceAll(' ', ''))
  const figures = cells.slice(2, 8).map(Number)
  assert.equal(figures.length, 6)
  for (const figure of figures) assert.ok(figure > 0, row)
})

test('the command lists its benchmarks', async () => {
  const { stdout } = await run(process.execPath, [RUN, '--help'])
  for (const name of ['table', 'accept', 'delivery', 'lists']) assert.match(stdout, new RegExp(`^ {2}${name} `, 'm'))
})

test('an unknown benchmark, option or row ends with code 1 and one sentence', async () => {
  for (const args of [['speed'], ['table', '--speed'], ['table', 'speed']]) {
    const failure = { code: 1, stdout: '', stderr: /^.*'-*speed'; use .*\.\n$/ }
    await assert.rejects(run(process.execPath, [RUN, ...args]), failure)
  }
})
