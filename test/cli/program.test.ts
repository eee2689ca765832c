// bin/hulaki as a program: symbolic links, pipes, signals and the settings of its checkout.
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { makeWorkspace } from '../harness/client.ts'
import { CHECKOUT } from '../harness/process.ts'
import { OPERATOR_TOKEN, sharedService } from '../harness/service.ts'
import { ABSENT } from '../manage/fixtures.ts'
import { pretend, pretendAnswers } from './pretend.ts'

const service = await sharedService()
const folder = mkdtempSync(join(tmpdir(), 'hulaki cli '))
after(() => rmSync(folder, { recursive: true }))
const link = join(folder, 'link')
symlinkSync(join(CHECKOUT, 'bin', 'hulaki'), link)

test('runs through a symbolic link in a folder with a space, with URL and token from the environment', async () => {
  const { code, out } = await run(link, ['service', 'show'], { HULAKI_URL: service.url, HULAKI_TOKEN: OPERATOR_TOKEN })
  assert.deepEqual([code, out], [0, 'smsEnabled  yes\n'])
})

test('uses the operator token from the environment or the data folder by default', async () => {
  const port = new URL(service.url).port
  const asked = await run(link, ['service', 'show'], { PORT: port, HULAKI_OPERATOR_TOKEN: OPERATOR_TOKEN })
  assert.equal(asked.code, 0, asked.err)
  writeFileSync(join(folder, 'operator-token'), `${OPERATOR_TOKEN}\n`)
  const found = await run(link, ['service', 'show'], { PORT: port, HULAKI_DATA_DIR: folder })
  assert.equal(found.code, 0, found.err)
  const none = await run(link, ['service', 'show'], { PORT: port, HULAKI_DATA_DIR: join(folder, 'nothing') })
  assert.equal(none.code, 4)
})

test('uses the settings and the data of the current folder if a service runs there, and no other .env', async () => {
  const port = new URL(service.url).port
  const show = (home: string) => run(link, ['service', 'show'], {}, home)
  const home = mkdtempSync(join(folder, 'service '))
  mkdirSync(join(home, 'data'))
  writeFileSync(join(home, 'data', 'operator-token'), `${OPERATOR_TOKEN}\n`)
  writeFileSync(join(home, '.env'), `PORT=${port}\n`)
  assert.notEqual((await show(home)).code, 0, 'the .env of another program')
  writeFileSync(join(home, 'data', 'keyring.json'), '{}')
  assert.deepEqual(await show(home), { code: 0, out: 'smsEnabled  yes\n', err: '' })
  const other = mkdtempSync(join(folder, 'settings '))
  writeFileSync(join(other, '.env'), `PORT=${port}\nHULAKI_DATA_DIR=${join(home, 'data')}\n`)
  assert.equal((await show(other)).code, 0)
})

test('exits with 0 when its reader closes the pipe', async (context) => {
  const items = Array.from({ length: 20_000 }, () => ({ id: 'x'.repeat(36), name: 'Himal' }))
  const url = await pretendAnswers(context, () => [200, JSON.stringify({ items, next: null })])
  const child = start(link, ['workspace', 'list', '--all'], { HULAKI_URL: url, HULAKI_TOKEN: 'any' })
  child.stdout.once('data', () => child.stdout.destroy())
  const { code, err } = await ended(child)
  assert.deepEqual([code, err], [0, ''])
})

test('exits with 1 if the output cannot be printed', { skip: !existsSync('/dev/full') }, async () => {
  const full = openSync('/dev/full', 'w')
  const env = { PATH: process.env.PATH, HULAKI_URL: service.url, HULAKI_TOKEN: OPERATOR_TOKEN }
  const child = spawn(link, ['service', 'show'], { cwd: folder, env, stdio: ['ignore', full, 'pipe'] })
  const { code, err } = await ended(child)
  closeSync(full)
  assert.equal(code, 1)
  assert.match(err, /Failed to print the response/)
})

