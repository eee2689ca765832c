// Kills the webhook sender: every event arrives at least once, with one id and the same bytes (§6.3 rule 3, §6.4).
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ManualClock } from '../../src/runtime/clock.ts'
import { sql } from '../../src/store/database/sql.ts'
import { systemClock } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { type ReceivedRequest, startEndpoint } from './endpoints.ts'
import {
  clientWithEndpoint,
  deliveryOf,
  queueEvents,
  settle,
  startWebhookService,
  WEBHOOK_ENV,
} from './webhook-service.ts'

const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 3)
const EVENTS = 100

/** Queues the events and serves the API; senders are separate processes. */
const api = await startWebhookService({ clock: systemClock(), env: { HULAKI_ROLES: 'api' } })

function startSender(t: TestContext): ChildProcess {
  const { host, port, user, password, database } = api.address
  const folder = mkdtempSync(join(tmpdir(), 'hulaki-sender-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const keyringFile = join(folder, 'keyring.json')
  writeFileSync(keyringFile, api.keyringText, { mode: 0o600 })
  const sender = spawn(process.execPath, [join(import.meta.dirname, '..', '..', 'src', 'main.ts')], {
    stdio: 'ignore',
    env: {
      ...process.env,
      ...WEBHOOK_ENV,
      PORT: '0',
      DATABASE_URL: `postgres://${user}:${encodeURIComponent(password)}@${encodeURIComponent(host)}:${port}/${database}`,
      HULAKI_ROLES: 'webhooks',
      HULAKI_PROCESSES: '1',
      HULAKI_DATA_DIR: folder,
      HULAKI_KEYRING_FILE: keyringFile,
    },
  })
  t.after(() => sender.kill('SIGKILL'))
  return sender
}

async function kill(sender: ChildProcess): Promise<void> {
  const ended = once(sender, 'exit')
  sender.kill('SIGKILL')
  await ended
}

/** Posts the remaining deliveries in another process after all leases have lapsed. */
async function finish(): Promise<void> {
  const clock = new ManualClock(new Date(Date.now() + 60_000))
  const { address, keyringText } = api
  const survivor = await startWebhookService({ beside: { address, keyringText, clock } })
  await settle(survivor)
  await survivor.stop()
}

async function judge(deliveryIds: string[], received: ReceivedRequest[]): Promise<{ repeated: number }> {
  const bytes = new Map<string, string>()
  for (const { headers, body } of received) {
    const id = String(headers['x-svc-delivery'])
    assert.equal(bytes.getOrInsert(id, body.toString()), body.toString(), 'a retry has the same bytes')
  }
  assert.deepEqual([...bytes.keys()].sort(), deliveryIds.toSorted(), 'no event is lost or invented')
  for (const id of deliveryIds) assert.equal((await deliveryOf(api, id)).state, 'delivered')
  const [row] = await api.db.query<{ count: number }>(sql`
    select (select count(*) from webhook_queue) + (select count(*) from webhook_claim) as count`)
  assert.equal(row?.count, 0)
  return { repeated: received.length - bytes.size }
}

const events = (count: number) => Array.from({ length: count }, () => ({}))

test('killed before sending: nothing is lost or repeated', async (t) => {
  const silent = Promise.withResolvers<void>()
  const endpoint = await startEndpoint(t, (response) => response.end(), { untilHandshake: silent.promise })
  const client = await clientWithEndpoint(api, endpoint)
  const ids = await queueEvents(api, client, events(4))
  const sender = startSender(t)
  await until(() => endpoint.connections.open === 4)
  assert.equal(endpoint.received.length, 0)
  await kill(sender)
  silent.resolve()
  await finish()
  assert.deepEqual(await judge(ids, endpoint.received), { repeated: 0 })
})

test('killed before the answer: all are sent again under the same ids', async (t) => {
  let isUp = false
  const endpoint = await startEndpoint(t, (response) => isUp && response.end())
  const client = await clientWithEndpoint(api, endpoint)
  const ids = await queueEvents(api, client, events(4))
  const sender = startSender(t)
  await until(() => endpoint.received.length === 4)
  await kill(sender)
  isUp = true
  await finish()
  assert.deepEqual(await judge(ids, endpoint.received), { repeated: 4 })
})

test('killed while recording a 2xx: at most sent again under the same ids', async (t) => {
  const endpoint = await startEndpoint(t, (response) => response.end())
  const client = await clientWithEndpoint(api, endpoint)
  const sender = startSender(t)
  const ids = await api.db.ownConnection(async (connection) => {
    // The sender may take long to start.
    await connection.withoutTimeouts()
    return connection.transaction(async (tx) => {
      // The recording statement has locked the claim and waits to insert the attempt.
      await tx.query(sql`lock table webhook_attempt in exclusive mode`)
      const queued = await queueEvents(api, client, events(4))
      await until(() => endpoint.received.length === 4)
      const recording = async () =>
        api.db.query<{ pid: number }>(sql`
          select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
      await until(async () => (await recording()).length > 0)
      await kill(sender)
      for (const { pid } of await recording()) await api.db.query(sql`select pg_terminate_backend(${pid})`)
      return queued
    })
  })
  await finish()
  const { repeated } = await judge(ids, endpoint.received)
  assert(repeated > 0 && repeated <= 4, `${repeated} were sent again`)
})

test(`killed ${ROUNDS} times under load: nothing is lost`, {
  timeout: 60_000 + ROUNDS * 10_000,
}, async (t) => {
  const endpoints = await Promise.all([1, 2, 3].map(() => startEndpoint(t, (response) => response.end())))
  const clients = await Promise.all(endpoints.map((endpoint) => clientWithEndpoint(api, endpoint)))
  const ids: string[] = []
  const receivedInAll = () => endpoints.flatMap(({ received }) => received)
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const client of clients) ids.push(...(await queueEvents(api, client, events(EVENTS))))
    const before = receivedInAll().length
    const sender = startSender(t)
    // After a different share of the work in each round.
    const share = ((round * 61) % 97) / 110
    const enough = before + share * EVENTS * clients.length
    await until(() => receivedInAll().length >= enough)
    await kill(sender)
  }
  await finish()
  const { repeated } = await judge(ids, receivedInAll())
  t.diagnostic(`${ids.length} events, ${ROUNDS} kills, ${repeated} sent again`)
})
