// examples/phone-login against the real service: the login and each of its errors, as a browser sees them.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '../../scripts/free-port.ts'
import { signatureHeader } from '../../src/domain/webhooks/signature.ts'
import { makeClient } from '../harness/client.ts'
import { CHECKOUT } from '../harness/process.ts'
import { ownService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { Program } from './program.ts'
import { Visitor } from './visitor.ts'

const CODE = '123456'
const SECRET = 'whsec_of-the-tests'
const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,simulator' } })
// D19: a test client sends nothing and has a known OTP.
const client = await makeClient(service, { mode: 'test', testOtpCode: CODE })
const app = start({ HULAKI_URL: service.url, HULAKI_WEBHOOK_SECRET: SECRET })
const proxied = start({
  HULAKI_URL: service.url,
  HULAKI_API_KEY: (await makeClient(service)).apiKey,
  TRUSTED_PROXIES: '127.0.0.1',
  PUBLIC_URL: 'https://shop.example',
})
const away = start({ HULAKI_URL: `http://127.0.0.1:${await freePort()}` })
const unknown = start({ HULAKI_URL: service.url, HULAKI_API_KEY: 'svc_live_none' })
const keyless = start({ HULAKI_API_KEY: '' })
const url = await listening(app)

function start(env: Record<string, string>): Program {
  return new Program({
    program: process.execPath,
    args: ['--import', './test/examples/sdk-from-source.ts', join('examples', 'phone-login', 'src', 'main.js')],
    cwd: CHECKOUT,
    env: { PORT: '0', HULAKI_API_KEY: client.apiKey, ...env },
  })
}

function listening(program: Program): Promise<string> {
  return program.printed(/Server listening at (http:[^"]+)"/)
}

/** The headers of a proxy: the address of the person, and the origin of the page. */
function from(address: string): Record<string, string> {
  return { 'x-forwarded-for': address, origin: 'https://shop.example' }
}

let drawn = 0
const numbers = new Set<string>()
function newNumber(): string {
  const number = `98412${String(10_000 + drawn++)}`
  numbers.add(number)
  return number
}

/** A visitor who has requested a code. */
async function begun(number = newNumber()): Promise<Visitor> {
  const visitor = new Visitor(url)
  const page = await visitor.send('/code', { number })
  assert.deepEqual([page.title, page.problem], ['Enter the code', null])
  return visitor
}

test('signs in with number and code, shows the number in E.164, and signs out', async () => {
  const visitor = new Visitor(url)
  assert.equal((await visitor.look()).title, 'Sign in')
  const number = newNumber()
  const asked = await visitor.send('/code', {
    number: `${number.slice(0, 3)} ${number.slice(3, 6)}-${number.slice(6)}`,
  })
  assert.equal(asked.title, 'Enter the code')
  assert.match(asked.text, new RegExp(`\\+977${number}`), 'as the service reads it')
  const home = await visitor.send('/verify', { code: '123 456' })
  assert.equal(home.title, 'You are signed in')
  assert.match(home.text, new RegExp(`\\+977${number}`))
  assert.deepEqual([...visitor.cookies.keys()], ['session'])
  const kept = new Map(visitor.cookies)
  assert.equal((await visitor.send('/sign-out')).title, 'Sign in')
  for (const [name, value] of kept) visitor.cookies.set(name, value)
  assert.equal((await visitor.look()).title, 'Sign in', 'the session is over on the server too')
})

test('rejects a changed cookie, and a cookie that was signed for another purpose', async () => {
  const visitor = await begun()
  await visitor.send('/verify', { code: CODE })
  const session = visitor.cookies.get('session') ?? ''
  visitor.cookies.set('session', `${session.slice(0, -1)}${session.endsWith('A') ? 'B' : 'A'}`)
  assert.equal((await visitor.look()).title, 'Sign in')
  visitor.cookies.set('login', session)
  assert.equal((await visitor.look()).title, 'Sign in')
})

test('explains an invalid or unsupported number, and keeps it in the field, escaped', async () => {
  const visitor = new Visitor(url)
  for (const number of ['"><b>', '', '12', '014123456']) {
    const page = await visitor.send('/code', { number })
    assert.deepEqual([page.status, page.problem], [422, 'This number cannot receive messages. Please check it.'])
    assert.doesNotMatch(page.text, /<b>/)
  }
  const abroad = await visitor.send('/code', { number: '+12025550123' })
  assert.deepEqual(
    [abroad.status, abroad.problem],
    [422, 'We cannot send codes to numbers of that country or network yet.'],
  )
})

test('an early second request shows the wait, and the earlier code stays valid (§8.2)', async () => {
  const number = newNumber()
  const visitor = await begun(number)
  const message = 'Please wait 60 seconds before you request another code.'
  for (const page of [await visitor.send('/code/again'), await visitor.send('/code', { number })])
    assert.deepEqual([page.status, page.title, page.problem], [429, 'Enter the code', message])
  const elsewhere = await new Visitor(url).send('/code', { number })
  assert.deepEqual([elsewhere.status, elsewhere.title], [429, 'Sign in'], 'somebody else gets no page to guess on')
  assert.equal((await visitor.send('/verify', { code: CODE })).title, 'You are signed in')
})

test('a wrong code shows the attempts left; after five only a new code helps', async () => {
  const visitor = await begun()
  const short = await visitor.send('/verify', { code: '12345' })
  assert.deepEqual([short.status, short.problem], [422, 'A code has six digits.'])
  for (const left of ['4 attempts', '3 attempts', '2 attempts', 'one attempt']) {
    const { status, problem } = await visitor.send('/verify', { code: '654321' })
    assert.deepEqual([status, problem], [422, `Wrong code. You have ${left} left.`])
  }
  for (const code of ['654321', CODE]) {
    const { problem, text } = await visitor.send('/verify', { code })
    assert.equal(problem, 'Too many wrong codes. Please request a new one.')
    assert.doesNotMatch(text, /name="code"/)
  }
  await service.advance(61)
  const again = await visitor.send('/code/again')
  assert.deepEqual([again.title, again.problem], ['Enter the code', null])
  assert.equal((await visitor.send('/verify', { code: CODE })).title, 'You are signed in')
})

test('an expired code is rejected with its reason (§3.2)', async () => {
  const visitor = await begun()
  await service.advance(301)
  const { problem } = await visitor.send('/verify', { code: CODE })
  assert.equal(problem, 'The code has expired: it is valid for five minutes. Please request a new one.')
})

test('an earlier login for the same number cannot use up the attempts of the newer code', async () => {
  const number = newNumber()
  const earlier = await begun(number)
  await service.advance(61)
  const later = await begun(`+977${number}`)
  assert.equal((await earlier.send('/verify', { code: '654321' })).title, 'Sign in')
  assert.equal((await later.send('/verify', { code: CODE })).title, 'You are signed in')
})

test('allows another number instead', async () => {
  const visitor = await begun()
  assert.equal((await visitor.send('/forget')).title, 'Sign in')
  assert.deepEqual([...visitor.cookies.keys()], [])
})

test('rejects a form of another site', async () => {
  const visitor = await begun()
  await visitor.send('/verify', { code: CODE })
  for (const origin of ['https://elsewhere.example', 'null', '']) {
    const { status, problem } = await visitor.send('/sign-out', {}, { origin })
    assert.deepEqual([status, problem], [403, 'That form came from another site.'])
  }
  const { headers, title } = await visitor.look()
  assert.equal(title, 'You are signed in')
  assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*form-action 'self'/)
  assert.equal(headers.get('cache-control'), 'no-store')
})

test('limits the requests of a network over all its addresses', async () => {
  const visitor = new Visitor(await listening(proxied))
  let last = await visitor.send('/code', {}, from('2001:db8::1'))
  for (let asked = 1; last.status === 422 && asked < 70; asked++)
    last = await visitor.send('/code', {}, from('2001:db8::1'))
  assert.equal(last.status, 429)
  assert.match(last.problem ?? '', /^Too many requests from your network\. Please wait \d+ (minutes|seconds)\.$/)
  last = await visitor.send('/code', {}, from('2001:db8:0:0:ffff::2'))
  assert.equal(last.status, 429, 'the same network')
})

test('passes on the address that a trusted proxy reports, and restricts cookies to https (§4.2)', async () => {
  const visitor = new Visitor(await listening(proxied))
  const ask = (address: string) => visitor.send('/code', { number: newNumber() }, from(address))
  for (let codes = 0; codes < 10; codes++) assert.equal((await ask('203.0.113.7')).problem, null)
  const eleventh = await ask('203.0.113.7')
  assert.deepEqual(
    [eleventh.status, eleventh.problem],
    [429, 'Please wait 10 minutes before you request another code.'],
    'the limit of the service, per end user',
  )
  assert.equal((await ask('203.0.113.8')).problem, null)
  assert.deepEqual([...visitor.cookies.keys()], ['__Host-login'], 'over https, kept to it')
})

test('asks people to try again later if the service is unreachable or rejects the app', async () => {
  for (const program of [away, unknown]) {
    const { status, problem } = await new Visitor(await listening(program)).send('/code', { number: newNumber() })
    assert.deepEqual([status, problem], [503, 'We cannot send codes at the moment. Please try again in a few minutes.'])
  }
  await until(() => /"code":"unauthorized","status":401,"requestId":"[0-9a-f-]{36}"/.test(unknown.output))
})

test('shows an undelivered code from a signed webhook, once, and ignores older events (§6.3)', async () => {
  const visitor = await begun()
  const { body } = await service.manage('GET', `/workspaces/${client.workspaceId}/messages?limit=1`)
  const tell = async (status: string, at: string, secret = SECRET, deliveryId = randomUUID()) => {
    const text = JSON.stringify({ type: 'message.status', id: body.items[0].id, status, at })
    const signature = signatureHeader({
      unixSeconds: Math.floor(Date.now() / 1000),
      body: Buffer.from(text),
      secrets: [secret],
    })
    const headers = {
      'content-type': 'application/json',
      'x-svc-signature': signature,
      'x-svc-delivery': deliveryId,
    }
    return (await fetch(`${url}/webhooks/hulaki`, { method: 'POST', headers, body: text })).status
  }
  assert.equal(await tell('failed', '2026-11-16T04:00:01.000Z', 'whsec_other'), 400)
  assert.equal((await visitor.look()).problem, null)
  assert.equal(await tell('undelivered', '2026-11-16T04:00:02.000Z'), 204)
  assert.equal(await tell('sent', '2026-11-16T04:00:01.000Z'), 204)
  assert.equal((await visitor.look()).problem, 'The code did not reach that number. Is it right?')
  const once = randomUUID()
  assert.equal(await tell('sent', '2026-11-16T04:00:03.000Z', SECRET, once), 204)
  assert.equal(await tell('failed', '2026-11-16T04:00:04.000Z', SECRET, once), 204)
  assert.equal((await visitor.look()).problem, null, 'a delivery that is known changes nothing')
})

test('the start fails without a key, and says why', async () => {
  assert.equal(await keyless.ended, 1)
  assert.match(keyless.output, /^HULAKI_API_KEY is not set: .*\n$/, 'a sentence, and no stack')
})

test('the log contains no number and no code', () => {
  assert.match(app.output, /"url":"\/verify"/)
  const log = app.outputWithoutTimes
  assert.doesNotMatch(log, new RegExp(`${CODE}|654321`))
  for (const number of numbers) assert.ok(!log.includes(number.slice(3)), number)
})
