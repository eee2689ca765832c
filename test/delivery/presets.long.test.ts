// D63: a message goes its whole way through each preset, to a provider that answers as its documentation says.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/store/sql.ts'
import { ALLOWED } from '../harness/http-carrier.ts'
import { addRoute, makeSender } from '../harness/sending.ts'
import { startTestService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { aakash } from './providers/aakash.ts'
import { startFake } from './providers/fake.ts'
import { infobip } from './providers/infobip.ts'
import { sparrow } from './providers/sparrow.ts'
import { twilio } from './providers/twilio.ts'
import { vonage } from './providers/vonage.ts'

const service = await startTestService({ env: ALLOWED })
const sender = await makeSender(service)
let numbers = 0
function nextNumber(): string {
  numbers += 1
  return `98${41_000_000 + numbers}`
}
const statusOf = async (id: string) => (await sender.get(id)).status
async function outcomeOf(id: string): Promise<string | undefined> {
  const [row] = await service.db.query<{ outcome: string }>(
    sql`select outcome::text from submission where message_id = ${id}`,
  )
  return row?.outcome
}
/** Goes on in time until it is so. */
const later = (isSo: () => Promise<boolean>) =>
  until(async () => {
    await service.advance(20)
    return isSo()
  })

const FAKES = [sparrow, aakash, twilio, vonage, infobip]

for (const fake of FAKES) {
  test(`${fake.preset}: taken, refused, not now, throttled, and never sent twice`, async (t) => {
    const provider = await startFake(fake)
    t.after(() => provider.close())
    const made = await service.manage('POST', '/carriers', {
      kind: 'http',
      name: fake.preset,
      preset: fake.preset,
      presetValues: { ...fake.values, baseUrl: provider.url, receipts: 'none' },
      secrets: fake.secrets,
      answerSeconds: 60,
      breakAfterUnanswered: null,
      breakAfterRefused: null,
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    assert.deepEqual(made.body.http.preset, { name: fake.preset, version: 1 })
    const carrier = made.body.id
    const route = await addRoute(service, carrier)
    await until(async () => (await service.manage('GET', `/carriers/${carrier}`)).body.health.state === 'working')
    const send = async (text = 'Hello') => {
      const to = nextNumber()
      const { body } = await sender.send({ to, text })
      await service.settle()
      return { id: body.messageId as string, to }
    }
    const calls = () => provider.got.length

    const text = 'नमस्ते & "1+1={2}" '.repeat(10).trim()
    const whole = await send(text)
    await until(async () => (await statusOf(whole.id)) === 'sent')
    const [got] = provider.got
    assert(got)
    const from = fake.values.identity ?? 'Brand'
    assert.deepEqual(fake.read(got), { to: `+977${whole.to}`, from, text })

    for (const { says, error } of fake.refusals) {
      const before = calls()
      provider.plan(says)
      const { id } = await send()
      await until(async () => (await statusOf(id)) === 'failed')
      const { status, error: told } = await sender.get(id)
      assert.deepEqual({ status, error: told, calls: calls() - before }, { status: 'failed', error, calls: 1 })
    }

    for (const says of [fake.notNow, fake.throttled]) {
      const before = calls()
      provider.plan(says)
      const { id } = await send()
      await later(async () => (await statusOf(id)) === 'sent')
      assert.equal(calls() - before, 2, JSON.stringify(says))
    }

    for (const says of [...fake.open, 'cut off' as const]) {
      const before = calls()
      provider.plan(says)
      const { id } = await send()
      await until(() => calls() > before)
      await until(async () => (await outcomeOf(id)) === 'unknown')
      await service.advance(120)
      assert.equal(calls() - before, 1, `sent twice after ${JSON.stringify(says)}: ${await statusOf(id)}`)
    }

    await service.manage('DELETE', `/routes/${route}`)
    await service.manage('DELETE', `/carriers/${carrier}`)
  })
}
