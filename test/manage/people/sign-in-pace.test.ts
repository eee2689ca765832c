// Wrong passwords are slowed per person and address without a lockout, and no response reveals an account.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signIn } from '../../../src/actions/people/sign-in.ts'
import { Refusal } from '../../../src/domain/refusals.ts'
import { Passwords } from '../../../src/runtime/passwords.ts'
import { makeWorkspace } from '../../harness/client.ts'
import { Browser, makePerson, PASSWORD } from '../../harness/people.ts'
import { assertRefused } from '../../harness/refused.ts'
import { query } from '../../harness/server.ts'
import { ownService } from '../../harness/service.ts'

const service = await ownService({
  env: { HULAKI_ROLES: 'api,upkeep', HULAKI_TRUSTED_PROXIES: '127.0.0.0/8' },
})
const { manage } = service
const workspaceId = await makeWorkspace(service)
let places = 0

/** A browser at a new address. */
function elsewhere(): Browser {
  places += 1
  return new Browser(service, { 'x-forwarded-for': `203.0.113.${places}` })
}

async function guess(browser: Browser, email: string, times: number): Promise<void> {
  for (let time = 0; time < times; time++)
    assertRefused(await browser.signIn(email, 'a-guess-at-it'), 401, 'unauthorized')
}

test('delays attempts after five wrong passwords from one address by 1, 2, 4 … up to 60 seconds', async () => {
  const { email } = await makePerson(service, { workspaceId })
  const browser = elsewhere()
  await guess(browser, email, 5)
  for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
    const early = await browser.signIn(email)
    assertRefused(early, 429, 'rate_limited')
    assert.equal(early.headers.get('retry-after'), String(seconds))
    await service.advance(seconds)
    await guess(browser, email, 1)
  }
  await service.advance(60)
  assert.equal((await browser.signIn(email)).status, 200, 'after the wait a right password works')
  await guess(browser, email, 5)
})

test('neither checks an early attempt nor extends the delay', async () => {
  const { email } = await makePerson(service, { workspaceId })
  const browser = elsewhere()
  await guess(browser, email, 5)
  for (let times = 0; times < 20; times++) assertRefused(await browser.signIn(email), 429, 'rate_limited')
  await service.advance(1)
  assert.equal((await browser.signIn(email)).status, 200)
})

test('slows only the addresses of an attacker; the person signs in from another address or a known browser', async () => {
  const person = await makePerson(service, { workspaceId })
  for (let times = 0; times < 20; times++) await guess(elsewhere(), person.email, 1)
  const attacker = elsewhere()
  await guess(attacker, person.email, 1)
  assertRefused(await attacker.signIn(person.email), 429, 'rate_limited')
  assert.equal((await elsewhere().signIn(person.email)).status, 200, 'from a place that was not wrong')
  const { items } = (await manage('GET', '/audit-log')).body
  const slowed = items.filter((it: { action: string; subject: string }) => it.subject === person.id)
  assert.equal(slowed.filter((it: { action: string }) => it.action === 'person.sign_in_rate_limited').length, 1)
  // A known browser in the network of the attacker.
  const colleague = new Browser(service, { 'x-forwarded-for': '203.0.113.250' })
  assert.equal((await colleague.signIn(person.email)).status, 200)
  const guesser = new Browser(service, { 'x-forwarded-for': '203.0.113.250' })
  await guess(guesser, 'somebody@example.com', 5)
  assertRefused(await guesser.signIn(person.email), 429, 'rate_limited')
  assert.equal((await colleague.signIn(person.email)).status, 200)
})

test('accepts a device cookie only for its person and only as issued', async () => {
  const [one, other] = [await makePerson(service, { workspaceId }), await makePerson(service, { workspaceId })]
  const browser = elsewhere()
  assert.equal((await browser.signIn(one.email)).status, 200)
  await guess(new Browser(service, browser.headers), 'somebody@example.com', 5)
  assertRefused(await browser.signIn(other.email), 429, 'rate_limited')
  const device = browser.cookies.get('hulaki-device') ?? ''
  browser.cookies.set(
    'hulaki-device',
    device.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
  )
  assertRefused(await browser.signIn(one.email), 429, 'rate_limited')
  browser.cookies.set('hulaki-device', device)
  assert.equal((await browser.signIn(one.email)).status, 200)
})

