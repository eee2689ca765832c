// D63: every outcome of a message with each preset, through the whole service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../harness/until.ts'
import { make, type Plan, type ReportedState } from './providers/fake.ts'
import { type Connected, FAKES, startPresetService } from './providers/preset-service.ts'

const { service, connect, areWorking, stateOf, outcomeOf } = await startPresetService()

/** Whether all messages have the expected status. */
const areAll = async <Thing>(things: readonly Thing[], isSo: (thing: Thing) => Promise<boolean>) =>
  (await Promise.all(things.map(isSo))).every((it) => it)
/** A disconnected carrier gets messages again after a moment. */
const soon = (isSo: () => Promise<boolean>) =>
  until(async () => {
    await service.settle()
    return isSo()
  })
/** Advances the clock until the condition holds. */
const later = (isSo: () => Promise<boolean>) =>
  until(async () => {
    if (await isSo()) return true
    await service.advance(20)
    return false
  })

interface Sent {
  carrier: Connected
  plan: string
  id: string
  to: string
}

/** One message per plan and carrier. */
async function sendEach(carriers: Connected[], plansOf: (carrier: Connected) => [string, Plan[]][]): Promise<Sent[]> {
  const sent = await Promise.all(
    carriers.map((carrier) =>
      Promise.all(plansOf(carrier).map(async ([plan, next]) => ({ carrier, plan, ...(await carrier.send(next)) }))),
    ),
  )
  await service.settle()
  return sent.flat()
}

const named = ({ carrier, plan }: Sent) => `${carrier.fake.preset}: ${plan}`

test('a permanent rejection fails with its reason and is not retried', async (t) => {
  const carriers = await Promise.all(FAKES.map((fake) => connect(t, fake)))
  await areWorking()
  const sent = await sendEach(carriers, ({ fake }) =>
    fake.refusals.map(({ says, error }) => [`${error} ${JSON.stringify(says.body)}`, [says]]),
  )
  await soon(() => areAll(sent, async ({ id }) => (await stateOf(id)).startsWith('failed')))
  for (const it of sent) {
    assert.equal(await stateOf(it.id), `failed: ${it.plan.split(' ')[0]}`, named(it))
    assert.equal(it.carrier.callsTo(it.to), 1, named(it))
  }
})

test('temporary rejections and throttling are retried and accepted once', async (t) => {
  const carriers = await Promise.all(FAKES.map((fake) => connect(t, fake)))
  await areWorking()
  const sent = await sendEach(carriers, ({ fake }) => [
    ['not now', [fake.notNow]],
    ['throttled', [fake.throttled]],
  ])
  await later(() => areAll(sent, async ({ id }) => (await stateOf(id)) === 'sent'))
  for (const it of sent) assert.equal(it.carrier.callsTo(it.to), 2, named(it))
})

test('D15: an unknown outcome is not resent, and a receipt settles it', async (t) => {
  const carriers = await Promise.all(FAKES.map((fake) => connect(t, fake)))
  // Short response timeout for this test only.
  const patient = await Promise.all(FAKES.map((fake) => connect(t, fake, { answerSeconds: 2 })))
  await areWorking()
  const left = await sendEach(carriers, ({ fake }) => [
    ...fake.open.map((says): [string, Plan[]] => [JSON.stringify(says), [says]]),
    ['cut off', ['cut off']],
    ['cut off, without a receipt', ['cut off']],
  ])
  const silent = await sendEach(patient, () => [['silent', ['silent']]])
  const all = [...left, ...silent]
  await soon(() => areAll(all, async ({ id }) => (await outcomeOf(id)) === 'unknown'))
  await service.advance(120)
  for (const it of all) assert.equal(it.carrier.callsTo(it.to), 1, `sent twice: ${named(it)}`)

  const heard = all.filter(({ carrier, plan }) => carrier.fake.report && ['cut off', 'silent'].includes(plan))
  for (const { carrier, to } of heard) assert.deepEqual(await make(carrier.callsFor({ [to]: 'delivered' })), [200])
  await later(() => areAll(heard, async ({ id }) => (await stateOf(id)) === 'delivered'))
  for (const it of all.filter((it) => !heard.includes(it))) assert.equal(await outcomeOf(it.id), 'unknown', named(it))
  for (const it of all) assert.equal(it.carrier.callsTo(it.to), 1, `sent twice: ${named(it)}`)
})

test('receipts count before the response, in any order, twice and late', async (t) => {
  const reporting = FAKES.filter(({ report }) => report)
  const carriers = await Promise.all(reporting.map((fake) => connect(t, fake)))
  await areWorking()
  const early: Promise<number[]>[] = []
  const sent = await sendEach(carriers, ({ fake }) => {
    const first = (pendingReport: { got: Parameters<typeof fake.read>[0]; id: string }) => {
      const made = make(fake.report?.([{ ...pendingReport, state: 'delivered' }]) ?? [])
      early.push(made)
      return made
    }
    return [
      ['early', [{ first }]],
      ['twice', []],
      ['late', []],
    ]
  })
  assert.deepEqual((await Promise.all(early)).flat(), [200, 200, 200])
  const tell = (plan: string, state: ReportedState) =>
    Promise.all(sent.filter((it) => it.plan === plan).map(({ carrier, to }) => make(carrier.callsFor({ [to]: state }))))
  await tell('twice', 'delivered')
  await tell('twice', 'delivered')
  await tell('late', 'undelivered')
  await tell('late', 'delivered')
  await tell('late', 'pending')
  await later(() => areAll(sent, async ({ id }) => (await stateOf(id)) !== 'sent'))
  for (const it of sent) {
    const becomes = it.plan === 'late' ? 'undelivered: delivery_failed' : 'delivered'
    assert.equal(await stateOf(it.id), becomes, named(it))
  }
  await service.advance(120)
  for (const { carrierId, fake } of carriers) {
    const { body } = await service.manage('GET', `/carriers/${carrierId}/receipts`)
    assert.deepEqual(body.items, [], fake.preset)
  }
})
