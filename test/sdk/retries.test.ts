// §7.4, D47: which calls the SDK retries, when and how often, and that retries create one message.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Hulaki, HulakiError, type HulakiOptions } from '../../sdk/src/index.ts'
import { retryDelay } from '../../sdk/src/retry.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { makeClient } from '../harness/client.ts'
import { holdWorkspace } from '../harness/hold-workspace.ts'
import { sharedService } from '../harness/service.ts'
import { machineWithoutWaits, startShakyNetwork } from '../harness/shaky-network.ts'
import { until } from '../harness/until.ts'

const service = await sharedService()
const client = await makeClient(service)
const { apiKey } = client
const hulaki = new Hulaki({ url: service.url, apiKey })

const refused = (status: number, code: string, retryAfter?: string) => ({
  status,
  body: JSON.stringify({ error: 'x', code }),
  ...(retryAfter === undefined ? {} : { headers: { 'retry-after': retryAfter } }),
})

async function messagesTo(to: string): Promise<number> {
  const { body } = await service.manage(
    'GET',
    `/workspaces/${client.workspaceId}/messages?to=${encodeURIComponent(to)}`,
  )
  return body.items.length
}

/** The number of attempts and the waits for a call that always gets this response. */
async function callsOf(answer: Parameters<typeof startShakyNetwork>[1], options: Partial<HulakiOptions> = {}) {
  const { url, asked } = await startShakyNetwork(service.url, answer)
  const machine = machineWithoutWaits()
  const error = await new Hulaki({ url, apiKey, ...options }, machine).send({ to: '+9779841234571', text: 'x' }).then(
    () => null,
    (it: unknown) => it,
  )
  const keys = new Set(asked.map(({ headers, body }) => `${headers['idempotency-key']} ${body}`))
  assert.equal(keys.size, 1, 'every try has the key and the body of the first')
  return { error, calls: asked.length, waits: machine.waits }
}

test('retries 500, 503, 409 and 429 with Retry-After, and errors of the network or a proxy', async () => {
  const passing: Record<string, Parameters<typeof startShakyNetwork>[1]> = {
    '500': () => refused(500, 'server_error'),
    '503': () => refused(503, 'unavailable', '1'),
    'the first still runs': () => refused(409, 'idempotency_conflict', '1'),
    'too many': () => refused(429, 'rate_limited', '1'),
    'a code of a later version': () => refused(503, 'some_new_reason'),
    'a request that did not arrive whole': () => refused(408, 'invalid_request'),
    'a proxy that does not reach it': () => ({ status: 502, body: '<html>Bad gateway</html>' }),
    'a 200 of somebody else': () => ({ status: 200, body: '<html>Welcome to our network</html>' }),
    'a connection that drops': () => 'lose the request',
  }
  for (const [what, answer] of Object.entries(passing)) assert.equal((await callsOf(answer)).calls, 5, what)
})

test('never retries a request that would get the same response', async () => {
  const final: Record<string, Parameters<typeof startShakyNetwork>[1]> = {
    ...Object.fromEntries([400, 401, 402, 403, 404, 413, 422].map((status) => [status, () => refused(status, 'x')])),
    'the key with another body': () => refused(409, 'idempotency_conflict'),
    'a cap of nothing': () => refused(429, 'daily_cap'),
    'a response whose code is `network`': () => refused(400, 'network'),
    'a page that is not there': () => ({ status: 404, body: '<html>Not here</html>' }),
  }
  for (const [what, answer] of Object.entries(final)) assert.equal((await callsOf(answer)).calls, 1, what)
})

test('waits for Retry-After in seconds or as a date, and throws if the wait is too long', async () => {
  const limited = await callsOf((at) => (at === 0 ? refused(429, 'rate_limited', '7') : 'pass'))
  assert.deepEqual([limited.error, limited.calls], [null, 2])
  assert.ok(limited.waits.length === 1 && Number(limited.waits[0]) >= 7_000 && Number(limited.waits[0]) <= 7_150)
  const soon = new Date(Date.now() + 15_000).toUTCString()
  const dated = await callsOf((at) => (at === 0 ? refused(503, 'unavailable', soon) : 'pass'))
  assert.ok(dated.calls === 2 && Number(dated.waits[0]) <= 15_150, `${dated.waits}`)
  const far = await callsOf(() => refused(429, 'rate_limited', '55'))
  assert.ok(far.error instanceof HulakiError)
  assert.deepEqual([far.error.retryAfterSeconds, far.calls, far.waits], [55, 1, []])
  const nonsense = await callsOf((at) => (at === 0 ? refused(503, 'unavailable', 'soon') : 'pass'))
  assert.deepEqual([nonsense.calls, nonsense.waits], [2, [225]])
})

test('limits the number of attempts and the total time', async () => {
  assert.equal((await callsOf(() => refused(503, 'unavailable'), { retries: 0 })).calls, 1)
  assert.equal((await callsOf(() => refused(503, 'unavailable'), { retries: 7 })).calls, 8)
  const { calls, waits, error } = await callsOf(() => refused(503, 'unavailable', '4'), {
    retries: 99,
    withinMs: 10_000,
  })
  assert.deepEqual([calls, waits.length], [3, 2], 'a third wait would have ended too late, so it was not begun')
  assert.ok(error instanceof HulakiError && error.code === 'unavailable')
  const { url, asked } = await startShakyNetwork(service.url, () => 'hang')
  const late = await new Hulaki({ url, apiKey, retries: 99 }).balance({ withinMs: 300 }).catch((it: unknown) => it)
  assert.ok(late instanceof HulakiError && late.code === 'timeout' && asked.length <= 1, String(late))
})

