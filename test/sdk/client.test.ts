// The SDK against the real service: every call, and aborts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Hulaki, HulakiError } from '../../sdk/src/index.ts'
import { makeClient } from '../harness/client.ts'
import { sharedService } from '../harness/service.ts'
import { machineWithoutWaits, startShakyNetwork } from '../harness/shaky-network.ts'

const service = await sharedService()
const client = await makeClient(service)
const { apiKey } = client
const hulaki = new Hulaki({ url: service.url, apiKey })

const errorOf = (call: Promise<unknown>): Promise<HulakiError> =>
  call.then(
    (answer) => assert.fail(`answered: ${JSON.stringify(answer)}`),
    (error: unknown) => {
      assert.ok(error instanceof HulakiError, String(error))
      return error
    },
  )

test('sends, reads and pays for a message; returns balance and coverage', async () => {
  const before = await hulaki.balance()
  const sent = await hulaki.send({ to: '+9779841234567', text: 'Namaste' })
  assert.equal(sent.status, 'queued')
  const message = await hulaki.messages.get(sent.messageId)
  assert.equal(message.text, 'Namaste')
  assert.equal((await hulaki.balance()).balance, before.balance - sent.cost)
  assert.ok((await hulaki.coverage()).allowed.includes('NP'))
})

test('sends and verifies an OTP; a wrong OTP is not an error', async () => {
  const tested = await makeClient(service, { mode: 'test', testOtpCode: '123456' })
  const { otp } = new Hulaki({ url: service.url, apiKey: tested.apiKey })
  await otp.send({ to: '+9779841234568' })
  assert.deepEqual(await otp.verify({ to: '+9779841234568', code: '654321' }), {
    success: true,
    verified: false,
    reason: 'invalid_code',
  })
  assert.equal((await otp.verify({ to: '+9779841234568', code: '123456' })).verified, true)
})

test('sends its own or the given Idempotency-Key with every POST, and none with a GET', async () => {
  const { url, asked } = await startShakyNetwork(service.url, () => 'pass')
  const own = new Hulaki({ url: `${url}/api/sms/v1/`, apiKey })
  await own.send({ to: '+9779841234573', text: 'One' })
  await own.send({ to: '+9779841234573', text: 'One' })
  await own.send({ to: '+9779841234573', text: 'One' }, { idempotencyKey: 'order 4711' })
  await own.balance()
  const keys = asked.map(({ headers }) => headers['idempotency-key'])
  assert.match(String(keys[0]), /^[0-9a-f-]{36}$/)
  assert.notEqual(keys[0], keys[1])
  assert.deepEqual(keys.slice(2), ['order 4711', undefined])
  assert.ok(asked.every(({ headers }) => headers['x-api-key'] === apiKey))
})

test('rejects options that no header can contain, without the key in the error', async () => {
  const make = (options: object) => new Hulaki({ url: service.url, apiKey, ...options })
  for (const wrong of [`${apiKey}\n`, '', undefined, 'नमस्ते'])
    assert.throws(() => make({ apiKey: wrong }), { name: 'TypeError', message: /^apiKey is missing, or contains/ })
  const wrongUrls = [
    'ftp://sms.example.com',
    'https://asha:secret@sms.example.com',
    'sms.example.com',
    'localhost:8080',
  ]
  for (const url of [...wrongUrls, '//sms.example.com', 'https://', '', undefined])
    assert.throws(() => make({ url }), {
      name: 'TypeError',
      message:
        'url must begin with https:// or http://, such as https://sms.example.com, without a user name or password',
    })
  for (const wrong of [{ retries: Number.NaN }, { timeoutMs: -1 }, { withinMs: Number.NaN }])
    assert.throws(() => make(wrong), /must be a number of at least 0/)
  for (const idempotencyKey of ['', ' ', 'a ', 'अर्डर', 'x'.repeat(201), 'a\nb'])
    await assert.rejects(hulaki.send({ to: '+9779841234574', text: 'x' }, { idempotencyKey }), TypeError)
})

