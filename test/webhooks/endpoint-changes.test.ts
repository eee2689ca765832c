// Changes of the secret, the URL and the client apply to the next attempt in every process (§6.3, §6.4).
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { signatureHeader } from '../../src/domain/webhooks/signature.ts'
import type { TestService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { type ReceivedRequest, startEndpoint } from './endpoints.ts'
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

async function rotate(clientId: string, graceHours?: number, at: TestService = service): Promise<string> {
  const body = graceHours === undefined ? undefined : { graceHours }
  const answer = await at.manage('POST', `/clients/${clientId}/rotate-webhook-secret`, body)
  assert.equal(answer.status, 200)
  return answer.body.webhookSecret
}

function assertSigned(attempt: ReceivedRequest | undefined, secrets: readonly [string] | readonly [string, string]) {
  assert(attempt)
  const unixSeconds = signatureOf(attempt).t
  assert.equal(attempt.headers['x-svc-signature'], signatureHeader({ unixSeconds, body: attempt.body, secrets }))
}

async function startPair(t: TestContext, statusCode = 204) {
  const endpoint = await startEndpoint(t, (response) => response.writeHead(statusCode).end())
  return { endpoint, client: await clientWithEndpoint(service, endpoint) }
}

test('§6.3 rule 4: two v1 signatures during the grace of 24 hours, then one', async (t) => {
  const { endpoint, client } = await startPair(t)
  const renewed = await rotate(client.id)
  await queueEvent(service, client)
  await service.advance(24 * 3600 - 1)
  await queueEvent(service, client)
  await service.advance(1)
  await queueEvent(service, client)
  await settle(service)
  const [atOnce, justBefore, after] = endpoint.received
  assertSigned(atOnce, [renewed, client.webhookSecret])
  assertSigned(justBefore, [renewed, client.webhookSecret])
  assertSigned(after, [renewed])
})

test('§6.3 rule 4: a retry is signed with the current secrets', async (t) => {
  const { endpoint, client } = await startPair(t, 500)
  await queueEvent(service, client)
  await settle(service)
  const second = await rotate(client.id, 168)
  await service.advance(10)
  const third = await rotate(client.id, 0)
  await service.advance(30)
  const [first, retry, last] = endpoint.received
  assertSigned(first, [client.webhookSecret])
  assertSigned(retry, [second, client.webhookSecret])
  assertSigned(last, [third])
})

test('§6.3 rule 4: with a grace of 0 the old secret stops at once in every process', async (t) => {
  const processes = await Promise.all([1, 2].map(() => startWebhookService({ beside: service })))
  const { endpoint, client } = await startPair(t)
  let secret = client.webhookSecret
  for (let round = 1; round <= 6; round += 1) {
    // One process rotates, the other queues the event; either may post it.
    const [one, other] = round % 2 === 0 ? processes : processes.toReversed()
    assert(one && other)
    secret = await rotate(client.id, 0, one)
    await queueEvent(other, client)
    await until(() => endpoint.received.length === round)
    assertSigned(endpoint.received.at(-1), [secret])
  }
  for (const each of processes) await each.stop()
})

test('a changed URL applies to the next attempt, also of a retry', async (t) => {
  const { endpoint, client } = await startPair(t, 500)
  const elsewhere = await startEndpoint(t, (response) => response.end())
  const deliveryId = await queueEvent(service, client)
  await settle(service)
  const webhookUrl = urlOf(elsewhere, '/new')
  assert.equal((await service.manage('PATCH', `/clients/${client.id}`, { webhookUrl })).status, 200)
  await service.advance(10)
  assert.deepEqual([endpoint.received.length, elsewhere.received.length], [1, 1])
  assert.equal(elsewhere.received[0]?.target, '/new')
  const { state, attempts } = await deliveryOf(service, deliveryId)
  assert.equal(state, 'delivered')
  assert.deepEqual(
    attempts.map((it: { url: string }) => it.url),
    [urlOf(endpoint), webhookUrl],
  )
})

test('a pending delivery fails without an attempt after its URL is removed', async (t) => {
  const { endpoint, client } = await startPair(t, 500)
  const deliveryId = await queueEvent(service, client)
  await settle(service)
  await service.manage('PATCH', `/clients/${client.id}`, { webhookUrl: null })
  await service.advance(10)
  assert.equal(endpoint.received.length, 1)
  const { state, failureReason, attempts } = await deliveryOf(service, deliveryId)
  assert.deepEqual([state, failureReason, attempts.length], ['failed', 'no_url', 1])
})

test('deliveries of a disabled client wait without attempts, and continue when it is enabled', async (t) => {
  const { endpoint, client } = await startPair(t)
  await service.manage('POST', `/clients/${client.id}/disable`)
  const deliveryId = await queueEvent(service, client)
  await service.advance(3 * 24 * 3600)
  const { state, attempts } = await deliveryOf(service, deliveryId)
  assert.deepEqual([state, attempts.length, endpoint.received.length], ['pending', 0, 0])
  await service.manage('POST', `/clients/${client.id}/enable`)
  await settle(service)
  assert.equal((await deliveryOf(service, deliveryId)).state, 'delivered')
})
