// D15: a message that a carrier took without an answer is settled by the receipt that names it by our own reference.
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

test('of two in doubt to one number the receipt settles the one that it names, and says no number', async () => {
  // Both are on the wire before either is lost: one that finds the link lost is not in doubt, but waits to be submitted again.
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
  const tell = async (ref: string, state: string) => {
    const said = await fetch(callback, { method: 'POST', body: JSON.stringify({ ref, state }) })
    assert.equal(said.status, 200)
  }
  await tell(other.replaceAll('-', ''), 'delivered')
  await tell('01930000000070008000000000000001', 'delivered')
  await service.advance(5)
  await until(async () => (await statusOf(other)) === 'delivered')
  // That the carrier has it is all that is known: our own word is no id of the carrier's.
  assert.deepEqual(await submissionOf(other), { outcome: 'accepted', carrierMessageId: null })
  assert.equal((await submissionOf(one))?.outcome, 'unknown')
  // Even one that ends nothing says that the carrier has it.
  await tell(one, 'buffered')
  await service.advance(5)
  await until(async () => (await statusOf(one)) === 'sent')
  await tell(one, 'undelivered')
  assert.equal(await statusOf(one), 'undelivered')
  assert.equal(provider.got.length, 2)
})
