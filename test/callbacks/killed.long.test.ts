// Kills the service repeatedly during receipt callbacks: each receipt counts once and none is lost (D53).
import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../../src/store/database/sql.ts'
import { freePort } from '../harness/free-port.ts'
import { ALLOWED, addHttpCarrier, answer, describe, startProvider } from '../harness/http-carrier.ts'
import { addRoute, makeSender } from '../harness/sending.ts'
import { ownService, systemClock } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 12)
const MESSAGES_PER_ROUND = 20

const port = await freePort()
const PUBLIC = { HULAKI_PUBLIC_URL: `http://127.0.0.1:${port}` }
const service = await ownService({
  env: { HULAKI_ROLES: 'api,delivery', ...ALLOWED, ...PUBLIC },
  clock: systemClock(),
})
const sender = await makeSender(service, { monthlyCredit: 1_000_000 })
const provider = await startProvider()
after(() => provider.close())

/** The last digit of a number decides its state. */
const STATES = ['DELIVRD', 'DELIVRD', 'DELIVRD', 'UNDELIV', 'REJECTD']
const stateOf = (to: string) => STATES[Number(to.at(-1)) % STATES.length] ?? ''
const ENDS: Record<string, string> = { DELIVRD: 'delivered', UNDELIV: 'undelivered', REJECTD: 'rejected' }

let underWay = 0
/** Calls whose process was killed before the answer. */
let cut = 0
let isOver = false

/** 0: connection refused. -1: no answer. */
async function callOnce(callback: string, body: string): Promise<number> {
  underWay += 1
  try {
    const response = await fetch(callback, { method: 'POST', body })
    await response.arrayBuffer()
    return response.status
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } }
    return cause?.code === 'ECONNREFUSED' ? 0 : -1
  } finally {
    underWay -= 1
  }
}

/** Calls until a 200, and sometimes once more, like real providers. */
async function callUntilStored(callback: string, body: string): Promise<void> {
  while (!isOver) {
    const status = await callOnce(callback, body)
    if (status === -1) cut += 1
    if (status === 200 && Math.random() < 0.9) return
    await sleep(50 + Math.random() * 200)
  }
}

const calls: Promise<void>[] = []
provider.does(({ json }, response) => {
  const id = `id-${json.ref}`
  answer(response, 200, { id })
  calls.push(callUntilStored(json.callback, JSON.stringify({ id, to: json.to, state: stateOf(json.to) })))
})
const carrierId = await addHttpCarrier(service, provider.url, {
  window: 50,
  http: {
    ...describe(provider.url),
    body: { kind: 'json', value: { to: '{to}', text: '{text}', ref: '{reference}', callback: '{callbackUrl}' } },
    receipts: { kind: 'callback', reading: { id: '/id', state: '/state', to: '/to' } },
  },
})
await addRoute(service, carrierId)

const running = new Set<ChildProcess>()
after(() => {
  for (const child of running) child.kill('SIGKILL')
})
/** A process that serves only the API and the callbacks. */
async function startApi(): Promise<ChildProcess> {
  const { address, keyringText } = service
  const env = {
    ...process.env,
    ...PUBLIC,
    PORT: String(port),
    TEST_ADDRESS: JSON.stringify(address),
    TEST_KEYRING: keyringText,
  }
  const child = fork(join(import.meta.dirname, '..', 'harness', 'api-process.ts'), { env })
  running.add(child)
  child.on('exit', () => running.delete(child))
  await once(child, 'message')
  return child
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}

test('D53: after kill -9 at random moments each receipt is counted once and none is lost', {
  timeout: 300_000 + ROUNDS * 30_000,
}, async (t) => {
  let last = 0
  const ids: string[] = []
  let child = await startApi()
  for (let round = 0; round < ROUNDS; round++) {
    const batch = Array.from({ length: MESSAGES_PER_ROUND }, () =>
      sender.send({ to: `98${String(41_000_000 + ++last)}`, type: 'transactional' }),
    )
    for (const { status, body } of await Promise.all(batch)) {
      assert.equal(status, 200, JSON.stringify(body))
      ids.push(body.messageId)
    }
    // Some receipts are stored, some are sent, some are in a transaction.
    await until(() => underWay > 0)
    await sleep(Math.random() * 60)
    await end(child, 'SIGKILL')
    child = await startApi()
  }
  const open = () =>
    service.db.query(sql`select from message where status not in ('delivered', 'undelivered', 'rejected') limit 1`)
  await until(async () => (await open()).length === 0, { ms: 180_000 })
  await until(() => calls.length === ids.length)
  isOver = true
  await Promise.all(calls)
  const figures = async () => (await service.manage('GET', `/carriers/${carrierId}/figures`)).body.total
  await end(child, 'SIGTERM')

  const messages = await service.db.query<{ to: string; status: string; n: number }>(sql`
    select to_number as to, status, greatest((select count(*) from report where message_id = message.id), (dlr is not null)::int) as n from message`)
  assert.equal(messages.length, ids.length)
  for (const { to, status, n } of messages) {
    assert.equal(status, ENDS[stateOf(to)], to)
    assert(n >= 1, to)
  }
  const repeats = messages.reduce((sum, { n }) => sum + n - 1, 0)
  t.diagnostic(`${ROUNDS} kills, ${ids.length} messages, ${cut} calls cut off, ${repeats} repeats stored`)
  assert(cut > 0, 'some calls were open when their process was killed')

  // Counters and money are the same as without kills.
  const wanted = (state: string) => messages.filter(({ to }) => stateOf(to) === state).length
  const [counted] = await service.db.query<{ delivered: number; failed: number }>(sql`
    select sum(delivered)::int as delivered, sum(failed)::int as failed from client_counter`)
  assert.deepEqual(counted, { delivered: wanted('DELIVRD'), failed: wanted('UNDELIV') + wanted('REJECTD') })
  const [money] = await service.db.query<{ refunds: number; off: number }>(sql`
    select (select count(*) from ledger_entry where kind = 'refund') as refunds,
      w.balance_e4 - sum(case when e.kind in ('reservation', 'expiry') then -e.amount_e4 else e.amount_e4 end)::bigint as off
    from workspace w join ledger_entry e on e.workspace_id = w.id group by w.id`)
  assert.deepEqual(money, { refunds: 0, off: 0 })
  // Repeated receipts wait for an answer that may still come (D65).
  await until(async () => (await service.db.query(sql`select from pending_report limit 1`)).length === 0)
  // Figures of a killed process may be missing, but nothing is counted twice.
  const { delivered, undelivered } = await figures()
  assert(delivered <= wanted('DELIVRD') && undelivered <= wanted('UNDELIV') + wanted('REJECTD'))
})
