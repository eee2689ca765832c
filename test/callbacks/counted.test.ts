// Receipts by callback are counted like SMPP receipts, also in a process without the delivery role.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePort } from '../harness/free-port.ts'
import { ALLOWED, addHttpCarrier, answer, describe, startProvider } from '../harness/http-carrier.ts'
import { addRoute, makeSender } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const port = await freePort()
const env = { ...ALLOWED, PORT: String(port), HULAKI_PUBLIC_URL: `http://127.0.0.1:${port}` }
const service = await ownService({ env: { ...env, HULAKI_ROLES: 'api' } })
const { address, keyringText, clock } = service
const other = await ownService({
  env: { ...env, PORT: '0', HULAKI_ROLES: 'api,delivery' },
  beside: { address, keyringText, clock },
})
const sender = await makeSender(service)
const statusOf = async (id: string) => (await sender.get(id)).status

const provider = await startProvider()
const carrierId = await addHttpCarrier(service, provider.url, {
  name: 'Machhapuchchhre',
  http: {
    ...describe(provider.url),
    body: { kind: 'json', value: { to: '{to}', text: '{text}', callback: '{callbackUrl}' } },
    receipts: { kind: 'callback', reading: { id: '/id', state: '/state' } },
  },
})
await addRoute(service, carrierId, { prefixes: ['+977981'] })
await addRoute(service, carrierId)
await other.settle()
await until(async () => (await service.manage('GET', `/carriers/${carrierId}`)).body.health.state === 'working')

const metrics = service.readMetrics
const figures = async () => (await service.manage('GET', `/carriers/${carrierId}/figures`)).body
const report = async (id: string, state: string) => {
  const response = await fetch(provider.got.at(-1)?.json.callback, {
    method: 'POST',
    body: JSON.stringify({ id, state }),
  })
  assert.equal(response.status, 200)
}

test('counts each segment once in reports, in the last minute and in the figures of the carrier', async (t) => {
  t.after(() => provider.close())
  provider.does(({ json }, response) => answer(response, 200, { id: json.to }))
  const numbers = ['9811000001', '9811000002', '9841000003']
  const ids: string[] = []
  for (const to of numbers) ids.push((await sender.send({ to })).body.messageId)
  await until(async () => {
    await other.settle()
    return (await Promise.all(ids.map(statusOf))).every((it) => it === 'sent')
  })
  await service.settle()
  for (const state of ['ENROUTE', 'DELIVRD', 'DELIVRD']) await report('+9779811000001', state)
  await report('+9779811000002', 'UNDELIV')
  await report('+9779841000003', 'DELIVRD')
  assert.deepEqual(await Promise.all(ids.map(statusOf)), ['delivered', 'undelivered', 'delivered'])
  await service.settle()
  const text = await metrics()
  for (const line of [
    'hulaki_delivery_reports_total{status="delivered"} 3',
    'hulaki_delivery_reports_total{status="undelivered"} 1',
    'hulaki_delivery_reports_total{status="pending"} 1',
    'hulaki_delivery_carrier_receipt_seconds_count{carrier="Machhapuchchhre",type="transactional"} 3',
  ])
    assert(text.split('\n').includes(line), `${line} is not in\n${text}`)
  const { total, prefixes } = await figures()
  assert.deepEqual([total.delivered, total.undelivered], [2, 1])
  assert.deepEqual(
    prefixes.map((it: Record<string, unknown>) => [it.prefix, it.accepted, it.delivered, it.undelivered]).sort(),
    [
      ['+977', 1, 1, 0],
      ['+977981', 2, 1, 1],
    ],
  )
  const { rates, processes } = (await service.manage('GET', '/now')).body
  assert.deepEqual([rates.delivered > rates.undelivered, rates.undelivered > 0, processes], [true, true, 1])
  await service.advance(61)
  await other.settle()
  const later = (await service.manage('GET', '/now')).body.rates
  assert.deepEqual([later.delivered, later.undelivered], [0, 0])
})

test('an unknown state is logged once and counted every time', async () => {
  for (let times = 0; times < 3; times++) await report('+9779811000001', 'HANDED OVER')
  const lines = service.logged.filter((line) => line.includes('unknown receipt state'))
  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? '', /HANDED OVER/)
  assert.match(await metrics(), /^hulaki_delivery_unknown_states_total\{carrier="Machhapuchchhre"\} 3$/m)
})
