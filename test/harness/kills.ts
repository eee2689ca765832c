// Generates load during kills and checks the result against the SMSC's log and the ledger.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readLanes } from '../../src/actions/service/measure-traffic.ts'
import { ManualClock } from '../../src/runtime/clock.ts'
import { readDatabase } from '../crash/evidence.ts'
import { JUDGES } from '../crash/judges.ts'
import type { makeSender } from './sending.ts'
import { ownService, type ServiceUnderTest } from './service.ts'
import type { Smsc } from './smsc.ts'

const GAP_MS = 40
/** With a longer backlog, OTPs would expire in the queue: a process that is killed early submits less than the load adds. */
const MAX_BACKLOG = 500
const HOUR_MS = 3_600_000

type Sender = Awaited<ReturnType<typeof makeSender>>

/** Slow, so that submissions are always in flight. */
export const SLOWLY = {
  plan: async () => {
    await sleep(Math.random() * 40)
    return { report: 'DELIVRD' }
  },
}

let last = 0
/** Sends until the work ends; one OTP in ten, no number twice. */
export async function sendDuring(
  { db }: Pick<ServiceUnderTest, 'db'>,
  sender: Sender,
  work: () => Promise<void>,
): Promise<string[]> {
  let isOver = false
  const working = work().finally(() => {
    isOver = true
  })
  const ids: string[] = []
  while (!isOver) {
    await sleep(GAP_MS)
    if ((await readLanes(db, new Date())).some(({ waiting }) => waiting > MAX_BACKLOG)) continue
    const batch = Array.from({ length: 10 }, () => {
      last += 1
      return sender.send({ to: `98${String(last).padStart(8, '0')}`, type: last % 10 === 0 ? 'otp' : 'transactional' })
    })
    for (const { status, body } of await Promise.all(batch)) {
      assert.equal(status, 200, JSON.stringify(body))
      ids.push(body.messageId)
    }
  }
  await working
  return ids
}

/** Numbers that got more than one message. */
export function doubled({ taken }: Smsc): string[] {
  const times = Map.groupBy(taken, ({ to }) => to)
  return [...times].filter(([, all]) => all.length > 1).map(([to]) => to)
}

/** Call after delivery has stopped: only OTPs may be sent twice, all messages are final, and failed ones are refunded once. */
export async function assertEndedOnce(
  t: TestContext,
  { address, keyringText }: Pick<ServiceUnderTest, 'address' | 'keyringText'>,
  { ids, smsc }: { ids: string[]; smsc: Smsc },
): Promise<void> {
  // Days later by its own clock: unknown messages have expired too.
  const clock = new ManualClock(new Date(Date.now() + 80 * HOUR_MS))
  const judge = await ownService({
    env: { HULAKI_ROLES: 'api,delivery' },
    beside: { address, keyringText, clock },
  })
  await judge.advance(60)
  await judge.advance(60)
  const ask = <Row>(text: string, values: unknown[] = []) => judge.db.query<Row>({ text, values, name: undefined })
  const statuses = await ask<{ status: string; n: number }>('select status, count(*) as n from message group by 1')
  t.diagnostic(JSON.stringify(statuses))
  assert.deepEqual(
    statuses.map((it) => it.status).filter((it) => !['delivered', 'undelivered', 'failed', 'rejected'].includes(it)),
    [],
  )
  const lost = await ask<{ to: string }>(
    `select to_number as to from message where id = any($1) and status <> 'failed' and to_number <> all($2)`,
    [ids, smsc.taken.map(({ to }) => to)],
  )
  assert.deepEqual(lost, [], 'the SMSC has every message that did not fail')
  const codes = await ask<{ to: string }>(`select to_number as to from message where type = 'otp'`)
  const isCode = new Set(codes.map((it) => it.to))
  assert.deepEqual(
    doubled(smsc).filter((to) => !isCode.has(to)),
    [],
  )
  const evidence = { database: await readDatabase(ask) }
  assert.deepEqual([...JUDGES.refunds(evidence), ...JUDGES.ledger(evidence)], [])
}
