// A delivery process is killed during calls to an HTTP provider. By the provider's log nothing is lost, and only OTPs arrive twice (D15).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { deliveryProcesses } from '../harness/delivery-processes.ts'
import { ALLOWED, addHttpCarrier, answer, startProvider } from '../harness/http-carrier.ts'
import { sendDuring } from '../harness/kills.ts'
import { addRoute, makeSender } from '../harness/sending.ts'
import { ownService, systemClock } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 3)

const service = await ownService({ env: { HULAKI_ROLES: 'api', ...ALLOWED }, clock: systemClock() })
const provider = await startProvider()
// Slow, so that a call is always in flight.
provider.does(async ({ json }, response) => {
  await sleep(Math.random() * 40)
  answer(response, 200, { id: `id-${json.ref}` })
})
const sender = await makeSender(service, { monthlyCredit: 1_000_000 })
await addRoute(service, await addHttpCarrier(service, provider.url, { window: 20, answerSeconds: 2 }))
const processes = deliveryProcesses(service, ALLOWED)

const rows = <Row>(text: string) => service.db.query<Row>({ text, values: [], name: undefined })

test('kill -9 during calls: every message is sent or unknown, and none arrives twice', {
  timeout: 360_000 + ROUNDS * 60_000,
}, async (t) => {
  t.after(() => provider.close())
  let child = await processes.start()
  const ids = await sendDuring(service, sender, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const before = provider.got.length
      await until(() => provider.got.length > before + 20, { ms: 60_000 })
      await processes.end(child, 'SIGKILL')
      child = await processes.start()
    }
  })
  // Calls in flight at the kill are unknown after their claim expires; all others are accepted.
  const without = (outcomes: string) => `
    select count(*) as n from message where not exists (
      select from submission where message_id = message.id and outcome in (${outcomes}))`
  const count = async (text: string) => (await rows<{ n: number }>(text))[0]?.n ?? 0
  await until(async () => (await count(without(`'accepted', 'unknown'`))) === 0, { ms: 150_000 })
  await until(async () => (await count(`select count(*) as n from claim`)) === 0, {
    ms: 150_000,
  })
  assert.equal(await processes.end(child, 'SIGTERM'), 0)
  assert.equal(await count('select count(*) as n from message'), ids.length)
  const codes = await rows<{ to: string }>(`select to_number as to from message where type = 'otp'`)
  const mayComeTwice = new Set(codes.map((it) => it.to))
  const times = Map.groupBy(provider.got, ({ json }) => json.to as string)
  const doubled = [...times].filter(([to, all]) => all.length > 1 && !mayComeTwice.has(to))
  assert.deepEqual(
    doubled.map(([to]) => to),
    [],
  )
  const taken = ids.length - (await count(without(`'accepted'`)))
  assert(times.size >= taken, 'the provider has every accepted message')
})
