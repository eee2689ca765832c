// A new user with only the checkout: `npm start`, the commands of the example's README, an OTP from the test phone, and a login.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { freePort } from '../../scripts/free-port.ts'
import { scratchFolder } from '../../scripts/scratch-folder.ts'
import { judgeScreen, openReader } from '../harness/browser.ts'
import { chromiumProgram } from '../harness/chromium.ts'
import { CHECKOUT, dataFolder } from '../harness/process.ts'
import { call } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { listingsOf } from './listings.ts'
import { Program } from './program.ts'
import { Visitor } from './visitor.ts'

const README = 'examples/phone-login/README.md'

test('from npm start to a verified login in the example app', async (t) => {
  const port = await freePort()
  const data = dataFolder()
  const hulaki = shell('npm start', CHECKOUT, { PORT: String(port), HULAKI_DATA_DIR: data })
  t.after(async () => {
    hulaki.signal('SIGINT')
    await hulaki.ended
  })
  const apiKey = await hulaki.printed(/^ {4}live {2}(svc_live_\w+)$/m)
  const url = `http://127.0.0.1:${port}`

  const commands = listingsOf(README)[0]?.text.trimEnd().split('\n') ?? []
  const [enter = '', pack = '', install = '', start = ''] = commands
  assert.deepEqual([commands.length, enter], [4, 'cd examples/phone-login'])
  const folder = join(checkoutOf(t), enter.slice('cd '.length))
  must(pack, folder)
  installIn(t, folder, install)
  const app = shell(start.replace('svc_live_…', apiKey), folder, { PORT: '0', HULAKI_URL: url })
  const page = await app.printed(/Server listening at (http:[^"]+)"/)

  const visitor = new Visitor(page)
  assert.equal((await visitor.send('/code', { number: '9800000001' })).title, 'Enter the code')
  const code = await codeOf('9800000001', { url, data })
  const home = await visitor.send('/verify', { code })
  assert.equal(home.title, 'You are signed in')
  assert.match(home.text, /\+9779800000001/)

  if (!chromiumProgram) return t.diagnostic('no Chromium is installed: no browser was tried')
  const reader = await openReader()
  await reader.page.goto(page)
  await judgeScreen(reader, 'phone-login-number')
  await reader.page.getByLabel('Mobile number').fill('980 000 0005')
  await reader.page.getByRole('button', { name: 'Send me a code' }).click()
  await reader.page.getByLabel('Six-digit code').fill('000 000')
  await reader.page.getByRole('button', { name: 'Sign in' }).click()
  await reader.page.getByRole('alert').waitFor()
  await judgeScreen(reader, 'phone-login-code')
  await reader.page.getByLabel('Six-digit code').fill(await codeOf('9800000005', { url, data }))
  await reader.page.getByRole('button', { name: 'Sign in' }).click()
  await reader.page.getByRole('heading', { name: 'You are signed in' }).waitFor()
  await judgeScreen(reader, 'phone-login-home')
  await reader.page.getByRole('button', { name: 'Sign out' }).click()
  await reader.page.getByRole('heading', { name: 'Sign in' }).waitFor()
  assert.doesNotMatch(app.outputWithoutTimes, /98000000|\+977/)
})

function shell(line: string, cwd: string, env: Record<string, string>): Program {
  return new Program({ program: 'sh', args: ['-c', line], cwd, env })
}

/** Copies the parts of the checkout that the example needs into a writable folder. */
function checkoutOf(t: TestContext): string {
  const root = scratchFolder('hulaki-outsider')
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const filter = (file: string) => !/node_modules|dist$|\.tgz$|package-lock\.json$/.test(file.slice(CHECKOUT.length))
  for (const part of ['sdk', 'examples/phone-login'])
    cpSync(join(CHECKOUT, part), join(root, part), { recursive: true, filter })
  // Packing runs the compiler.
  symlinkSync(join(CHECKOUT, 'node_modules'), join(root, 'node_modules'))
  return root
}

function must(line: string, cwd: string): void {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { cwd, encoding: 'utf8' })
  assert.equal(status, 0, `${line}: ${stderr}${stdout}`)
}

/** Installs as the README says if the npm registry responds. Otherwise it installs the packed client and links our Fastify. */
function installIn(t: TestContext, folder: string, line: string): void {
  const isOnline = !process.env.OFFLINE && spawnSync('npm', ['ping'], { timeout: 20_000 }).status === 0
  t.diagnostic(isOnline ? 'fastify was installed from the registry' : 'offline: fastify is that of the checkout')
  if (isOnline) must(line, folder)
  else installOffline(folder, line)
}

function installOffline(folder: string, line: string): void {
  const file = join(folder, 'package.json')
  const { dependencies, ...rest } = JSON.parse(readFileSync(file, 'utf8'))
  const { fastify, ...packed } = dependencies
  assert.ok(fastify)
  writeFileSync(file, JSON.stringify({ ...rest, dependencies: packed }))
  must(`${line} --offline`, folder)
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  symlinkSync(join(CHECKOUT, 'node_modules', 'fastify'), join(folder, 'node_modules', 'fastify'))
}

/** Reads the OTP from the test phone, as in docs/reference/simulator.md. */
async function codeOf(number: string, { url, data }: { url: string; data: string }): Promise<string> {
  const token = readFileSync(join(data, 'operator-token'), 'utf8').trim()
  return until(async () => {
    const { body } = await call(`${url}/api/manage/v1/simulator/messages?number=${number}`, {
      method: 'GET',
      headers: { authorization: `Bearer ${token}` },
    })
    return /: (\d{6}) is your/.exec(body.items[0]?.text ?? '')?.[1]
  })
}
