// Messages filtered by country and by carrier: an incident links to the messages that it counts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRefused } from '../../harness/refused.ts'
import { addCarrier, addRoute, makeSender } from '../../harness/sending.ts'
import { ownService } from '../../harness/service.ts'
import { startSmsc } from '../../harness/smsc.ts'
import { until } from '../../harness/until.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
const [main, other] = [await startSmsc(), await startSmsc()]
const sender = await makeSender(service)
const ntc = await addCarrier(service, main.port, { name: 'NTC' })
const ncell = await addCarrier(service, other.port, { name: 'Ncell' })
await addRoute(service, ntc)
await addRoute(service, ncell, { prefixes: ['+977980'] })
await service.settle()

const list = async (query: string) =>
  (await service.manage('GET', `/messages?${query}`)).body.items.map(({ to }: { to: string }) => to).sort()

test('lists the messages of a carrier, sent and waiting, as the incident counts them', async () => {
  assert.equal((await sender.send({ to: '9801000001' })).status, 200)
  assert.equal((await sender.send({ to: '9841000001' })).status, 200)
  await service.settle()
  await main.close()
  await until(async () => (await service.manage('GET', '/now')).body.verdict === 'outage')
  // At once, so that they share rows of the queue.
  const waiting = ['9841000011', '9841000012', '9841000013', '9841000014', '9841000015']
  const answers = await Promise.all(waiting.map((to) => sender.send({ to })))
  assert.deepEqual(
    answers.map(({ status }) => status),
    waiting.map(() => 200),
  )
  await sender.send({ to: '9801000002' })
  await service.advance(60)
  // A claim of the lost connection may have to return first.
  const incident = await until(async () => {
    const [worst] = (await service.manage('GET', '/now')).body.incidents
    return worst?.impact.waiting?.messages === waiting.length && worst
  })
  assert.equal(incident.about.id, ntc)
  const expected = waiting.map((to) => `+977${to}`)
  assert.deepEqual(await list(`status=queued&carrier=${ntc}`), expected)
  assert.deepEqual(await list(`status=queued&carrier=${ncell}`), [])
  assert.deepEqual(await list(`carrier=${ntc}`), ['+9779841000001', ...expected])
  assert.deepEqual(await list(`carrier=${ncell}`), ['+9779801000001', '+9779801000002'])
  assert.deepEqual(await list(`carrier=${ncell}&workspace=${sender.workspaceId}&status=queued`), [])
})

test('a retry waits for the carriers of its route, not for the carrier that rejected it', async () => {
  other.plan = () => ({ status: 0x08 })
  const { body } = await sender.send({ to: '9801000003' })
  await service.settle()
  const { message, timeline } = (await service.manage('GET', `/messages/${body.messageId}/timeline`)).body
  assert.equal(message.status, 'queued')
  const { commandStatus, carrierKind } = timeline.find(({ what }: { what: string }) => what === 'answer')
  assert.deepEqual([commandStatus, carrierKind], [0x08, 'smpp'])
  assert.deepEqual(await list(`status=queued&carrier=${ncell}`), ['+9779801000003'])
  await service.manage('PATCH', `/carriers/${ncell}`, { enabled: false })
  assert.deepEqual(await list(`status=queued&carrier=${ncell}`), [])
})

test('lists the messages of a country, in a workspace too, and hides carriers from owners', async () => {
  const { body } = await service.manage('POST', `/workspaces/${sender.workspaceId}/owner-tokens`, { name: 'Owner' })
  const path = `/workspaces/${sender.workspaceId}/messages`
  const asOwner = (query: string) => service.manage('GET', `${path}${query}`, undefined, body.token)
  const all = (await asOwner('')).body.items
  assert.equal(all.length, 9)
  assert.deepEqual((await asOwner('?country=NP')).body.items, all)
  assert.deepEqual((await asOwner('?country=IN')).body.items, [])
  assert.equal((await list('country=NP')).length, all.length)
  assert.deepEqual(await list('country=IN'), [])
  for (const query of [`?carrier=${ntc}`, `.csv?carrier=${ntc}`])
    assertRefused(await asOwner(query), 400, 'invalid_request', ['carrier'])
  assertRefused(await asOwner('?country=XX'), 400, 'invalid_request', ['country'])
})
