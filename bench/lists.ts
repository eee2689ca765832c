// `npm run bench -- lists`: database time of every list of the management API with a million messages; each must stay under 50 ms. Takes
// about two minutes. Add a line to the table for a new list.
import { rmSync } from 'node:fs'
import { scratchFolder } from '../scripts/scratch-folder.ts'
import { quarterOf } from '../src/domain/message-counts.ts'
import { NIL_UUID } from '../src/domain/uuid.ts'
import { listCodeDays, listCodePrefixes, listCodeWorkspaces } from '../src/store/codes/code-days.ts'
import { listFindings } from '../src/store/codes/pumping.ts'
import { openBundledPostgres } from '../src/store/database/bundled-postgres.ts'
import { Db, type Queries } from '../src/store/database/db.ts'
import { migrate } from '../src/store/database/migrate.ts'
import { sql } from '../src/store/database/sql.ts'
import { listInbound } from '../src/store/messages/inbound.ts'
import { listDays, listQuarters } from '../src/store/messages/message-counts.ts'
import { listMessages, listMessagesById, type MessageFilter } from '../src/store/messages/messages.ts'
import { loadTimeline } from '../src/store/messages/timeline.ts'
import { listAuditEntries } from '../src/store/people/audit.ts'
import { listTemplates } from '../src/store/templates/templates.ts'
import { listDeliveries } from '../src/store/webhooks/webhook-deliveries.ts'
import { listClients } from '../src/store/workspaces/clients.ts'
import { listEntries } from '../src/store/workspaces/ledger.ts'
import { countRequests, listRequests } from '../src/store/workspaces/request-log.ts'
import { listClientSums, listUsage } from '../src/store/workspaces/usage.ts'
import { listWorkspaces } from '../src/store/workspaces/workspaces.ts'

const MESSAGES = 1_000_000
const MAX_MS = 50
const TIMES = 7
const DAY_MS = 86_400_000

const [workspaceId, clientId] = ['0198f0a4-81d0-7c3f-8a44-0e5d7b9c1a20', '0198f0a4-81d0-7c3f-8a44-0e5d7b9c1a21']
const now = new Date()
const ago = (days: number) => new Date(now.getTime() - days * DAY_MS)
const page = { before: null, limit: 51 }
const year = { from: '2025-11-17', to: '2026-11-16' }
const month = { from: '2026-10-01', to: '2026-10-31' }

/** Of a carrier with many routes. */
const places = Array.from({ length: 60 }, (_, at) => ({
  ...{ destination: `NP+9779${at % 20}`, avoidCarrierId: null, priority: at % 3 },
}))

const messages = (filter: Partial<MessageFilter>) => (db: Queries) =>
  listMessages(db, {
    ...{ workspaceId, clientId: null, statuses: [], type: null, country: null, carrier: null, to: null, search: null },
    ...{ since: null, until: null },
    ...page,
    ...filter,
  })
const words = (...some: string[]) => messages({ search: { by: 'parts', digits: null, idEnd: null, words: some } })
const deliveries = (filter: Partial<Parameters<typeof listDeliveries>[1]>) => (db: Queries) =>
  listDeliveries(db, {
    ...{ clientIds: [clientId], state: null, event: null, messageId: null, since: null, until: null },
    ...page,
    ...filter,
  })
const replies = (filter: Partial<Parameters<typeof listInbound>[1]>) => (db: Queries) =>
  listInbound(db, {
    ...{ workspaceId, clientId: null, unattributed: false, from: null, since: null, until: null },
    ...page,
    ...filter,
  })
const requests = (filter: Partial<Parameters<typeof listRequests>[1]>) => (db: Queries) =>
  listRequests(db, {
    ...{ workspaceId, clientId: null, outcome: 'all', code: null, requestId: null, since: null, until: null },
    ...page,
    ...filter,
  })

