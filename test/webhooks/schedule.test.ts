// Retries of a delivery with a manual clock: every wait, both kinds of failure, each kind of answer (§6.4).
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import { signatureHeader } from '../../src/domain/webhooks/signature.ts'
import type { Statement } from '../../src/store/database/sql.ts'
import { limitAttempts } from '../harness/attempt-limit.ts'
import { listener } from '../harness/background.ts'
import { until } from '../harness/until.ts'
import { startEndpoint, startRawEndpoint } from './endpoints.ts'
import {
  clientWithEndpoint,
  deliveryOf,
  queueEvent,
  settle,
  signatureOf,
  startWebhookService,
  urlOf,
} from './webhook-service.ts'

const service = await startWebhookService()

/** An endpoint that gives these answers in order, and then repeats the last one. */
async function answering(t: TestContext, statusCodes: number[]) {
  let count = 0
  const endpoint = await startEndpoint(t, (response) => {
    response.writeHead(statusCodes[Math.min(count, statusCodes.length - 1)] ?? 500).end('an answer')
    count += 1
  })
  const client = await clientWithEndpoint(service, endpoint)
  return { endpoint, client }
}

const secondsSince = (start: Date, times: string[]) => times.map((at) => (Date.parse(at) - start.getTime()) / 1000)

test('§6.4: the first attempt is immediate, the waits are exact, and the delivery fails after the 8th', async (t) => {
  const { endpoint, client } = await answering(t, [500])
  const start = service.clock.now()
  const deliveryId = await queueEvent(service, client)
  await settle(service)
  assert.equal(endpoint.received.length, 1)
  await service.advance(9)
  assert.equal(endpoint.received.length, 1)
  await service.advance(1)
  assert.equal(endpoint.received.length, 2)
  await service.advance(24 * 3600)

  const { state, failureReason, endedAt, attempts } = await deliveryOf(service, deliveryId)
  assert.deepEqual([state, failureReason], ['failed', 'retries_exhausted'])
  const times = attempts.map((attempt: { attemptedAt: string }) => attempt.attemptedAt)
  assert.deepEqual(secondsSince(start, times), [0, 10, 40, 160, 760, 2560, 6160, 16_960])
  assert.equal(endedAt, times.at(-1))
  assert.equal(endpoint.received.length, 8)
})

test('a retry that is stored while the sender looks up the next one is posted at its time', async (t) => {
  // The first answer waits for the look-up, so that the look-up cannot know of the retry.
  const lookedUp = Promise.withResolvers<void>()
  const endpoint = await startEndpoint(
    t,
    listener(async (response: ServerResponse) => {
      await lookedUp.promise
      response.writeHead(endpoint.received.length === 1 ? 500 : 204).end()
    }),
  )
  const client = await clientWithEndpoint(service, endpoint)
  const { db } = service.ports
  const leaseEnd = service.clock.now().getTime() + 30_000
  const query = db.query.bind(db) as (statement: Statement) => Promise<{ at?: Date | null }[]>
  let held = 0
  t.mock.method(db, 'query', async (statement: Statement) => {
    const rows = await query(statement)
    if (rows[0]?.at?.getTime() === leaseEnd) {
      held += 1
      lookedUp.resolve()
      await until(async () => (await deliveryOf(service, deliveryId)).attemptCount === 1)
    }
    return rows
  })
  const deliveryId = await queueEvent(service, client)
  await settle(service)
  assert.equal(held, 1)
  await service.advance(15)
  assert.equal(endpoint.received.length, 2)
  const { attempts } = await deliveryOf(service, deliveryId)
  assert.deepEqual(secondsSince(new Date(attempts[0].attemptedAt), [attempts[1].attemptedAt]), [10])
})

test('§6.3 rule 3: every retry has the same delivery id and bytes, and a new signed t', async (t) => {
  const { endpoint, client } = await answering(t, [500, 302, 204])
  const deliveryId = await queueEvent(service, client)
  const start = service.clock.now().getTime() / 1000
  await service.advance(3600)
  const [first] = endpoint.received
  assert(first)
  assert.equal(endpoint.received.length, 3)
  assert.deepEqual(JSON.parse(first.body.toString()).status, 'delivered')
  for (const [index, waited] of [0, 10, 40].entries()) {
    const attempt = endpoint.received[index]
    assert(attempt)
    assert.equal(attempt.headers['x-svc-delivery'], deliveryId)
    assert.equal(attempt.headers['x-svc-event'], 'message.status')
    assert.deepEqual(attempt.body, first.body)
    const unixSeconds = start + waited
    const secrets = [client.webhookSecret] as const
    assert.equal(attempt.headers['x-svc-signature'], signatureHeader({ unixSeconds, body: first.body, secrets }))
    assert.equal(signatureOf(attempt).t, unixSeconds)
  }
  assert.equal((await deliveryOf(service, deliveryId)).state, 'delivered')
})