test('grows the delays, with jitter over half of their length, never below Retry-After and within the longest wait', () => {
  fc.assert(
    fc.property(
      fc.record({
        attempt: fc.nat(30),
        random: fc.double({ min: 0, max: 1, noNaN: true }),
        told: fc.option(fc.nat(100)),
        maxWaitMs: fc.integer({ min: 1, max: 60_000 }),
      }),
      ({ attempt, random, told, maxWaitMs }) => {
        const error = { code: 'unavailable', status: 503, retryAfterSeconds: told } as const
        const wait = retryDelay(error, { attempt, random }, { retries: 31, maxWaitMs })
        const least = (told ?? 0) * 1000
        if (least > maxWaitMs) return wait === null
        const grown = Math.min(300 * 2 ** attempt, maxWaitMs)
        return wait !== null && wait >= Math.max(least, grown / 2) && wait <= Math.max(least, grown / 2) + grown / 2
      },
    ),
  )
  const waitAt = (attempt: number, random: number) =>
    retryDelay(
      { code: 'network', status: 0, retryAfterSeconds: null },
      { attempt, random },
      { retries: 4, maxWaitMs: 20_000 },
    )
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((attempt) => waitAt(attempt, 0)),
    [150, 300, 600, 1_200, null],
  )
  assert.deepEqual(
    [0, 1, 2, 3].map((attempt) => waitAt(attempt, 1)),
    [300, 600, 1_200, 2_400],
  )
})

test('creates one message and one charge if responses are lost after acceptance (§8.3)', async () => {
  const { url, asked } = await startShakyNetwork(service.url, (at) => (at < 3 ? 'lose the answer' : 'pass'))
  const before = await hulaki.balance()
  const sent = await new Hulaki({ url, apiKey }, machineWithoutWaits()).send({
    to: '+9779841234569',
    text: 'Only once',
  })
  assert.equal(asked.length, 4)
  assert.equal((await hulaki.balance()).balance, before.balance - sent.cost)
  assert.equal(await messagesTo('+9779841234569'), 1)
})

test('creates one message and one charge for each of thirty sends over an unreliable network (§8.3)', async (t) => {
  const seed = Number(process.env.SEED ?? systemRandom.below(2 ** 31))
  t.diagnostic(`SEED=${seed}`)
  const dice = diceOf(seed)
  const perCall = new Map<unknown, number>()
  const { url, asked } = await startShakyNetwork(service.url, (_, { headers }) => {
    const tries = (perCall.get(headers['idempotency-key']) ?? 0) + 1
    perCall.set(headers['idempotency-key'], tries)
    if (tries > 8) return 'pass'
    const errors = ['lose the answer', 'cut the answer', 'lose the request', refused(503, 'unavailable')] as const
    return errors[Math.floor(dice() * 6)] ?? 'pass'
  })
  const before = (await hulaki.balance()).balance
  const shaky = new Hulaki({ url, apiKey, retries: 9, withinMs: 1e9 }, machineWithoutWaits(dice))
  const numbers = Array.from({ length: 30 }, (_, at) => `+97798412400${10 + at}`)
  const sent = await Promise.all(numbers.map((to) => shaky.send({ to, text: 'By chance' })))
  assert.ok(asked.length > 40, 'the network was shaky')
  assert.equal(new Set(sent.map(({ messageId }) => messageId)).size, 30)
  for (const to of numbers) assert.equal(await messagesTo(to), 1, to)
  assert.equal((await hulaki.balance()).balance, before - 30 * 1.5)
  for (const [at, { messageId }] of sent.entries())
    assert.equal((await hulaki.messages.get(messageId)).to, numbers[at], 'each got its own answer')
})

test('sends one OTP and counts one attempt over an unreliable network (§8.3)', async () => {
  const tested = await makeClient(service, { mode: 'test', testOtpCode: '123456' })
  const { url } = await startShakyNetwork(service.url, (at) => (at % 3 === 2 ? 'pass' : 'lose the answer'))
  const { otp } = new Hulaki({ url, apiKey: tested.apiKey }, machineWithoutWaits())
  const to = '+9779841234577'
  await otp.send({ to })
  assert.equal(
    (await otp.verify({ to, code: '123456' })).verified,
    true,
    'the answer to its first try, which used it up',
  )
  assert.equal((await otp.verify({ to, code: '123456' })).reason, 'no_active_otp', 'another call is another try')
})

test('waits for the first request if it is still running, and gets its response (§8.3)', async () => {
  const to = '+9779841234578'
  const release = await holdWorkspace(service, client.workspaceId)
  const { url, asked } = await startShakyNetwork(service.url, () => 'pass')
  const machine = machineWithoutWaits()
  const hasty = new Hulaki({ url, apiKey, timeoutMs: 400, retries: 1_000, withinMs: 1e9 }, machine)
  const sending = hasty.send({ to, text: 'Slow' })
  await until(() => asked.length >= 3)
  await release()
  const { messageId } = await sending
  assert.equal((await hulaki.messages.get(messageId)).to, to)
  assert.equal(await messagesTo(to), 1)
})

test('creates one message if an aborted call is repeated with its key', async () => {
  const to = '+9779841234579'
  const { url } = await startShakyNetwork(service.url, () => 'lose the answer')
  const error = await new Hulaki({ url, apiKey }, machineWithoutWaits())
    .send({ to, text: 'Perhaps' })
    .catch((it: unknown) => it)
  assert.ok(error instanceof HulakiError && error.code === 'network' && error.idempotencyKey)
  await hulaki.send({ to, text: 'Perhaps' }, { idempotencyKey: error.idempotencyKey })
  assert.equal(await messagesTo(to), 1)
})

/** Pseudo-random numbers from 0 to 1 by seed (mulberry32). */
function diceOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
