// The migrations to claims: a database of the version before, with full queues, open claims and unknown submissions, is delivered from.
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ManualClock } from '../../../src/runtime/clock.ts'
import { Db } from '../../../src/store/database/db.ts'
import { migrate } from '../../../src/store/database/migrate.ts'
import { listMessagesById } from '../../../src/store/messages/messages.ts'
import { endClaims, lockLapsedClaims } from '../../../src/store/webhooks/webhook-queue.ts'
import { testDatabaseAddress, useDatabase } from '../../harness/database.ts'
import { addCarrier, addRoute } from '../../harness/sending.ts'
import { query } from '../../harness/server.ts'
import { ownService } from '../../harness/service.ts'
import { startSmsc } from '../../harness/smsc.ts'

const NOW = new Date('2026-11-18T06:00:00.000Z')
const MIGRATIONS = join(import.meta.dirname, '../../../src/store/database/migrations')
/** All but the first one. */
const LATER_MIGRATIONS = readdirSync(MIGRATIONS).length - 1
const WORKSPACE = '00000000-0000-7000-8000-000000000001'
const CLIENT = '00000000-0000-7000-8000-000000000010'
const OLD_CARRIER = '00000000-0000-7000-8000-000000000020'

/** Ids in time order, as of NOW: expiry reads the time in them. */
const idOf = (n: number) => `01a1e283-0600-7000-8000-${String(n).padStart(12, '0')}`
const numberOf = (n: number) => `+97798${String(41_000_000 + n)}`

async function oldDatabase() {
  const folder = mkdtempSync(join(tmpdir(), 'hulaki-migrations-'))
  after(() => rmSync(folder, { recursive: true }))
  cpSync(join(MIGRATIONS, '0100_initial.sql'), join(folder, '0100_initial.sql'))
  const address = await testDatabaseAddress({ template: 'template0' })
  const db = new Db(address, { connections: 2 })
  useDatabase(address, () => db.close())
  await migrate(db, NOW, { folder })
  await query(
    address,
    `insert into workspace (id, name, country, currency, time_zone, plan, status, monthly_credit_e4, transactional_price_e4, otp_price_e4,
       promotional_price_e4, allowed_types, templates_required, balance_e4, period, period_ends_at, created_at, updated_at)
     values ('${WORKSPACE}', 'Shop', 'NP', 'NPR', 'Asia/Kathmandu', 'standard', 'active', 10000, 100, 100, 100, '{otp,transactional}', false, 10000,
       '2026-11-01', '2026-12-01', '2026-11-01', '2026-11-01');
     insert into client (id, workspace_id, name, brand_name, mode, default_sender, requests_per_second, api_key_hash, api_key_prefix,
       webhook_secret_sealed, created_at, updated_at)
     values ('${CLIENT}', '${WORKSPACE}', 'Web shop', 'Shop', 'live', 'Shop', 20, sha256('key'), 'svc_', '\\x01', '2026-11-01', '2026-11-01')`,
  )
  return { address, db }
}

interface OldMessage {
  n: number
  status?: string
  segments?: number
  /** One outcome for each segment. */
  outcomes?: string[]
  queue?: { claims: number; claimId?: string; leasedUntil?: string }
}

function insertOld({ n, status = 'queued', segments = 1, outcomes = [], queue }: OldMessage): string {
  const text = 'x'.repeat(segments === 1 ? 20 : 150 * segments)
  const submissions = outcomes.map((outcome, index) => {
    const answeredAt = outcome === 'open' ? 'null' : `'2026-11-18T05:59:59Z'`
    const reference = outcome === 'accepted' ? `'ref ${n} ${index}'` : 'null'
    return `insert into submission (message_id, ordinal, segment, segment_count, carrier_id, to_number, sender, outcome, reference, claimed_at, answered_at)
      values ('${idOf(n)}', 1, ${index + 1}, ${segments}, '${OLD_CARRIER}', '${numberOf(n)}', 'Shop', '${outcome}', ${reference}, '2026-11-18T05:59:50Z', ${answeredAt});`
  })
  const lease = queue?.claimId ? `'${queue.claimId}', '${queue.leasedUntil}'` : 'null, null'
  const queued = queue
    ? `insert into delivery_queue (message_id, destination, avoid_carrier_id, priority, workspace_id, client_id, due_at, claim_id, leased_until, claims)
       values ('${idOf(n)}', 'NP', '00000000-0000-0000-0000-000000000000', 1, '${WORKSPACE}', '${CLIENT}', '2026-11-18T05:59:40Z', ${lease}, ${queue.claims});`
    : ''
  return `
    insert into message (id, workspace_id, client_id, to_number, country, sender, text, type, encoding, segments, cost_e4, status, submissions, created_at, updated_at)
    values ('${idOf(n)}', '${WORKSPACE}', '${CLIENT}', '${numberOf(n)}', 'NP', 'Shop', '${text}', 'transactional', 'GSM7', ${segments}, 0, '${status}', 0,
      '2026-11-18T05:59:40Z', '2026-11-18T05:59:40Z');
    ${submissions.join('\n')}
    ${queued}`
}

