// bin/hulaki as a program: from any folder, through a link, in a pipe, and with what the service of its checkout was started with.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { CHECKOUT } from '../harness/process.ts'
import { OPERATOR_TOKEN, startTestService } from '../harness/service.ts'
import { pretend, pretendAnswers } from './pretend.ts'

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

test('who reads it may stop reading', async (context) => {
  const items = Array.from({ length: 20_000 }, () => ({ id: 'x'.repeat(36), name: 'Himal' }))
  const url = await pretendAnswers(context, () => [200, JSON.stringify({ items, next: null })])
  const child = start(link, ['workspace', 'list', '--all'], { HULAKI_URL: url, HULAKI_TOKEN: 'any' })
  child.stdout.once('data', () => child.stdout.destroy())
  const { code, err } = await ended(child)
  assert.deepEqual([code, err], [0, ''])
})

test('1: an answer that cannot be printed is not taken for done', { skip: !existsSync('/dev/full') }, async () => {
  const full = openSync('/dev/full', 'w')
  const env = { PATH: process.env.PATH, HULAKI_URL: service.url, HULAKI_TOKEN: OPERATOR_TOKEN }
  const child = spawn(link, ['service', 'show'], { cwd: folder, env, stdio: ['ignore', full, 'pipe'] })
  const { code, err } = await ended(child)
  closeSync(full)
  assert.equal(code, 1)
  assert.match(err, /could not be printed/)
})

test('Ctrl-C ends a wait for an answer', async (context) => {
  const asked = Promise.withResolvers<void>()
  const url = await pretend(context, () => asked.resolve())
  const child = start(link, ['service', 'show'], { HULAKI_URL: url, HULAKI_TOKEN: 'any' })
  await asked.promise
  child.kill('SIGINT')
  assert.deepEqual(await ended(child), { code: 5, out: '', err: 'Stopped before an answer came.\n' })
})

test('a secret comes from standard input, and what stands in a file that is closed or missing is not guessed', async () => {
  const piped = start(link, ['service', 'show', '--token-file', '-'], { HULAKI_URL: service.url })
  piped.stdin.end(`${OPERATOR_TOKEN}\n`)
  assert.equal((await ended(piped)).code, 0)
  const missing = await run(link, ['service', 'show', '--token-file', '/nope'], { HULAKI_URL: service.url })
  assert.equal(missing.code, 2)
  assert.match(missing.err, /^'\/nope' cannot be read: ENOENT[^\n]*\n$/)
})

test("the data folder's token is not given to another machine", async () => {
  const address = 'http://hulaki.invalid:1'
  const { code } = await run(link, ['service', 'show'], { HULAKI_URL: address, HULAKI_DATA_DIR: folder })
  assert.equal(code, 5)
  const elsewhere = await run(link, ['service', 'show'], {
    HULAKI_URL: `${service.url.replace('127.0.0.1', '0.0.0.0')}`,
    HULAKI_DATA_DIR: folder,
  })
  assert.equal(elsewhere.code, 4)
})

test('it is no matter how the shell finds folders, and a wrong line exits with 2', async () => {
  assert.equal((await run('bin/hulaki', ['help'], { CDPATH: '/usr' }, CHECKOUT)).code, 0)
  assert.equal((await run(link, ['frobnicate'], {})).code, 2)
})

function run(program: string, args: string[], env: Record<string, string>, cwd = folder) {
  return ended(start(program, args, env, cwd))
}

function start(program: string, args: string[], env: Record<string, string>, cwd = folder) {
  return spawn(program, args, { cwd, env: { PATH: process.env.PATH, ...env } })
}

async function ended(child: ChildProcess): Promise<{ code: number | null; out: string; err: string }> {
  let out = ''
  let err = ''
  child.stdout?.on('data', (text) => {
    out += text
  })
  child.stderr?.on('data', (text) => {
    err += text
  })
  const [code] = await once(child, 'close')
  return { code, out, err }
}
