// bin/hulaki as a program: from any folder, through a link, in a pipe, and with what the service of its checkout was started with.
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { CHECKOUT } from '../harness/process.ts'
import { OPERATOR_TOKEN, sharedService } from '../harness/service.ts'
import { ABSENT } from '../manage/fixtures.ts'
import { pretend, pretendAnswers } from './pretend.ts'

const service = await sharedService()
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
  assert.deepEqual(await ended(child), { code: 5, out: '', err: 'Stopped before the answer arrived.\n' })
})

test('a secret comes from standard input, and what stands in a file that is closed or missing is not guessed', async () => {
  const piped = start(link, ['service', 'show', '--token-file', '-'], { HULAKI_URL: service.url })
  piped.stdin.end(`${OPERATOR_TOKEN}\n`)
  assert.equal((await ended(piped)).code, 0)
  const missing = await run(link, ['service', 'show', '--token-file', '/nope'], { HULAKI_URL: service.url })
  assert.equal(missing.code, 2)
  assert.match(missing.err, /^'\/nope' cannot be read: ENOENT[^\n]*\n$/)
})

test("the operator's token is not given to another machine, wherever it and the address come from", async (context) => {
  const asked: unknown[] = []
  const url = await pretend(context, ({ headers }, response) => {
    asked.push(headers.authorization)
    response.writeHead(200).end('{"smsEnabled":true}')
  })
  // The same server, by an address that nobody has configured.
  const elsewhere = url.replace('127.0.0.1', '0.0.0.0')
  const given = { HULAKI_OPERATOR_TOKEN: OPERATOR_TOKEN }
  const kept = { HULAKI_DATA_DIR: folder }
  for (const token of [given, kept]) {
    for (const { args, env } of [
      { args: ['--url', elsewhere], env: {} },
      { args: [], env: { HULAKI_URL: elsewhere } },
    ]) {
      const { code, err } = await run(link, ['service', 'show', ...args], { ...token, ...env })
      assert.equal(code, 2, err)
      assert.match(err, /is for the service on this machine and is not sent to http:\/\/0\.0\.0\.0:\d+\. Name a token/)
    }
  }
  assert.deepEqual(asked, [])
  assert.equal((await run(link, ['service', 'show', '--url', elsewhere], { ...given, HOST: '0.0.0.0' })).code, 0)
  assert.equal((await run(link, ['service', 'show', '--url', elsewhere], { HULAKI_TOKEN: 'theirs' })).code, 0)
  assert.deepEqual(asked, [`Bearer ${OPERATOR_TOKEN}`, 'Bearer theirs'])
})

test('a .env that cannot be read is named, and does not keep anybody from work', async () => {
  const checkout = join(folder, 'checkout')
  mkdirSync(join(checkout, '.env'), { recursive: true })
  for (const name of ['bin', 'src', 'package.json'])
    cpSync(join(CHECKOUT, name), join(checkout, name), { recursive: true })
  symlinkSync(join(CHECKOUT, 'node_modules'), join(checkout, 'node_modules'))
  const env = { HULAKI_URL: service.url, HULAKI_TOKEN: OPERATOR_TOKEN }
  const { code, out, err } = await run(join(checkout, 'bin', 'hulaki'), ['service', 'show'], env)
  assert.deepEqual([code, out], [0, 'smsEnabled  yes\n'])
  assert.match(err, /^\S.*checkout\/\.env cannot be read \(EISDIR[^\n]*\)\. Its settings are ignored\.\n$/)
})

test('--version is that of package.json', async () => {
  const { version } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8'))
  assert.equal((await run(link, ['--version'], {})).out, `hulaki ${version}\n`)
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal} ends listen as done, and a file that keeps it waiting at once`, async (context) => {
    const asked = Promise.withResolvers<void>()
    const url = await pretend(context, () => asked.resolve())
    const env = { HULAKI_URL: url, HULAKI_TOKEN: 'any' }
    const listens = start(link, ['listen', ABSENT], env)
    await asked.promise
    listens.kill(signal)
    assert.deepEqual(await ended(listens), { code: 0, out: '', err: '' })
    const pipe = join(folder, `pipe ${signal}`)
    execFileSync('mkfifo', [pipe])
    const reads = start(link, ['listen', ABSENT, '--token-file', pipe], env)
    // It opens once there is somebody at the other end, who then waits for what is written.
    const writing = await open(pipe, 'w')
    reads.kill(signal)
    const [, by] = await once(reads, 'exit')
    await writing.close()
    assert.equal(by, signal)
  })
}

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
