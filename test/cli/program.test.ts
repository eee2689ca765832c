// bin/hulaki as a program: from any folder, through a link, in a pipe, and with what the service of its checkout was started with.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { CHECKOUT } from '../harness/process.ts'
import { OPERATOR_TOKEN, startTestService } from '../harness/service.ts'

const service = await startTestService({ env: { HULAKI_ROLES: 'api' } })
const folder = mkdtempSync(join(tmpdir(), 'hulaki cli '))
after(() => rmSync(folder, { recursive: true }))
const link = join(folder, 'link')
symlinkSync(join(CHECKOUT, 'bin', 'hulaki'), link)

test('it runs through a link, from a folder with a space, and finds service and token by its environment', async () => {
  const { code, out } = await run(link, ['service', 'show'], { HULAKI_URL: service.url, HULAKI_TOKEN: OPERATOR_TOKEN })
  assert.deepEqual([code, out], [0, 'smsEnabled  yes\n'])
})

test("without a token of its own it takes the operator's, from the environment or the data folder", async () => {
  const port = new URL(service.url).port
  const asked = await run(link, ['service', 'show'], { PORT: port, HULAKI_OPERATOR_TOKEN: OPERATOR_TOKEN })
  assert.equal(asked.code, 0, asked.err)
  writeFileSync(join(folder, 'operator-token'), `${OPERATOR_TOKEN}\n`)
  const found = await run(link, ['service', 'show'], { PORT: port, HULAKI_DATA_DIR: folder })
  assert.equal(found.code, 0, found.err)
  const none = await run(link, ['service', 'show'], { PORT: port, HULAKI_DATA_DIR: join(folder, 'nothing') })
  assert.equal(none.code, 4)
})

test('who reads it may stop reading, and a wrong line exits with 2', async () => {
  const { code, err } = await run('/bin/sh', ['-c', `'${link}' help | head -1`], {})
  assert.deepEqual([code, err], [0, ''])
  assert.equal((await run(link, ['frobnicate'], {})).code, 2)
})

function run(program: string, args: string[], env: Record<string, string>) {
  const child = spawn(program, args, { cwd: folder, env: { PATH: process.env.PATH, ...env } })
  let out = ''
  let err = ''
  child.stdout.on('data', (text) => {
    out += text
  })
  child.stderr.on('data', (text) => {
    err += text
  })
  return new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, out, err })),
  )
}
