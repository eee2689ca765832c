// Unmatched receipts, with the likely cause.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchPendingReports, recordReports } from '../../../src/actions/messages/record-reports.ts'
import { addCarrier, addRoute, makeSender } from '../../harness/sending.ts'
import { ownService } from '../../harness/service.ts'
import { startSmsc } from '../../harness/smsc.ts'
import { until } from '../../harness/until.ts'
import { ABSENT } from '../fixtures.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
const { manage, ports } = service
const smsc = await startSmsc({
  plan: ({ to }) => ({ id: (0xa1b200 + Number(to.slice(-2))).toString(16), report: null }),
})
const carrierId = await addCarrier(service, smsc.port)
await addRoute(service, carrierId)
const sender = await makeSender(service)
await service.settle()

const receipts = async (query = '') => (await manage('GET', `/carriers/${carrierId}/receipts${query}`)).body

/** The retries of the first minute. */
async function lookAgain(): Promise<void> {
  for (const seconds of [2, 10, 60]) await service.advance(seconds)
}

function stray(reference: string, to = '+9779841999999') {
  const about = { id: ports.ids.next(), carrierId, reference, to, byText: false, receivedAt: service.clock.now() }
  const expected = {
    status: 'delivered' as const,
    error: '' as const,
    state: 'DELIVRD',
    code: '000',
    raw: `id:${reference}`,
  }
  return { ...about, ...expected }
}

test('detects a carrier that answers in hex and reports in decimal, and suggests an idFormat that works (D13)', async () => {
  const to = '+9779841000001'
  await sender.send({ to })
  await service.settle()
  const taken = await until(() => smsc.taken.find((it) => it.to === to))
  const decimal = String(0xa1b201)
  assert.equal(await smsc.reportOn(taken, 'DELIVRD', { id: decimal }), 0)
  assert.deepEqual((await receipts()).items, [], 'it may still be on its way')
  await lookAgain()
  const [receipt] = (await receipts()).items
  assert.deepEqual([receipt.reference, receipt.to, receipt.state], [decimal, to, 'DELIVRD'])
  assert.deepEqual(receipt.cause, { kind: 'id_format', idFormat: { answers: 'hex', reports: 'decimal' } })
  assert.doesNotMatch(receipt.raw, /text:./)

  await manage('PATCH', `/carriers/${carrierId}`, { idFormat: receipt.cause.idFormat })
  await service.settle()
  const next = '+9779841000002'
  const { messageId } = (await sender.send({ to: next })).body
  await service.settle()
  const second = await until(() => smsc.taken.find((it) => it.to === next))
  await smsc.reportOn(second, 'DELIVRD', { id: String(0xa1b202) })
  await service.settle()
  assert.equal((await sender.get(messageId)).status, 'delivered')
})

test('reports a number without messages as nothing_sent, and another id as other_id with the expected id', async () => {
  await recordReports(ports, [stray('nobody'), stray('other', '+9779841000002')])
  await lookAgain()
  const { items } = await receipts()
  const causeOf = (reference: string) => items.find((it: { reference: string }) => it.reference === reference).cause
  assert.deepEqual(causeOf('nobody'), { kind: 'nothing_sent' })
  assert.deepEqual(causeOf('other'), { kind: 'other_id', carrierMessageId: (0xa1b202).toString(16) })
})

test('keeps the latest 100, newest first and in pages, and counts all of them for a day', async () => {
  const before = (await manage('GET', '/now')).body.unmatchedReceipts.count
  for (let batch = 0; batch < 3; batch++)
    await recordReports(
      ports,
      Array.from({ length: 50 }, (_, index) => stray(`many-${batch}-${index}`)),
    )
  await lookAgain()
  await matchPendingReports(ports)
  const first = await receipts('?limit=60')
  assert.equal(first.items[0].reference, 'many-2-49')
  const rest = await receipts(`?limit=60&cursor=${first.next}`)
  assert.deepEqual([first.items.length + rest.items.length, rest.next], [100, null])
  const { unmatchedReceipts, carriers, findings } = (await manage('GET', '/now')).body
  assert.equal(unmatchedReceipts.count, before + 150)
  assert.equal(carriers[0].unmatched, before + 150)
  assert.equal(unmatchedReceipts.latest[0].reference, 'many-2-49')
  assert.ok(findings.some((it: { code: string }) => it.code === 'receipts_unmatched'))
  await service.advance(25 * 3600)
  assert.equal((await manage('GET', '/now')).body.unmatchedReceipts.count, 0)
})

test('answers 404 for a missing carrier', async () => {
  assert.equal((await manage('GET', `/carriers/${ABSENT}/receipts`)).status, 404)
})