test('does not reset the delay for other accounts after a successful sign-in', async () => {
  const { email } = await makePerson(service, { workspaceId })
  const own = await makePerson(service, { workspaceId, role: 'viewer' })
  const { headers } = elsewhere()
  const meanwhile = () => new Browser(service, headers).signIn(own.email)
  await guess(new Browser(service, headers), email, 4)
  assert.equal((await meanwhile()).status, 200)
  await guess(new Browser(service, headers), email, 1)
  assertRefused(await new Browser(service, headers).signIn(email), 429, 'rate_limited')
})

test('counts an IPv6 network of one subscriber as one address', async () => {
  const { email } = await makePerson(service, { workspaceId })
  for (let times = 0; times < 5; times++)
    await guess(new Browser(service, { 'x-forwarded-for': `2001:db8:1:2::${times + 1}` }), email, 1)
  const last = new Browser(service, { 'x-forwarded-for': '2001:db8:1:2:ffff::9' })
  assertRefused(await last.signIn(email), 429, 'rate_limited')
})

test('does not reveal an account: same messages, same delays, and a password hash in both cases', async () => {
  const { email } = await makePerson(service, { workspaceId })
  const removed = await makePerson(service, { workspaceId, role: 'viewer' })
  await manage('DELETE', `/workspaces/${workspaceId}/members/${removed.id}`)
  const tell = async (address: string) => {
    const browser = elsewhere()
    const outcomes: unknown[] = []
    for (let times = 0; times < 7; times++) {
      const { status, headers, body } = await browser.signIn(address, `${PASSWORD}!`)
      outcomes.push([status, body, headers.get('retry-after'), headers.getSetCookie()])
    }
    return outcomes
  }
  const known = await tell(email)
  assert.deepEqual(await tell('nobody@example.com'), known)
  assert.deepEqual(await tell(removed.email), known)
  const { passwords } = service.ports
  const timed = async (work: () => Promise<boolean>) => {
    const before = performance.now()
    assert.equal(await work(), false)
    return performance.now() - before
  }
  const hash = await passwords.hash(PASSWORD)
  const [absent, wrong]: [number[], number[]] = [[], []]
  for (let times = 0; times < 5; times++) {
    absent.push(await timed(() => passwords.isRight('a-guess-at-it', null)))
    wrong.push(await timed(() => passwords.isRight('a-guess-at-it', hash)))
  }
  // Compares the shortest with the longest time, which a busy machine does not change.
  assert.ok(Math.max(...absent) > Math.min(...wrong) / 5, `${absent} ms for nobody, ${wrong} ms for somebody`)
})

test('rejects a password that changes during its check', async () => {
  const { email, browser } = await makePerson(service, { workspaceId })
  class ChangedMeanwhile extends Passwords {
    override async isRight(password: string, hash: string | null): Promise<boolean> {
      const isRight = await super.isRight(password, hash)
      const changed = await browser.ask('PUT', '/account/password', { password: 'kathmandu-taxi-413-red' })
      assert.equal(changed.status, 204)
      return isRight
    }
  }
  const ports = { ...service.ports, passwords: new ChangedMeanwhile(service.ports.random) }
  const from = { address: '203.0.113.251', requestId: service.ports.ids.next(), userAgent: null, device: null }
  const late = await signIn(ports, { email, password: PASSWORD, code: null, from })
  assert.ok(late instanceof Refusal)
  assert.equal(late.code, 'unauthorized')
  assert.equal((await browser.ask('GET', '/sessions')).body.items.length, 1)
})

test('stores failures as hashes, and deletes them after an hour', async () => {
  const email = 'secret-of-mine@example.com'
  await guess(elsewhere(), email, 3)
  const rows = await query(
    service.address,
    'select encode(subject_hash, $$escape$$) as about, attempts as times from failed_sign_in',
  )
  assert.ok(rows.length > 0)
  assert.ok(!JSON.stringify(rows).includes('mine'))
  await service.advance(3601)
  assert.deepEqual(await query(service.address, 'select 1 from failed_sign_in'), [])
})
