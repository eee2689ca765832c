// Delivery processes are killed under load; checked against the SMSC's log and the ledger. `npm run test:long -- crash` runs the long form.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { deliveryProcesses } from '../harness/delivery-processes.ts'
import { assertEndedOnce, doubled, SLOWLY, sendDuring } from '../harness/kills.ts'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { ownService, systemClock } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 4)
const limit = { timeout: 120_000 + ROUNDS * 10_000 }

const service = await ownService({ env: { HULAKI_ROLES: 'api' }, clock: systemClock() })
const smsc = await startSmsc(SLOWLY)
const sender = await makeSender(service, { monthlyCredit: 1_000_000 })
await addRoute(service, await addCarrier(service, smsc.port, { binds: 4, window: 20, answerSeconds: 2 }))

const processes = deliveryProcesses(service)

const rows = <Row>(text: string) => service.db.query<Row>({ text, values: [], name: undefined })

test(
  'SIGTERM under load loses and doubles nothing: every message is delivered, each number got one',
  limit,
  async () => {
    const ids = await sendDuring(service, sender, async () => {
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
    assert.deepEqual(doubled(smsc), [])
  },
)

test(
  'kill -9 in a loop: no message that is not a code reaches the SMSC twice, all end once, none is refunded twice',
  limit,
  async (t) => {
    const beside = [await processes.start(), await processes.start()]
    const ids = await sendDuring(service, sender, async () => {
      for (let kill = 0; kill < ROUNDS; kill++) {
        await sleep(200 + Math.random() * 1_000)
        const victim = beside.shift()
        if (victim) await processes.end(victim, 'SIGKILL')
        beside.push(await processes.start())
      }
    })
    await until(async () => (await rows(`select from delivery_queue limit 1`)).length === 0, {
      ms: 60_000,
    })
    for (const child of beside) assert.equal(await processes.end(child, 'SIGTERM'), 0)
    await service.stop()
    await assertEndedOnce(t, service, { ids, smsc })
  },
)
