// Webhooks as the service signs them, verified by the client package.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { RecentDeliveries, verifyWebhook, WebhookRefused } from '../../sdk/src/index.ts'
import { type SigningSecrets, signatureHeader } from '../../src/domain/webhooks/signature.ts'

const SECRET = 'whsec_0123456789abcdef'
const AT = new Date('2026-11-16T04:00:00Z')
const now = AT.getTime()
const body = JSON.stringify({ type: 'message.status', id: 'm', status: 'delivered', to: '+9779841234567' })
const headersOf = (signature: string) => ({
  'x-svc-signature': signature,
  'x-svc-delivery': 'd-1',
  'x-svc-event': 'message.status',
})
const signed = (secrets: SigningSecrets, text = body) =>
  headersOf(signatureHeader({ unixSeconds: AT.getTime() / 1000, body: Buffer.from(text), secrets }))

const reasonOf = (refused: Promise<unknown>) =>
  refused.then(
    () => 'taken',
    (error: unknown) => (error instanceof WebhookRefused ? error.reason : String(error)),
  )

test('accepts signed events as text and bytes, with Headers and plain objects (§6.3)', async () => {
  const headers = signed([SECRET])
  for (const raw of [body, new TextEncoder().encode(body), new TextEncoder().encode(body).buffer, Buffer.from(body)]) {
    for (const given of [
      headers,
      new Headers(headers),
      new Map(Object.entries(headers)),
      { 'x-hub-signature': 'sha1=00', 'x-amz-signature': 'x', ...headers },
      { 'X-Other-Signature': headers['x-svc-signature'], 'X-Other-Delivery': ['d-1'] },
    ]) {
      const { event, deliveryId } = await verifyWebhook(raw, given, SECRET, { now })
      assert.deepEqual([event.type, deliveryId], ['message.status', 'd-1'])
    }
  }
})

test('accepts both secrets during a rotation (§6.3)', async () => {
  const headers = signed(['whsec_new', SECRET])
  assert.equal((await verifyWebhook(body, headers, SECRET, { now })).event.id, 'm')
  assert.equal((await verifyWebhook(body, headers, 'whsec_new', { now })).event.id, 'm')
  assert.equal(await reasonOf(verifyWebhook(body, headers, 'whsec_other', { now })), 'wrong_signature')
})

test('rejects another body, another time, or a missing signature, each with its reason (§6.3)', async () => {
  assert.equal(await reasonOf(verifyWebhook(`${body} `, signed([SECRET]), SECRET, { now })), 'wrong_signature')
  assert.equal(await reasonOf(verifyWebhook(body, signed([SECRET]), SECRET, { now: now + 301_000 })), 'too_old')
  assert.equal(await reasonOf(verifyWebhook(body, signed([SECRET]), SECRET, { now: now - 301_000 })), 'too_old')
  assert.equal(
    await reasonOf(verifyWebhook(body, signed([SECRET]), SECRET, { now: now + 500_000, tolerance: 600 })),
    'taken',
  )
  assert.equal(await reasonOf(verifyWebhook(body, {}, SECRET, { now })), 'no_signature')
  assert.equal(await reasonOf(verifyWebhook(body, headersOf('t=x,v1=00'), SECRET, { now })), 'no_signature')
  const other = JSON.stringify({ type: 'message.unheard' })
  assert.equal(await reasonOf(verifyWebhook(other, signed([SECRET], other), SECRET, { now })), 'unknown_event')
  for (const none of ['[]', 'null', 'x', '{}'])
    assert.equal(await reasonOf(verifyWebhook(none, signed([SECRET], none), SECRET, { now })), 'unreadable', none)
  const cut = createHmac('sha256', SECRET)
    .update(`${now / 1000}.${body}`)
    .digest('hex')
    .slice(0, 63)
  assert.equal(
    await reasonOf(verifyWebhook(body, headersOf(`t=${now / 1000},v1=${cut}`), SECRET, { now })),
    'no_signature',
  )
})

test('accepts a clock difference of exactly 300 s in both directions, and no NaN tolerance (§6.3)', async () => {
  const at = (seconds: number, tolerance?: number) =>
    reasonOf(
      verifyWebhook(body, signed([SECRET]), SECRET, {
        now: now + seconds * 1000,
        ...(tolerance === undefined ? {} : { tolerance }),
      }),
    )
  for (const seconds of [-300, 0, 300]) assert.equal(await at(seconds), 'taken', `${seconds}`)
  for (const seconds of [-300.001, 300.001, 86_400]) assert.equal(await at(seconds), 'too_old', `${seconds}`)
  assert.deepEqual([await at(0, 0), await at(1, 0), await at(0, Number.NaN)], ['taken', 'too_old', 'too_old'])
})

test('reports mistakes of the endpoint: a missing secret, or a parsed body', async () => {
  await assert.rejects(verifyWebhook(body, signed([SECRET]), '', { now }), /secret is missing/)
  const parsed = JSON.parse(body) as string
  await assert.rejects(verifyWebhook(parsed, signed([SECRET]), SECRET, { now }), /not a parsed body/)
})

test('answers 204 for an event of a later version, and 400 for every other refusal (§9)', async () => {
  const statusOf = (text: string, secret: string) =>
    verifyWebhook(text, signed([SECRET], text), secret, { now }).then(
      () => 200,
      (error: unknown) => (error instanceof WebhookRefused ? error.status : 500),
    )
  assert.equal(await statusOf('{"type":"message.read"}', SECRET), 204)
  assert.equal(await statusOf('{"type":"message.read"}', 'whsec_other'), 400)
  assert.equal(await statusOf(body, SECRET), 200)
})

test('detects a repeated delivery by its id, unless its work failed (§6.1)', async () => {
  const deliveries = new RecentDeliveries()
  const verify = () => verifyWebhook(body, signed([SECRET]), SECRET, { now, deliveries })
  assert.deepEqual([(await verify()).isRepeated, (await verify()).isRepeated], [false, true])
  deliveries.delete('d-1')
  assert.equal((await verify()).isRepeated, false)
  await reasonOf(
    verifyWebhook(body, { ...signed(['whsec_other']), 'x-svc-delivery': 'd-2' }, SECRET, { now, deliveries }),
  )
  assert.equal(deliveries.add('d-2'), true, 'what is not signed right is not remembered')
})

test('limits the ids in memory, and removes the oldest first', () => {
  const deliveries = new RecentDeliveries(3)
  for (const id of ['a', 'b', 'c', 'd']) assert.equal(deliveries.add(id), true)
  assert.deepEqual(
    ['b', 'c', 'd', 'a'].map((id) => deliveries.add(id)),
    [false, false, false, true],
  )
})
