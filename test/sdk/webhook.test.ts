// Webhooks as the service signs them, verified by the client package.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { verifyWebhook, WebhookRefused } from '../../sdk/src/index.ts'
import { type SigningSecrets, signatureHeader } from '../../src/domain/signature.ts'

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
    (fault: unknown) => (fault instanceof WebhookRefused ? fault.reason : String(fault)),
  )

test('§6.3: what the service signs is taken, as text and as bytes, from Headers and from plain objects', async () => {
  const headers = signed([SECRET])
  for (const raw of [body, new TextEncoder().encode(body)]) {
    for (const given of [
      headers,
      new Headers(headers),
      { 'X-Other-Signature': headers['x-svc-signature'], 'X-Other-Delivery': ['d-1'] },
    ]) {
      const { event, deliveryId } = await verifyWebhook(raw, given, SECRET, { now })
      assert.deepEqual([event.type, deliveryId], ['message.status', 'd-1'])
    }
  }
})

test('§6.3: while a secret is rotated either is right', async () => {
  const headers = signed(['whsec_new', SECRET])
  assert.equal((await verifyWebhook(body, headers, SECRET, { now })).event.id, 'm')
  assert.equal((await verifyWebhook(body, headers, 'whsec_new', { now })).event.id, 'm')
  assert.equal(await reasonOf(verifyWebhook(body, headers, 'whsec_other', { now })), 'wrong_signature')
})

test('§6.3: another body, another time, none at all: refused, each with its reason', async () => {
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
  assert.equal(await reasonOf(verifyWebhook(other, signed([SECRET], other), SECRET, { now })), 'unreadable')
  const cut = createHmac('sha256', SECRET)
    .update(`${now / 1000}.${body}`)
    .digest('hex')
    .slice(0, 63)
  assert.equal(
    await reasonOf(verifyWebhook(body, headersOf(`t=${now / 1000},v1=${cut}`), SECRET, { now })),
    'no_signature',
  )
})

test('§6.1: a delivery that comes again is known by its id', async () => {
  const seen = new Set<string>()
  const deliveries = { add: (id: string) => seen.size < seen.add(id).size }
  const verify = () => verifyWebhook(body, signed([SECRET]), SECRET, { now, deliveries })
  assert.deepEqual([(await verify()).isRepeated, (await verify()).isRepeated], [false, true])
})
