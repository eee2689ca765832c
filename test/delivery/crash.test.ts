// Delivery processes are killed under load. The judges stand outside: the SMSC's own log, and the ledger.
// `npm run test:crash` runs the long form.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ManualClock } from '../../src/runtime/clock.ts'
import { deliveryProcesses } from '../harness/delivery-processes.ts'
import { addCarrier, addRoute, makeSender, until } from '../harness/sending.ts'
import { startTestService, systemClock } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'

const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 4)
const limit = { timeout: 120_000 + ROUNDS * 10_000 }
const GAP_MS = 40
const HOUR_MS = 3_600_000

const service = await startTestService({ env: { HULAKI_ROLES: 'api' }, clock: systemClock() })
// An SMSC takes its time, so that there is always something between the wire and the answer.
const smsc = await startSmsc({
  plan: async () => {
    await sleep(Math.random() * 40)
    return { report: 'DELIVRD' }
  },
})
const sender = await makeSender(service, { monthlyCredit: 1_000_000 })
await addRoute(service, await addCarrier(service, smsc.port, { binds: 4, window: 20, answerSeconds: 2 }))

const processes = deliveryProcesses(service)

let last = 0
/** Sends as long as the work goes on, so that there is load until its end. */
async function sendDuring(work: () => Promise<void>): Promise<string[]> {
  let isOver = false
  const working = work().finally(() => {
    isOver = true
  })
  const ids: string[] = []
  while (!isOver) {
    const batch = Array.from({ length: 10 }, () => {
      last += 1
      return sender.send({ to: `98${String(last).padStart(8, '0')}`, type: last % 10 === 0 ? 'otp' : 'transactional' })
    })
    for (const { status, body } of await Promise.all(batch)) {
      assert.equal(status, 200, JSON.stringify(body))
      ids.push(body.messageId)
    }
    await sleep(GAP_MS)
  }
  await working
  return ids
}

const rows = <Row>(text: string) => service.db.query<Row>({ text, values: [], name: undefined })
const timesSubmitted = () => {
  const times = new Map<string, number>()
  for (const { to } of smsc.taken) times.set(to, (times.get(to) ?? 0) + 1)
  return times
}

test(
  'SIGTERM under load loses and doubles nothing: every message is delivered, each number got one',
  limit,
  async () => {
    const ids = await sendDuring(async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const child = await processes.start()
        await sleep(700)
        assert.equal(await processes.end(child, 'SIGTERM'), 0)
      }
    })
    const child = await processes.start()
    await until(
      async () => {
        const [row] = await rows<{ n: number }>(`select count(*) as n from message where status = 'delivered'`)
        return row?.n === ids.length
      },
      { ms: 30_000 },
    )
    assert.equal(await processes.end(child, 'SIGTERM'), 0)
    assert.deepEqual(
      [...timesSubmitted()].filter(([, times]) => times > 1),
      [],
    )
  },
)

test(
  'kill -9 in a loop: no message that is not a code reaches the SMSC twice, all end once, none is refunded twice',
  limit,
  async (t) => {
    const beside = [await processes.start(), await processes.start()]
    await sendDuring(async () => {
      for (let kill = 0; kill < ROUNDS; kill++) {
        await sleep(200 + Math.random() * 1_000)
        const victim = beside.shift()
        if (victim) await processes.end(victim, 'SIGKILL')
        beside.push(await processes.start())
      }
    })
    await until(async () => (await rows(`select from delivery_queue where claim_id is null limit 1`)).length === 0, {
      ms: 60_000,
    })
    for (const child of beside) assert.equal(await processes.end(child, 'SIGTERM'), 0)
    await service.stop()

    // Days later, on a clock of its own: what nobody knows the outcome of has come to its end as well.
    const later = new ManualClock(new Date(Date.now() + 80 * HOUR_MS))
    const { address, keyringText } = service
    const judge = await startTestService({
      env: { HULAKI_ROLES: 'api,delivery' },
      beside: { address, keyringText, clock: later },
    })
    await judge.advance(60)
    await judge.advance(60)
    const ask = <Row>(text: string) => judge.db.query<Row>({ text, values: [], name: undefined })
    const statuses = await ask<{ status: string; n: number }>('select status, count(*) as n from message group by 1')
    t.diagnostic(JSON.stringify(statuses))
    assert.deepEqual(
      statuses.map((it) => it.status).filter((it) => !['delivered', 'undelivered', 'failed', 'rejected'].includes(it)),
      [],
    )
    const codes = await ask<{ to: string }>(`select to_number as to from message where type = 'otp'`)
    const isCode = new Set(codes.map((it) => it.to))
    const doubled = [...timesSubmitted()].filter(([to, times]) => times > 1 && !isCode.has(to))
    assert.deepEqual(doubled, [])
    const [money] = await ask<{ failed: number; refunds: number; messages: number }>(`
    select count(*) filter (where status = 'failed') as failed,
      (select count(*) from ledger_entry where kind = 'refund') as refunds,
      (select count(distinct message_id) from ledger_entry where kind = 'refund') as messages
    from message`)
    assert.equal(money?.refunds, money?.failed)
    assert.equal(money?.refunds, money?.messages)
    const [sum] = await ask<{ n: number }>(`
    select w.balance_e4 - sum(case when e.kind in ('reservation', 'expiry') then -e.amount_e4 else e.amount_e4 end)::bigint as n
    from workspace w join ledger_entry e on e.workspace_id = w.id group by w.id`)
    assert.equal(sum?.n, 0)
  },
)