test('can be aborted before the call, during an attempt, and between two attempts', async () => {
  const stopped = new AbortController()
  stopped.abort(new Error('The user has left'))
  const before = await errorOf(hulaki.balance({ signal: stopped.signal }))
  assert.deepEqual([before.code, before.status, before.cause], ['aborted', 0, stopped.signal.reason])

  const leaving = new AbortController()
  const deaf = await startShakyNetwork(service.url, () => {
    leaving.abort()
    return 'hang'
  })
  const meanwhile = await errorOf(
    new Hulaki({ url: deaf.url, apiKey }).send({ to: '+9779841234571', text: 'x' }, { signal: leaving.signal }),
  )
  assert.deepEqual([meanwhile.code, deaf.asked.length], ['aborted', 1])
  assert.equal(meanwhile.idempotencyKey, deaf.asked[0]?.headers['idempotency-key'], 'it may have been accepted')

  const waiting = new AbortController()
  const away = await startShakyNetwork(service.url, () => ({
    status: 503,
    body: JSON.stringify({ error: 'x', code: 'unavailable' }),
    headers: { 'retry-after': '19' },
  }))
  const call = new Hulaki({ url: away.url, apiKey }).send(
    { to: '+9779841234571', text: 'x' },
    { signal: waiting.signal },
  )
  setTimeout(() => waiting.abort(), 100)
  const between = await errorOf(call)
  assert.deepEqual([between.code, away.asked.length <= 1], ['aborted', true])
})

test('reports a timeout, and retries with the same key', async () => {
  const { url, asked } = await startShakyNetwork(service.url, () => 'hang')
  const machine = machineWithoutWaits()
  const slow = new Hulaki({ url, apiKey, retries: 2, timeoutMs: 100 }, machine)
  const error = await errorOf(slow.send({ to: '+9779841234571', text: 'x' }))
  assert.deepEqual([error.code, error.status, machine.waits.length], ['timeout', 0, 2])
  const keys = new Set(asked.map(({ headers }) => headers['idempotency-key']))
  assert.ok(keys.size <= 1 && [...keys].every((key) => key === error.idempotencyKey))
  const short = await errorOf(new Hulaki({ url, apiKey, retries: 0 }).balance({ timeoutMs: 100 }))
  assert.equal(short.code, 'timeout', 'a call may have a time of its own')
})

test('polls a message after 2, 5 and 15 s and then every minute, until its status is final (§4.4)', async () => {
  const { messageId } = await hulaki.send({ to: '+9779841234572', text: 'Looked at' })
  const machine = machineWithoutWaits()
  const looking = new Hulaki({ url: service.url, apiKey }, machine)
  assert.equal((await looking.messages.waitUntilFinal(messageId)).status, 'queued', 'the time was up')
  assert.deepEqual(machine.waits, [2_000, 5_000, 15_000, 60_000, 60_000, 60_000, 60_000, 38_000])
  const tested = await makeClient(service, { mode: 'test' })
  const trying = new Hulaki({ url: service.url, apiKey: tested.apiKey }, machineWithoutWaits())
  const { messageId: id } = await trying.send({ to: '+9779841234572', text: 'x' })
  assert.equal((await trying.messages.waitUntilFinal(id)).status, 'test')
})

test('keeps polling while the service is unavailable, but fails if it was never reached', async () => {
  const { messageId } = await hulaki.send({ to: '+9779841234575', text: 'Looked at' })
  const flaky = await startShakyNetwork(service.url, (at) => (at >= 1 && at <= 6 ? 'lose the request' : 'pass'))
  const looking = new Hulaki({ url: flaky.url, apiKey }, machineWithoutWaits())
  assert.equal((await looking.messages.waitUntilFinal(messageId)).status, 'queued')
  const gone = await startShakyNetwork(service.url, () => 'lose the request')
  const never = await errorOf(new Hulaki({ url: gone.url, apiKey }, machineWithoutWaits()).messages.waitUntilFinal('x'))
  assert.deepEqual([never.code, gone.asked.length], ['network', 5])
  const lost = await startShakyNetwork(service.url, (at) => (at > 0 ? 'lose the request' : 'pass'))
  const later = new Hulaki({ url: lost.url, apiKey }, machineWithoutWaits()).messages.waitUntilFinal(messageId)
  assert.equal((await errorOf(later)).code, 'network', 'nobody knows how it is now')
})