test('writes an export to a file, and leaves no file if the response stops before its end', async (context) => {
  const workspaceId = await makeWorkspace(service, { monthlyCredit: 7 })
  const env = { HULAKI_URL: service.url, HULAKI_TOKEN: OPERATOR_TOKEN }
  const printed = await run(link, ['ledger', 'export', workspaceId], env)
  assert.match(printed.out, /^id,at,kind,amount,[^\n\r]*\n\S+,grant,7,7,NPR,[^\n\r\ufffd]*\n$/)
  const file = join(folder, 'ledger of november.csv')
  const written = await run(link, ['ledger', 'export', workspaceId, '--output', file], env)
  const { size } = statSync(file)
  assert.deepEqual([written.code, written.out, written.err], [0, '', `Wrote ${size} bytes to ${file}.\n`])
  assert.equal(readFileSync(file, 'utf8').replace('\ufeff', '').replaceAll('\r', ''), printed.out)
  const url = await pretend(context, (_request, response) => {
    response.writeHead(200).write('id,at\r\n', () => response.destroy())
  })
  const other = join(folder, 'part.csv')
  const stopped = await run(link, ['ledger', 'export', workspaceId, '--output', other], { ...env, HULAKI_URL: url })
  assert.equal(stopped.code, 5)
  assert.deepEqual([existsSync(other), existsSync(`${other}.part`)], [false, false])
  const nowhere = await run(link, ['ledger', 'export', workspaceId, '--output', join(folder, 'none', 'a.csv')], env)
  assert.deepEqual([nowhere.code, nowhere.err], [1, `There is no folder ${join(folder, 'none')}.\n`])
  const onFolder = await run(link, ['ledger', 'export', workspaceId, '--output', folder, '--json'], env)
  assert.equal(onFolder.code, 1)
  assert.deepEqual(JSON.parse(onFolder.err), { error: `${folder} is a folder; name a file.`, code: 'local_failure' })
  assert.ok(!existsSync(`${folder}.part`))
  symlinkSync(file, `${other}.part`)
  assert.equal(
    (await run(link, ['usage', 'export', workspaceId, '--month', '2026-11', '--output', other], env)).code,
    0,
  )
  assert.match(readFileSync(file, 'utf8'), /grant/, 'writes to no planted link')
  assert.ok(!lstatSync(other).isSymbolicLink())
  rmSync(other)
  const refused = await run(link, ['usage', 'export', workspaceId, '--month', '2026-13', '--output', other], env)
  assert.deepEqual([refused.code, existsSync(other)], [1, false])
})

test('Ctrl-C ends a pending request', async (context) => {
  const asked = Promise.withResolvers<void>()
  const url = await pretend(context, () => asked.resolve())
  const child = start(link, ['service', 'show'], { HULAKI_URL: url, HULAKI_TOKEN: 'any' })
  await asked.promise
  child.kill('SIGINT')
  assert.deepEqual(await ended(child), { code: 5, out: '', err: 'Stopped before the response arrived.\n' })
})

test('reads a secret from standard input, and reports a missing file', async () => {
  const piped = start(link, ['service', 'show', '--token-file', '-'], { HULAKI_URL: service.url })
  piped.stdin.end(`${OPERATOR_TOKEN}\n`)
  assert.equal((await ended(piped)).code, 0)
  const missing = await run(link, ['service', 'show', '--token-file', '/nope'], { HULAKI_URL: service.url })
  assert.equal(missing.code, 2)
  assert.equal(missing.err, 'There is no file /nope.\n')
  const onFolder = await run(link, ['service', 'show', '--token-file', folder], { HULAKI_URL: service.url })
  assert.deepEqual([onFolder.code, onFolder.err], [2, `${folder} is a folder; name a file.\n`])
})

test('never sends the operator token to another machine', async (context) => {
  const asked: unknown[] = []
  const url = await pretend(context, ({ headers }, response) => {
    asked.push(headers.authorization)
    response.writeHead(200).end('{"smsEnabled":true}')
  })
  // The same server by another address.
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
      assert.match(err, /is for the service on this machine and is not sent to http:\/\/0\.0\.0\.0:\d+\. Set a token/)
    }
  }
  assert.deepEqual(asked, [])
  assert.equal((await run(link, ['service', 'show', '--url', elsewhere], { ...given, HOST: '0.0.0.0' })).code, 0)
  assert.equal((await run(link, ['service', 'show', '--url', elsewhere], { HULAKI_TOKEN: 'theirs' })).code, 0)
  assert.deepEqual(asked, [`Bearer ${OPERATOR_TOKEN}`, 'Bearer theirs'])
})

test('an unreadable .env is reported and ignored', async () => {
  const checkout = join(folder, 'checkout')
  mkdirSync(join(checkout, '.env'), { recursive: true })
  for (const name of ['bin', 'src', 'package.json'])
    cpSync(join(CHECKOUT, name), join(checkout, name), { recursive: true })
  symlinkSync(join(CHECKOUT, 'node_modules'), join(checkout, 'node_modules'))
  const env = { HULAKI_URL: service.url, HULAKI_TOKEN: OPERATOR_TOKEN }
  const { code, out, err } = await run(join(checkout, 'bin', 'hulaki'), ['service', 'show'], env)
  assert.deepEqual([code, out], [0, 'smsEnabled  yes\n'])
  assert.match(err, /^\S.*checkout\/\.env cannot be read \(EISDIR[^\n]*\)\. Settings in this file are ignored\.\n$/)
})

test('--version prints the version of package.json', async () => {
  const { version } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8'))
  assert.equal((await run(link, ['--version'], {})).out, `hulaki ${version}\n`)
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal} ends listen with 0, and ends a blocking file read at once`, async (context) => {
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
    // The open resolves when the program reads from the pipe.
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
