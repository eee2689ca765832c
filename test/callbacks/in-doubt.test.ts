// D15: a receipt with our reference settles a message whose answer is missing.
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, test } from 'node:test'
import { sql } from '../../src/store/database/sql.ts'
import { freePort } from '../harness/free-port.ts'
import { ALLOWED, addHttpCarrier, describe, startProvider } from '../harness/http-carrier.ts'
import { addRoute, makeSender } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const port = await freePort()
const service = await ownService({
  env: { ...ALLOWED, PORT: String(port), HULAKI_PUBLIC_URL: `http://127.0.0.1:${port}` },
})
const sender = await makeSender(service)
const provider = await startProvider()
after(() => provider.close())
const carrierId = await addHttpCarrier(service, provider.url, {
  http: {
    ...describe(provider.url),
    body: { kind: 'json', value: { to: '{to}', text: '{text}', ref: '{reference}', callback: '{callbackUrl}' } },
    receipts: { kind: 'callback', reading: { reference: '/ref', state: '/state' } },
  },
  breakAfterUnanswered: null,
})
await addRoute(service, carrierId)
await until(async () => (await service.manage('GET', `/carriers/${carrierId}`)).body.health.state === 'working')

async function submissionOf(messageId: string) {
  const [row] = await service.db.query<{ outcome: string; carrierMessageId: string | null }>(
    sql`select outcome::text, carrier_message_id as "carrierMessageId" from submission where message_id = ${messageId}`,
  )
  return row
}
const statusOf = async (id: string) => (await sender.get(id)).status

test('D15: of two unknown messages to one number, a receipt without a number settles the one it names', async () => {
  // Both are sent before the connection breaks; otherwise one would be submitted again instead of unknown.
  const calls: Socket[] = []
  provider.does((_got, _response, socket) => {
    calls.push(socket)
    if (calls.length === 2) for (const it of calls) it.destroy()
  })
  const ids: string[] = []
  for (const text of ['one', 'other']) ids.push((await sender.send({ to: '9841000001', text })).body.messageId)
  const [one = '', other = ''] = ids
  await until(async () => {
    await service.settle()
    return (await submissionOf(one))?.outcome === 'unknown' && (await submissionOf(other))?.outcome === 'unknown'
  })
  const callback = provider.got[0]?.json.callback
  const report = async (ref: string, state: string) => {
    const response = await fetch(callback, { method: 'POST', body: JSON.stringify({ ref, state }) })
    assert.equal(response.status, 200)
  }
  await report(other.replaceAll('-', ''), 'delivered')
  await report('01930000000070008000000000000001', 'delivered')
  await service.advance(5)
  await until(async () => (await statusOf(other)) === 'delivered')
  // Only acceptance is known: our reference is not a message id of the carrier.
  assert.deepEqual(await submissionOf(other), { outcome: 'accepted', carrierMessageId: null })
  assert.equal((await submissionOf(one))?.outcome, 'unknown')
  // A receipt that is not final shows that the carrier has the message, too.
  await report(one, 'buffered')
  await service.advance(5)
  await until(async () => (await statusOf(one)) === 'sent')
  await report(one, 'undelivered')
  assert.equal(await statusOf(one), 'undelivered')
  assert.equal(provider.got.length, 2)
})
