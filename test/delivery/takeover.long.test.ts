// Two delivery processes share a carrier; the SMSC counts links like real carriers.
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../../src/store/database/sql.ts'
import { deliveryProcesses } from '../harness/delivery-processes.ts'
import { startProxy } from '../harness/proxy.ts'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { ownService, systemClock } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

const BINDS = 2
const ALREADY_BOUND = 0x05
/** Longer than a lease and a poll. */
const TAKEOVER = { ms: 30_000 }

const service = await ownService({ env: { HULAKI_ROLES: 'api' }, clock: systemClock() })
const bindings: { at: Date; links: number }[] = []
const smsc = await startSmsc({
  plan: async () => {
    await sleep(20)
    return { report: 'DELIVRD' }
  },
  bindStatus: () => {
    bindings.push({ at: new Date(), links: smsc.sessions.size + 1 })
    return 0
  },
})
const sender = await makeSender(service)
await addRoute(service, await addCarrier(service, smsc.port, { binds: BINDS, answerSeconds: 2 }))
const processes = deliveryProcesses(service)

let last = 0
async function sendSome(count: number): Promise<string[]> {
  const sent = await Promise.all(
    Array.from({ length: count }, () => sender.send({ to: `98${String(++last).padStart(8, '0')}` })),
  )
  return sent.map(({ status, body }) => {
    assert.equal(status, 200, JSON.stringify(body))
    return body.messageId as string
  })
}

const query = <Row>(text: string, values: unknown[] = []) => service.db.query<Row>({ text, values, name: undefined })

async function areDelivered(ids: string[]): Promise<boolean> {
  const others = await query(`select from message where id = any($1) and status <> 'delivered'`, [ids])
  return others.length === 0
}

/** The number of processes that hold the binds, while all are bound. */
async function holders(): Promise<number | null> {
  const binds = await query<{ processId: string; state: string }>(
    'select process_id as "processId", state from carrier_bind',
  )
  const areBound = binds.length === BINDS && binds.every(({ state }) => state === 'bound')
  return areBound && smsc.sessions.size === BINDS ? new Set(binds.map(({ processId }) => processId)).size : null
}

async function startTwo(): Promise<[ChildProcess, ChildProcess]> {
  const both: [ChildProcess, ChildProcess] = [await processes.start(), await processes.start()]
  await until(async () => (await holders()) === 2, TAKEOVER)
  return both
}

test("two processes share the binds, and a killed process's bind moves after its lease expires", async () => {
  const [victim, survivor] = await startTwo()
  await until(async () => {
    await sendSome(20)
    return new Set(smsc.taken.map(({ session }) => session)).size === 2
  })
  await processes.end(victim, 'SIGKILL')
  const [lease] = await query<{ lapsesAt: Date }>('select min(leased_until) as "lapsesAt" from carrier_bind')
  // The other process continues with its bind.
  const meanwhile = await sendSome(20)
  await until(() => areDelivered(meanwhile))
  await until(async () => (await holders()) === 1, TAKEOVER)
  const takenOver = bindings.at(-1)
  assert(lease && takenOver && takenOver.at >= lease.lapsesAt, 'not before the lease expired')
  const ids = await sendSome(100)
  await until(() => areDelivered(ids))
  assert.equal(await processes.end(survivor, 'SIGTERM'), 0)
  assert.deepEqual(
    bindings.filter(({ links }) => links > BINDS),
    [],
  )
})

test('a process that paused longer than its lease releases the bind that another has taken over', async () => {
  const [sleeper, other] = await startTwo()
  sleeper.kill('SIGSTOP')
  await until(async () => {
    const binds = await query('select process_id from carrier_bind group by process_id')
    return binds.length === 1
  }, TAKEOVER)
  sleeper.kill('SIGCONT')
  await until(async () => (await holders()) === 2, TAKEOVER)
  const ids = await sendSome(100)
  // A report received before the response is recorded waits for its second lookup.
  await until(() => areDelivered(ids), TAKEOVER)
  for (const child of [sleeper, other]) assert.equal(await processes.end(child, 'SIGTERM'), 0)
  const numbers = smsc.taken.map(({ to }) => to)
  assert.equal(new Set(numbers).size, numbers.length, 'no number got a message twice')
})

test('a process without the database unbinds when its lease expires, so that another can bind', async () => {
  const mine = await ownService({ env: { HULAKI_ROLES: 'api' }, clock: systemClock() })
  const strict = await startSmsc({ bindStatus: () => (strict.sessions.size > 0 ? ALREADY_BOUND : 0) })
  await addRoute(mine, await addCarrier(mine, strict.port))
  const proxy = await startProxy(mine)
  const deliver = (address: typeof proxy.address) =>
    ownService({ env: { HULAKI_ROLES: 'delivery' }, beside: { ...mine, address } })
  const bind = async () => {
    const [row] = await mine.db.query<{ processId: string; state: string }>(
      sql`select process_id as "processId", state from carrier_bind`,
    )
    return row
  }
  const cut = await deliver(proxy.address)
  const first = await until(async () => {
    const held = await bind()
    return held?.state === 'bound' && held.processId
  })
  const other = await deliver(mine.address)
  proxy.close()
  await until(async () => {
    const held = await bind()
    return held?.processId !== first && held?.state === 'bound'
  }, TAKEOVER)
  const client = await makeSender(mine)
  const { body } = await client.send({ to: '9842000001' })
  await until(async () => (await client.get(body.messageId)).status === 'delivered')
  assert.equal(strict.taken.length, 1)
  assert.equal(cut.logged.filter((line) => line.includes('lease renewal failed')).length, 1)
  // After the outage it leaves the bind to the other process.
  await proxy.open()
  await until(() => cut.logged.some((line) => line.includes('available again')), TAKEOVER)
  assert.notEqual((await bind())?.processId, first)
  for (const service of [cut, other]) await service.stop()
})