const lists: [what: string, list: (db: Queries) => Promise<unknown>][] = [
  ['messages', messages({})],
  ['messages of a day', messages({ since: ago(2), until: ago(1) })],
  ['failed messages', messages({ statuses: ['failed'] })],
  ['messages of all workspaces', messages({ workspaceId: null })],
  ['failed messages of all workspaces', messages({ workspaceId: null, statuses: ['failed'] })],
  ['queued messages of all workspaces (none)', messages({ workspaceId: null, statuses: ['queued'] })],
  ['queued messages (none)', messages({ statuses: ['queued'] })],
  ['messages of a type (none)', messages({ type: 'promotional' })],
  ['messages of a country (none)', messages({ workspaceId: null, country: 'IN' })],
  ['messages of a carrier (none)', messages({ workspaceId: null, carrier: { id: NIL_UUID, places } })],
  [
    'messages that wait for a carrier (none)',
    messages({ workspaceId: null, statuses: ['queued'], carrier: { id: NIL_UUID, places } }),
  ],
  ['messages to a number', messages({ to: '+9779800000001' })],
  ['messages by the end of a number', messages({ search: { by: 'parts', digits: '7919', idEnd: null, words: [] } })],
  [
    'messages by the end of an id',
    messages({ search: { by: 'parts', digits: null, idEnd: 'abcdef012345', words: [] } }),
  ],
  ['messages by words', words('order', 'shipped')],
  ['messages by words (none)', words('no', 'such', 'words', 'anywhere')],
  ['messages by quarter hour, a week of them', (db) => listQuarters(db, { workspaceId, since: quarterOf(ago(7)) })],
  ['messages by day, 90 days of them', (db) => listDays(db, { workspaceId, since: '2026-08-18' })],
  [
    'messages of all workspaces by day, 90 days of them',
    (db) => listDays(db, { workspaceId: null, since: '2026-08-18' }),
  ],
  [
    'traffic of all workspaces',
    (db) => listQuarters(db, { workspaceId: null, since: quarterOf(new Date(now.getTime() - 3_600_000)) }),
  ],
  [
    '100 changed messages',
    async (db) =>
      listMessagesById(
        db,
        (await newest(db, 100)).map((it) => it.id),
      ),
  ],
  ['a timeline', async (db) => loadTimeline(db, { id: (await newest(db, 1))[0]?.id ?? '', within: workspaceId })],
  ['API requests', requests({})],
  ['API requests by code (none)', requests({ clientId, code: 'none' })],
  ['API requests of all workspaces', requests({ workspaceId: null })],
  ['requests counted by code, a week', (db) => countRequests(db, { workspaceId, since: ago(7) })],
  ['webhook deliveries', deliveries({})],
  ['pending webhook deliveries (none)', deliveries({ state: 'pending' })],
  ['webhook deliveries of all workspaces', deliveries({ clientIds: null })],
  ['failed webhook deliveries of all workspaces (none)', deliveries({ clientIds: null, state: 'failed' })],
  ['pending webhook deliveries of all workspaces (none)', deliveries({ clientIds: null, state: 'pending' })],
  ['ledger entries', (db) => listEntries(db, { workspaceId, kinds: [], since: null, until: null, ...page })],
  [
    'ledger entries of a rare kind',
    (db) => listEntries(db, { workspaceId, kinds: ['topUp'], since: null, until: null, ...page }),
  ],
  [
    'ledger entries of a common and a rare kind',
    (db) => listEntries(db, { workspaceId, kinds: ['reservation', 'refund'], since: null, until: null, ...page }),
  ],
  ['OTPs by day, a year', (db) => listCodeDays(db, { workspaceId, ...year })],
  ['OTPs by prefix, a year', (db) => listCodePrefixes(db, { workspaceId, ...year, limit: 200 })],
  ['OTPs of all workspaces by day, a year', (db) => listCodeDays(db, { workspaceId: null, ...year })],
  [
    'OTPs of all workspaces by prefix, a month',
    (db) => listCodePrefixes(db, { workspaceId: null, ...month, limit: 200 }),
  ],
  ['OTPs by workspace, a month', (db) => listCodeWorkspaces(db, { ...month, limit: 200 })],
  ['findings of the fraud guard', (db) => listFindings(db, { workspaceId, ...page })],
  ['a month by client', (db) => listClientSums(db, { workspaceId, ...month })],
  ['usage by day', (db) => listUsage(db, { workspaceId, from: '2000-01-01', to: '2100-01-01' })],
  ['audit entries', (db) => listAuditEntries(db, { workspaceId, action: null, by: null, ...page })],
  ['replies', replies({})],
  ['replies by last digits (none)', replies({ from: { lastDigits: '0000' } })],
  ['replies without a client', replies({ workspaceId: null, unattributed: true })],
  ['clients', (db) => listClients(db, { workspaceId, ...page })],
  ['templates', (db) => listTemplates(db, { workspaceId, status: null, ...page })],
  ['workspaces', (db) => listWorkspaces(db, { ...page, name: null, status: null })],
]

