// A delivery process is killed during receipt polls (D54), also before its commit: unstored receipts are polled again, and duplicates count
// once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { deliveryProcesses } from '../harness/delivery-processes.ts'
import { ALLOWED, addHttpCarrier, answer, describe, startProvider } from '../harness/http-carrier.ts'
import { addRoute, makeSender } from '../harness/sending.ts'
import { ownService, systemClock } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 3)
/** Enough polls for all rounds: each round ends with the polls of a few messages. */
const MESSAGES = Math.max(40, 8 * ROUNDS)

const service = await ownService({ env: { HULAKI_ROLES: 'api', ...ALLOWED }, clock: systemClock() })
const provider = await startProvider()
const asked: string[] = []
/** While set, a poll response kills its process. */
let onAnswer: (() => void) | null = null
provider.does(async ({ method, url, json }, response) => {
  if (method === 'POST') return answer(response, 200, { id: json.ref })
  asked.push(url)
  await sleep(Math.random() * 40)
  answer(response, 200, { status: 'DELIVRD' })
  onAnswer?.()
})
const sender = await makeSender(service, { monthlyCredit: 1_000_000 })
const receipts = {
  ...{ kind: 'poll', url: `${provider.url}/messages/{id}`, reading: { state: '/status' } },
  ...{ firstAfterSeconds: 1, atOnce: 4, perSecond: 5 },
}
const http = { ...describe(provider.url), receipts }
await addRoute(service, await addHttpCarrier(service, provider.url, { answerSeconds: 1, http }))
const processes = deliveryProcesses(service, ALLOWED)

const count = async (text: string) =>
  (await service.db.query<{ n: number }>({ text, values: [], name: undefined }))[0]?.n ?? 0

test('kill -9 during polls: every message is delivered and counts once', {
  timeout: 360_000 + ROUNDS * 60_000,
}, async (t) => {
  t.after(() => provider.close())
  const sent = await Promise.all(
    Array.from({ length: MESSAGES }, (_, index) => sender.send({ to: `9846${String(100_000 + index)}` })),
  )
  assert(sent.every(({ status }) => status === 200))
  let child = await processes.start()
  for (let round = 0; round < ROUNDS; round++) {
    const before = asked.length
    await until(() => asked.length > before + 2, { ms: 120_000 })
    const answered = Promise.withResolvers<void>()
    onAnswer = answered.resolve
    await answered.promise
    onAnswer = null
    await processes.end(child, 'SIGKILL')
    child = await processes.start()
  }
  const unfinished = `select count(*)::int as n from message where status <> 'delivered'`
  await until(async () => (await count(unfinished)) === 0, { ms: 240_000 })
  await until(async () => (await count('select count(*)::int as n from receipt_poll')) === 0, { ms: 240_000 })
  assert.equal(await processes.end(child, 'SIGTERM'), 0)
  assert.equal(await count('select sum(delivered)::int as n from client_counter'), MESSAGES)
  assert.equal(new Set(asked).size, MESSAGES)
  assert(asked.length > MESSAGES, 'some polls were lost and repeated')
})