test('§6.4 rule 3: a permanent 4xx fails after 3 attempts; 408, 429, a redirect and 5xx after 8', async (t) => {
  const attemptsUntilFailed: Record<number, number> = {
    ...{ 400: 3, 401: 3, 404: 3, 410: 3, 422: 3, 499: 3 },
    ...{ 301: 8, 302: 8, 307: 8, 308: 8, 408: 8, 429: 8, 500: 8, 502: 8, 503: 8 },
  }
  const deliveries = new Map<string, string>()
  for (const statusCode of Object.keys(attemptsUntilFailed)) {
    const { client } = await answering(t, [Number(statusCode)])
    deliveries.set(statusCode, await queueEvent(service, client))
  }
  await service.advance(24 * 3600)
  for (const [statusCode, deliveryId] of deliveries) {
    const { state, failureReason, attempts } = await deliveryOf(service, deliveryId)
    const expected = attemptsUntilFailed[Number(statusCode)]
    assert.equal(state, 'failed')
    assert.equal(failureReason, expected === 3 ? 'rejected' : 'retries_exhausted')
    assert.deepEqual(
      attempts.map((attempt: { statusCode: number }) => attempt.statusCode),
      Array.from({ length: expected ?? 0 }, () => Number(statusCode)),
    )
  }
})

test('§6.4 rule 1: any 2xx ends the delivery at its first attempt', async (t) => {
  for (const statusCode of [200, 201, 202, 204, 299]) {
    const { endpoint, client } = await answering(t, [statusCode])
    const deliveryId = await queueEvent(service, client)
    await service.advance(24 * 3600)
    const { state, failureReason, attempts } = await deliveryOf(service, deliveryId)
    assert.deepEqual([state, failureReason, attempts.length, endpoint.received.length], ['delivered', null, 1, 1])
  }
})

test('§6.4, D29: only the latest answer counts: 404, 404, 503, 404 fails at the 4th attempt', async (t) => {
  const { client } = await answering(t, [404, 404, 503, 404])
  const deliveryId = await queueEvent(service, client)
  await service.advance(24 * 3600)
  const { state, attempts } = await deliveryOf(service, deliveryId)
  assert.deepEqual([state, attempts.length], ['failed', 4])
})

test('§6.4: retries after a reset, a DNS failure or a bad certificate, and shows the error', async (t) => {
  const reset = await startRawEndpoint(t, (socket) => socket.destroy())
  const wrongName = await startEndpoint(t, (response) => response.end(), { certificate: 'other-host' })
  const untrusted = await startEndpoint(t, (response) => response.end(), { certificate: 'self-signed' })
  const failures: Record<string, RegExp> = {
    [urlOf(reset)]: /closed before a response/,
    'https://nowhere.invalid/hook': /DNS lookup failed/,
    [urlOf(wrongName)]: /certificate is for another host/,
    [urlOf(untrusted)]: /not from a trusted authority/,
  }
  for (const [url, inWords] of Object.entries(failures)) {
    const client = await clientWithEndpoint(service, reset)
    assert.equal((await service.manage('PATCH', `/clients/${client.id}`, { webhookUrl: url })).status, 200)
    const deliveryId = await queueEvent(service, client)
    await service.advance(10)
    const { state, attempts } = await deliveryOf(service, deliveryId)
    assert.equal(state, 'pending')
    assert.equal(attempts.length, 2)
    for (const attempt of attempts) {
      assert.equal(attempt.url, url)
      assert.match(attempt.error, inWords)
      assert.deepEqual([attempt.statusCode, attempt.answer], [null, null])
    }
  }
})

test('§6.4 rule 1: an attempt without an answer for 10 s fails and is retried', async (t) => {
  // Shortens only the timer of 10 s.
  limitAttempts(t, 100)
  const endpoint = await startEndpoint(t, () => {})
  const deliveryId = await queueEvent(service, await clientWithEndpoint(service, endpoint))
  await settle(service)
  const { state, attempts } = await deliveryOf(service, deliveryId)
  assert.deepEqual([state, attempts.length, attempts[0].error], ['pending', 1, 'no answer within 10 s'])
  await service.advance(10)
  // The shortened timer may end the request before the endpoint reads it.
  const again = await deliveryOf(service, deliveryId)
  assert.deepEqual(
    again.attempts.map((it: { error: string }) => it.error),
    Array(2).fill('no answer within 10 s'),
  )
})