const folder = scratchFolder('hulaki-bench')
const postgres = await openBundledPostgres(folder)
const db = new Db(postgres.connection, { connections: 1, answerMs: 600_000 })
try {
  await migrate(db, now)
  await seed()
  const rows = []
  for (const [what, list] of lists) rows.push({ what, ...(await timed(list)) })
  console.table(rows)
  const slow = rows.filter((row) => row.ms > MAX_MS)
  for (const { what, ms } of slow) console.error(`${what}: ${ms} ms, more than ${MAX_MS}`)
  process.exitCode = slow.length > 0 ? 1 : 0
} finally {
  await db.close()
  await postgres.release()
  rmSync(folder, { recursive: true, force: true })
}

/** The fastest of several runs counts, because other load on the machine slows the others. */
async function timed(list: (db: Queries) => Promise<unknown>) {
  const times: number[] = []
  for (let time = 0; time < TIMES; time += 1) {
    const beganAt = performance.now()
    await list(db)
    times.push(performance.now() - beganAt)
  }
  times.sort((one, other) => one - other)
  const rounded = (at: number) => Math.round((times[at] ?? 0) * 10) / 10
  return { ms: rounded(0), usual: rounded(Math.floor(TIMES / 2)), slowest: rounded(TIMES - 1) }
}

async function newest(queries: Queries, limit: number) {
  return (await messages({ limit })(queries)).rows
}

