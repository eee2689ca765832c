// Carrier metrics for Prometheus and the figures of the last hour, over real SMPP.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,upkeep' } })
const smsc = await startSmsc({
  plan: ({ to }) => {
    if (to.endsWith('7')) return { status: 0x0b }
    if (to.endsWith('8')) return { status: 0x455 }
    return { report: to.endsWith('9') ? 'UNDELIV' : 'DELIVRD' }
  },
})
const carrierId = await addCarrier(service, smsc.port, { name: 'Everest' })
await addRoute(service, carrierId, { prefixes: ['+977981'] })
await addRoute(service, carrierId)
await until(() => smsc.sessions.size === 1)
const sender = await makeSender(service)

const metrics = service.readMetrics
const figures = async () => (await service.manage('GET', `/carriers/${carrierId}/figures`)).body

test('counts responses, statuses, receipts and deliveries by carrier and prefix', async () => {
  for (const to of ['9811000001', '9811000002', '9811000009', '9841000001', '9841000007', '9841000008']) {
    assert.equal((await sender.send({ to })).status, 200)
  }
  await until(async () => {
    await service.advance(1)
    const { total } = await figures()
    return total.accepted === 4 && total.rejected === 2 && total.delivered + total.undelivered === 4
  })
  const { since, health, total, prefixes } = await figures()
  assert.equal(since, '2026-11-16T03:00:00.000Z')
  assert.equal(health.state, 'working')
  assert.deepEqual([total.accepted, total.rejected, total.unanswered, total.deliveryRatio], [4, 2, 0, 0.75])
  assert.ok(total.answerSeconds >= 0, JSON.stringify(total))
  const by = prefixes.map((it: Record<string, unknown>) => [it.prefix, it.accepted, it.rejected, it.deliveryRatio])
  assert.deepEqual(by.sort(), [
    ['+977', 1, 2, 1],
    ['+977981', 3, 0, 2 / 3],
  ])

  const text = await metrics()
  const has = (line: string) => assert.ok(text.split('\n').includes(line), `${line} is not in\n${text}`)
  has('hulaki_delivery_carrier_submissions_total{carrier="Everest",outcome="accepted"} 4')
  has('hulaki_delivery_carrier_submissions_total{carrier="Everest",outcome="rejected"} 2')
  has('hulaki_delivery_carrier_statuses_total{carrier="Everest",status="ESME_ROK"} 4')
  has('hulaki_delivery_carrier_statuses_total{carrier="Everest",status="ESME_RINVDSTADR"} 1')
  has('hulaki_delivery_carrier_statuses_total{carrier="Everest",status="other"} 1')
  has('hulaki_delivery_carrier_answer_seconds_count{carrier="Everest"} 6')
  has('hulaki_delivery_carrier_circuit_broken{carrier="Everest"} 0')
  has('hulaki_delivery_carrier_delivery_ratio{carrier="Everest",prefix="+977"} 1')
  assert.match(text, /^hulaki_delivery_carrier_delivery_ratio\{carrier="Everest",prefix="\+977981"\} 0\.66/m)
})

test('a receipt is timed once from its submission, and figures older than an hour are dropped', async () => {
  smsc.plan = () => ({})
  await sender.send({ to: '9811000011' })
  await until(async () => {
    await service.settle()
    return smsc.taken.at(-1)?.to === '+9779811000011' && (await figures()).total.accepted >= 5
  })
  await service.advance(40)
  const taken = smsc.taken.at(-1)
  assert.ok(taken)
  const before = /receipt_seconds_sum\{carrier="Everest",type="transactional"\} (\S+)/.exec(await metrics())?.[1] ?? '0'
  for (const _ of [1, 2]) assert.equal(await smsc.reportOn(taken, 'DELIVRD'), 0)
  await until(
    async () =>
      Number(/receipt_seconds_sum\{carrier="Everest",type="transactional"\} (\S+)/.exec(await metrics())?.[1]) >
      Number(before),
  )
  const after = Number(/receipt_seconds_sum\{carrier="Everest",type="transactional"\} (\S+)/.exec(await metrics())?.[1])
  assert.ok(after - Number(before) >= 40 && after - Number(before) < 80, `${before} and ${after}`)
  await service.settle()
  const { total } = await figures()
  assert.deepEqual([total.delivered, total.undelivered], [4, 1], 'duplicates count once')
  assert.match(await metrics(), /^hulaki_delivery_reports_total\{status="delivered"\} 5$/m)

  // An unexpected response is not a figure, but doctor reports it.
  const strays = async () =>
    (await service.manage('GET', '/doctor')).body.findings.filter(
      (it: { code: string }) => it.code === 'answers_unexpected',
    )
  assert.deepEqual(await strays(), [])
  smsc.answerUnasked(4711)
  smsc.answerUnasked(4712)
  await until(async () => {
    await service.settle()
    const [finding] = await strays()
    return (
      finding?.about.id === carrierId && /Unexpected responses of carrier .*: 2 in the last hour/.test(finding.what)
    )
  })

  await service.advance(3900)
  await until(async () => {
    await service.settle()
    return (await figures()).total.accepted === 0
  })
  assert.deepEqual((await figures()).prefixes, [])
  assert.deepEqual(await strays(), [])
  const kept = () => service.db.query({ text: 'select from carrier_stats', values: [], name: undefined })
  assert.ok((await kept()).length > 0, 'figures are kept for a while')
  await service.advance(7200)
  await until(async () => {
    await service.advance(60)
    return (await kept()).length === 0
  })
})
