// `npm run bench -- now`: database time of GET /now with a million waiting messages. The median of each read must stay under 50 ms.
import { rmSync } from 'node:fs'
import { scratchFolder } from '../scripts/scratch-folder.ts'
import { measureLastMinute } from '../src/store/carriers/carrier-binds.ts'
import { openBundledPostgres } from '../src/store/database/bundled-postgres.ts'
import { Db } from '../src/store/database/db.ts'
import { migrate } from '../src/store/database/migrate.ts'
import { sql } from '../src/store/database/sql.ts'
import { listPlaces } from '../src/store/messages/delivery-queue.ts'
import {
  countInGroups,
  countQueueByPriority,
  findFirstWaiting,
  sampleQueue,
} from '../src/store/messages/queue-depth.ts'
import { countUnmatched, listLatestUnmatched } from '../src/store/messages/unmatched-receipts.ts'
import { countForDoctor, countRecentlyAccepted, listWorkspacesLowOnCredit } from '../src/store/service/overview.ts'
import {
  countFailedDeliveries,
  listEndpointFailures,
  listFailedDeliveries,
} from '../src/store/webhooks/webhook-failures.ts'
import { countAllRequests, countRefusals } from '../src/store/workspaces/request-log.ts'
import { listWorkspaces } from '../src/store/workspaces/workspaces.ts'

const WAITING = 1_000_000
const ROUNDS = 15
const MAX_MS = 50

const folder = scratchFolder('hulaki-bench-now')
const postgres = await openBundledPostgres(folder)
const db = new Db(postgres.connection, { connections: 1, answerMs: 600_000 })
try {
  await migrate(db, new Date())
  await fill()
  const now = new Date()
  const minute = new Date(now.getTime() - 60_000)
  const reads: Record<string, () => Promise<unknown>> = {
    'depth and age by lane': () => countQueueByPriority(db, now),
    'depth by sample': () => sampleQueue(db),
    'messages of an incident': async () => countInGroups(db, new Map([['all', await listPlaces(db)]])),
    'clients of an incident': async () => findFirstWaiting(db, await listPlaces(db), now),
    'refused requests': () => Promise.all([countRefusals(db, minute), countAllRequests(db, minute)]),
    'failing endpoints': () => listEndpointFailures(db, minute),
    'accepted in the last minute': () => countRecentlyAccepted(db, minute),
    'carriers in the last minute': () => measureLastMinute(db, now),
    'failed webhooks': () => Promise.all([countFailedDeliveries(db), listFailedDeliveries(db, 5)]),
    'unmatched receipts': () => Promise.all([countUnmatched(db, minute), listLatestUnmatched(db, 5)]),
    'counts of doctor': () => Promise.all([countForDoctor(db), listWorkspacesLowOnCredit(db, now)]),
    'workspaces by name': () => listWorkspaces(db, { name: '77', status: null, before: null, limit: 51 }),
  }
  console.log(`${WAITING} messages waiting; lanes:`, await countQueueByPriority(db, now), await sampleQueue(db))
  let isSlow = false
  for (const [name, read] of Object.entries(reads)) {
    const median = await medianOf(read)
    isSlow ||= median > MAX_MS
    console.log(`${name.padEnd(30)} ${median.toFixed(1).padStart(8)} ms`)
  }
  process.exitCode = isSlow ? 1 : 0
} finally {
  await db.close()
  await postgres.release()
  rmSync(folder, { recursive: true, force: true })
}

async function medianOf(read: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const since = performance.now()
    await read()
    times.push(performance.now() - since)
  }
  return times.sort((one, other) => one - other)[Math.floor(ROUNDS / 2)] ?? 0
}

/** 400 workspaces with one client each; the last 60 000 messages are from the last minute. */
async function fill(): Promise<void> {
  await db.query(sql`
    insert into workspace (id, name, country, currency, time_zone, plan, status, monthly_credit_e4, transactional_price_e4,
      otp_price_e4, promotional_price_e4, allowed_types, templates_required, balance_e4, period, period_ends_at, created_at, updated_at)
    select md5('w' || n)::uuid, 'Workspace ' || n, 'NP', 'NPR', 'Asia/Kathmandu', 'standard', 'active', 1, 1, 1, 1,
      '{transactional}', false, n % 5, '2026-01-01', now() + interval '1 day', now(), now()
    from generate_series(1, 400) as n`)
  await db.query(sql`
    insert into client (id, workspace_id, name, brand_name, mode, default_sender, requests_per_second, webhook_secret_sealed, created_at,
      updated_at)
    select md5('c' || n)::uuid, md5('w' || n)::uuid, 'Client', 'Bench', 'live', 'Bench', 20, '\\x00', now(), now()
    from generate_series(1, 400) as n`)
  await db.query(sql`
    insert into message (id, workspace_id, client_id, to_number, country, sender, text, type, encoding, segments, cost_e4,
      status, submissions, created_at, updated_at)
    select uuidv7(-age), md5('w' || n % 400 + 1)::uuid, md5('c' || n % 400 + 1)::uuid,
      '+97798' || lpad((n::bigint * 7919 % 100000000)::text, 8, '0'), 'NP', 'Bench', 'Namaste', 'transactional', 'GSM7', 1, 1,
      'queued', 0, now() - age, now() - age
    from generate_series(1, ${WAITING}::int) as n
      cross join lateral (select (${WAITING}::int - n) * interval '1 millisecond' as age) as past`)
  await db.query(sql`
    insert into delivery_queue (first_message_id, message_ids, destination, priority, due_at, avoid_carrier_id, workspace_id, client_id)
    select id, array[id], case when n % 3 = 0 then 'NP+97798' else 'NP' end, case when n % 50 = 0 then 2 when n % 997 = 0 then 0 else 1 end,
      created_at, '00000000-0000-0000-0000-000000000000', workspace_id, client_id
    from (select *, row_number() over (order by id) as n from message) as message`)
  await db.query(sql`
    insert into webhook_event (delivery_id, client_id, name, body, state, failure_reason, created_at, ended_at)
    select uuidv7(-n * interval '1 second'), md5('c' || n % 400 + 1)::uuid, 'message.inbound', '\\x00', 'failed', 'retries_exhausted', now(), now()
    from generate_series(1, 100000) as n`)
  await db.query(sql`vacuum analyze`)
}