/** All rows belong to one workspace, so its lists skip no rows of others. */
async function seed(): Promise<void> {
  await db.query(sql`
    insert into workspace (id, name, country, currency, time_zone, plan, status, monthly_credit_e4, transactional_price_e4,
      otp_price_e4, promotional_price_e4, allowed_types, templates_required, balance_e4, period, period_ends_at, created_at,
      updated_at)
    values (${workspaceId}, 'Bench', 'NP', 'NPR', 'Asia/Kathmandu', 'standard', 'active', 0, 1, 1, 1, '{otp}', true, 0,
      '2026-11-01', now(), now(), now())`)
  await db.query(sql`
    insert into client (id, workspace_id, name, brand_name, mode, default_sender, requests_per_second, webhook_secret_sealed, created_at,
      updated_at)
    values (${clientId}, ${workspaceId}, 'Client', 'Bench', 'live', 'Bench', 20, '\\x00', now(), now())`)
  await db.query(sql`
    insert into client_key (id, client_id, slot, hash, prefix, created_at)
    values (uuidv7(), ${clientId}, 1, sha256('x'), 'svc_live_000', now())`)
  await db.query(sql`
    insert into message (id, workspace_id, client_id, to_number, country, sender, text, type, encoding, segments, cost_e4,
      status, rare_status, submissions, submitted_at, sent_at, delivered_at, created_at, updated_at)
    select uuidv7(interval '-7 days' + n * interval '0.6 seconds'), ${workspaceId}::uuid, ${clientId}::uuid,
      '+97798' || lpad((n::bigint * 7919 % 100000000)::text, 8, '0'), 'NP', 'Bench',
      'Dear Asha, your order ' || n || ' has been shipped and arrives on Friday.', 'transactional', 'GSM7', 1, 1,
      case n % 100 when 0 then 'failed' else 'delivered' end, case n % 100 when 0 then 'failed' end, 1, at, at, at, at, at
    from generate_series(1, ${MESSAGES}::int) as n
      cross join lateral (select now() - interval '7 days' + n * interval '0.6 seconds' as at) as time`)
  await db.query(sql`
    insert into message_quarter_hour (workspace_id, quarter_hour, counter_shard, accepted, delivered, failed)
    select workspace_id, date_bin('15 minutes', created_at, 'epoch'), shard, count(*), count(*), 0
    from message cross join generate_series(0, 3) as shard group by 1, 2, 3`)
  await db.query(sql`
    insert into message_day (workspace_id, day, accepted, delivered, undelivered, failed)
    select case number when 0 then ${workspaceId}::uuid else gen_random_uuid() end, date '2026-11-16' - day, 900, 800, 50, 50
    from generate_series(0, 999) as number cross join generate_series(0, 92) as day`)
  await db.query(sql`
    insert into webhook_event (delivery_id, client_id, name, message_id, webhook_status, body, state, created_at, ended_at)
    select id, client_id, 'message.status', id, 'delivered', '{}', 'delivered', created_at, created_at from message`)
  await db.query(sql`
    insert into refused_request (workspace_id, id, client_id, method, route, status, code, milliseconds, at)
    select workspace_id, id, client_id, 'POST', '/api/sms/v1/sms/send', 429, 'rate_limited', 1, created_at from message
    where rare_status is not null`)
  await db.query(sql`
    insert into successful_request (workspace_id, id, client_id, key_hint, method, route, status, milliseconds, is_sampled, at)
    select workspace_id, id, client_id, 'svc_live_000000', 'POST', '/api/sms/v1/sms/send', 200, 1, false, created_at from message
    where rare_status is null`)
  await db.query(sql`
    insert into request_count (workspace_id, hour, method, route, status, code, requests, last_at)
    select ${workspaceId}::uuid, date_trunc('hour', now()) - hour * interval '1 hour', 'POST', 'route ' || route, 400, 'code ' || code, 1, now()
    from generate_series(0, 167) as hour, generate_series(1, 6) as route, generate_series(1, 20) as code`)
  await db.query(sql`
    insert into ledger_entry (workspace_id, id, period, kind, amount_e4, balance_e4, messages, at)
    select workspace_id, id, '2026-11-01', 'reservation', 1, 1, 1, created_at from message where rare_status is not null`)
  await db.query(sql`
    insert into otp_day (workspace_id, day, operator_prefix, stage, codes)
    select ${workspaceId}::uuid, date '2026-11-16' - day, case prefix when 0 then '' else '+9779' || prefix end, stage, 100
    from generate_series(0, 365) as day, generate_series(0, 60) as prefix, unnest(array['sent', 'delivered', 'verified']) as stage`)
  await db.query(sql`
    insert into pumping_finding (id, workspace_id, client_id, scope, rule, reason, strikes, struck_at, held_until, refused, passed)
    select id, workspace_id, client_id, to_number, 'R1', 'many', 1, created_at, created_at, 1, 0 from message
    where rare_status is not null`)
  await db.query(sql`
    insert into usage_day (workspace_id, client_id, day, type, country, messages, segments, cost_e4)
    select ${workspaceId}::uuid, ${clientId}::uuid, date '2026-11-16' - day, type, 'NP', 900, 900, 900
    from generate_series(0, 365) as day, unnest(array['transactional', 'otp', 'promotional']) as type`)
  await db.query(sql`
    insert into audit_entry (id, workspace_id, actor, action, subject, details, at)
    select id, workspace_id, 'operator', 'client.changed', 'x', '{}', created_at from message where rare_status is not null`)
  await db.query(sql`vacuum analyze`)
}