test('delivers what waits, ends the claims of the version before as unknown, and loses and repeats nothing', async () => {
  const { address, db } = await oldDatabase()
  const running = { claimId: '00000000-0000-7000-8000-0000000000a1', leasedUntil: '2026-11-18T06:00:30Z' }
  const lapsed = { claimId: '00000000-0000-7000-8000-0000000000a2', leasedUntil: '2026-11-18T05:59:55Z' }
  const waiting = Array.from({ length: 30 }, (_, n): OldMessage => ({ n: n + 1, queue: { claims: 0 } }))
  const claimed: OldMessage[] = [
    { n: 101, outcomes: ['open'], queue: { claims: 1, ...running } },
    { n: 102, outcomes: ['open'], queue: { claims: 1, ...lapsed } },
    {
      n: 103,
      outcomes: ['accepted', 'open', 'open'],
      segments: 3,
      status: 'submitted',
      queue: { claims: 1, ...running },
    },
  ]
  const others: OldMessage[] = [
    { n: 201, outcomes: ['throttled'], queue: { claims: 1 } },
    { n: 202, outcomes: ['unknown'] },
    { n: 203, outcomes: ['accepted'], status: 'sent' },
  ]
  await query(address, [...waiting, ...claimed, ...others].map(insertOld).join('\n'))
  assert.equal(await migrate(db, NOW), LATER_MIGRATIONS)

  const smsc = await startSmsc({ plan: () => ({ report: 'DELIVRD' }) })
  const clock = new ManualClock(NOW)
  const made = await ownService({ env: { HULAKI_ROLES: 'api' }, clock })
  const service = await ownService({
    env: { HULAKI_ROLES: 'api,delivery' },
    beside: { address, keyringText: made.keyringText, clock },
  })
  await addRoute(service, await addCarrier(service, smsc.port))
  await service.advance(1)
  const shown = async (n: number) => (await listMessagesById(db, [idOf(n)]))[0]?.status
  const sent = [...waiting.map(({ n }) => n), 201]
  for (const n of sent) assert.equal(await shown(n), 'delivered', String(n))
  assert.deepEqual(smsc.taken.map(({ to }) => to).sort(), sent.map(numberOf).sort())
  assert.equal(await shown(101), 'submitting')
  await service.advance(60)
  const submissions = await db.query<{ n: number; outcomes: string }>({
    text: `select right(message_id::text, 3)::int as n, string_agg(outcome, ' ' order by segment) as outcomes from submission
      where carrier_id = $1 group by message_id order by message_id`,
    values: [OLD_CARRIER],
    name: undefined,
  })
  assert.deepEqual(
    submissions.map(({ n, outcomes }) => [n, outcomes]),
    [
      [101, 'unknown'],
      [102, 'unknown'],
      [103, 'accepted unknown unknown'],
      [201, 'throttled'],
      [202, 'unknown'],
      [203, 'accepted'],
    ],
  )
  assert.equal(smsc.taken.length, sent.length)
  assert.deepEqual(
    await query(address, 'select count(*)::int from claim union all select count(*)::int from delivery_queue'),
    [{ count: 0 }, { count: 0 }],
  )
})

test('keeps claimed webhook deliveries until their lease ends, and then returns them to the queue', async () => {
  const { address, db } = await oldDatabase()
  const running = "'00000000-0000-7000-8000-0000000000a1', '2026-11-18T06:00:30Z'"
  const lapsed = "'00000000-0000-7000-8000-0000000000a2', '2026-11-18T05:59:55Z'"
  const deliveries = [
    { n: 1, lease: "null, '2026-11-18T05:59:00Z'", retry: false, attempts: 0, claims: 0 },
    { n: 2, lease: "null, '2026-11-18T07:00:00Z'", retry: true, attempts: 2, claims: 0 },
    { n: 3, lease: running, retry: false, attempts: 0, claims: 1 },
    { n: 4, lease: running, retry: false, attempts: 0, claims: 2 },
    { n: 5, lease: lapsed, retry: true, attempts: 3, claims: 1 },
  ]
  await query(
    address,
    deliveries
      .map(
        ({ n, lease, retry, attempts, claims }) => `
      insert into webhook_event (delivery_id, client_id, name, body, created_at) values ('${idOf(n)}', '${CLIENT}', 'message.inbound', 'x', '2026-11-18T05:00:00Z');
      insert into webhook_queue (delivery_id, workspace_id, client_id, claim_id, due_at, retry, attempts, claims)
      values ('${idOf(n)}', '${WORKSPACE}', '${CLIENT}', ${lease}, ${retry}, ${attempts}, ${claims});`,
      )
      .join('\n'),
  )
  await migrate(db, NOW)
  const queued = async () => {
    const rows = await query(
      address,
      `select right(delivery_id::text, 1)::int as n, retry, attempts, claims from webhook_queue order by delivery_id`,
    )
    return rows.map(({ n, retry, attempts, claims }) => [n, retry, attempts, claims])
  }
  const waiting = [
    [1, false, 0, 0],
    [2, true, 2, 0],
  ]
  assert.deepEqual(await queued(), waiting)
  const lapse = (now: Date) =>
    db.transaction(async (tx) => endClaims(tx, await lockLapsedClaims(tx, { now, limit: 10 })))
  await lapse(NOW)
  assert.deepEqual(await queued(), [...waiting, [5, true, 3, 1]])
  await lapse(new Date('2026-11-18T06:00:30Z'))
  assert.deepEqual(await queued(), [...waiting, [3, false, 0, 1], [4, false, 0, 2], [5, true, 3, 1]])
  assert.deepEqual(await query(address, 'select * from webhook_claim'), [])
})
