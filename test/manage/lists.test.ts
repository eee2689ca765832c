// Lists have a bounded cost (D43): a page reads a bounded number of rows with any filter, and concurrent lists of an owner delay only that owner.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NIL_UUID } from '../../src/domain/uuid.ts'
import { lowestIdOf } from '../../src/runtime/ids.ts'
import {
  findLatestCodeDay,
  listCodeDays,
  listCodePrefixes,
  listCodeWorkspaces,
} from '../../src/store/codes/code-days.ts'
import type { Tx } from '../../src/store/database/db.ts'
import { fragment, sql } from '../../src/store/database/sql.ts'
import { listQuarters } from '../../src/store/messages/message-counts.ts'
import { listMessages } from '../../src/store/messages/messages.ts'
import { listDeliveries } from '../../src/store/webhooks/webhook-deliveries.ts'
import { makeClient, makeOwner, makeWorkspace } from '../harness/client.ts'
import { hold } from '../harness/hold-workspace.ts'
import { assertRefused } from '../harness/refused.ts'
import { query } from '../harness/server.ts'
import { sharedService } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const service = await sharedService()
const { manage, db } = service
const client = await makeClient(service)
const { workspaceId } = client
const neighbour = await makeClient(service)
const owner = await makeOwner(service, workspaceId)
const MESSAGES = 120_000
const MAX_ROWS_SCANNED = 10_000

/** Every second message is of another workspace. All are delivered, except the first of each hundred and the first four. */
await query(
  service.address,
  `insert into message (id, workspace_id, client_id, to_number, country, sender, text, type, encoding, segments, cost_e4,
     status, rare_status, created_at, updated_at)
   select ('0199a000-' || lpad(to_hex(n / 4096), 4, '0') || '-7' || lpad(to_hex(n % 4096), 3, '0') || '-8000-000000000000')::uuid,
     case n % 2 when 0 then '${workspaceId}' else '${neighbour.workspaceId}' end::uuid,
     case n % 2 when 0 then '${client.id}' else '${neighbour.id}' end::uuid,
     '+9779800000000', 'NP', 'Shop', 'Hello', case when n < 4 then 'otp' else 'transactional' end, 'GSM7', 1, 100,
     status, case status when 'failed' then 'failed' when 'rejected' then 'rejected' end,
     '2025-10-01T00:00:00Z', '2025-10-01T00:00:00Z'
   from (
     select n, case when n < 4 then 'rejected' when n % 100 < 2 then 'failed' else 'delivered' end as status
     from generate_series(0, ${MESSAGES - 1}) as n
   ) as made`,
)
await query(
  service.address,
  `insert into webhook_event (delivery_id, client_id, name, message_id, webhook_status, body, state, created_at, ended_at)
   select id, client_id, 'message.status', id, 'delivered', '{}', 'delivered', created_at, created_at from message`,
)
await query(service.address, 'vacuum analyze message, webhook_event')

/** A table with its partitions, which have the statistics. */
const withPartitions = (table: string) => fragment`
  (select ${table}::regclass as relid union select relid from pg_partition_tree(${table}::regclass)) as counted`

/** Rows that statements read of a table and its indexes, by the statistics of the server. */
async function rowsRead(table: string, read: (tx: Tx) => Promise<unknown>): Promise<number> {
  const count = async (tx: Tx) => {
    const [row] = await tx.query<{ read: number }>(sql`
      select sum(pg_stat_get_xact_tuples_returned(relid) + pg_stat_get_xact_tuples_fetched(relid)
        + (select coalesce(sum(pg_stat_get_xact_tuples_returned(indexrelid)), 0) from pg_index where indrelid = relid)) as read
      from ${withPartitions(table)}`)
    return Number(row?.read)
  }
  return db.transaction(async (tx) => {
    const before = await count(tx)
    await read(tx)
    return (await count(tx)) - before
  })
}

const everything = {
  workspaceId,
  clientId: null,
  statuses: [],
  type: null,
  country: null,
  carrier: null,
  to: null,
  since: null,
  until: null,
  search: null,
}
const page = { before: null, limit: 51 }

const filters: [what: string, filter: Partial<Parameters<typeof listMessages>[1]>, most: number][] = [
  // By an index only: little more than the page.
  ['nothing', {}, 200],
  ['dates', { since: new Date('2025-01-01'), until: new Date('2027-01-01') }, 200],
  ['a rare status', { statuses: ['failed'] }, 200],
  ['another one, of which there are few', { statuses: ['rejected'] }, 200],
  ['one that no message has', { statuses: ['undelivered'] }, 200],
  ['several rare ones', { statuses: ['failed', 'undelivered', 'rejected', 'test'] }, 400],
  // Row by row: an index entry and a row each.
  ['a status that is not rare', { statuses: ['queued'] }, 4 * MAX_ROWS_SCANNED],
  ['rare ones among others', { statuses: ['rejected', 'sent'] }, 4 * MAX_ROWS_SCANNED],
  ['a type', { type: 'otp' }, 4 * MAX_ROWS_SCANNED],
  ['a client', { clientId: neighbour.id }, 4 * MAX_ROWS_SCANNED],
  ['a type of a rare status', { type: 'promotional', statuses: ['failed', 'rejected'] }, 4 * MAX_ROWS_SCANNED],
  ['a country', { country: 'IN' }, 4 * MAX_ROWS_SCANNED],
  [
    'a carrier',
    { carrier: { id: NIL_UUID, places: [{ destination: 'NP', avoidCarrierId: null, priority: 0 }] } },
    4 * MAX_ROWS_SCANNED,
  ],
  ['a number', { to: '+9779800000000', type: 'otp' }, 4 * MAX_ROWS_SCANNED],
  ['a number and rare statuses', { to: '+9779800000000', statuses: ['rejected'] }, 4 * MAX_ROWS_SCANNED],
  ['a number nobody has', { to: '+9779811111111' }, 100],
  ['the end of a number', { search: { by: 'parts', digits: '0001', idEnd: null, words: [] } }, 4 * MAX_ROWS_SCANNED],
  [
    'words of the text',
    { search: { by: 'parts', digits: null, idEnd: null, words: ['no', 'such'] } },
    4 * MAX_ROWS_SCANNED,
  ],
  ['a whole number that is searched for', { search: { by: 'number', e164: '+9779811111111' } }, 100],
  [
    'the beginning of an id',
    {
      search: {
        by: 'ids',
        from: '0199a000-0000-0000-0000-000000000000',
        to: '0199a000-ffff-ffff-ffff-ffffffffffff',
      },
    },
    200,
  ],
  [
    'all at once',
    { clientId: client.id, type: 'otp', statuses: ['queued'], to: '+9779800000000' },
    4 * MAX_ROWS_SCANNED,
  ],
]
for (const [what, filter, most] of filters) {
  test(`reads a bounded number of rows for messages filtered by ${what} (D43)`, async () => {
    const read = await rowsRead('message', (tx) => listMessages(tx, { ...everything, ...page, ...filter }))
    assert(read <= most, `${read} rows were read`)
  })
}

for (const [what, filter, most] of filters) {
  test(`reads a bounded number of rows for messages of all workspaces filtered by ${what} (D43)`, async () => {
    const all = { ...everything, workspaceId: null }
    const read = await rowsRead('message', (tx) => listMessages(tx, { ...all, ...page, ...filter }))
    assert(read <= most, `${read} rows were read`)
  })
}

const deliveryFilters: [what: string, filter: Partial<Parameters<typeof listDeliveries>[1]>][] = [
  ['nothing', {}],
  ['state pending', { state: 'pending' }],
  ['state failed', { state: 'failed' }],
  ['event', { event: 'message.inbound' }],
  ['time', { since: new Date('2026-01-01'), until: new Date('2027-01-01') }],
  ['message', { messageId: lowestIdOf(new Date(0)) }],
]
for (const [what, filter] of deliveryFilters) {
  test(`reads a bounded number of rows for webhook deliveries of several clients filtered by ${what} (D43)`, async () => {
    const all = {
      clientIds: [client.id, neighbour.id],
      state: null,
      event: null,
      messageId: null,
      since: null,
      until: null,
    }
    const read = await rowsRead('webhook_event', (tx) => listDeliveries(tx, { ...all, ...page, ...filter }))
    assert(read <= 4 * MAX_ROWS_SCANNED, `${read} rows were read`)
  })
}

for (const [what, filter] of deliveryFilters) {
  test(`reads a bounded number of rows for webhook deliveries of all workspaces filtered by ${what} (D43)`, async () => {
    const all = { clientIds: null, state: null, event: null, messageId: null, since: null, until: null }
    const read = await rowsRead('webhook_event', (tx) => listDeliveries(tx, { ...all, ...page, ...filter }))
    const isScan = filter.state === 'pending' || filter.event !== undefined
    assert(read <= (isScan ? 4 * MAX_ROWS_SCANNED : 400), `${read} rows were read`)
  })
}

test('reads a bounded number of rows for OTP statistics of all workspaces, and returns the latest complete days (D43)', async () => {
  const MAX_ROWS = 100_000
  const [workspaces, days] = [3_000, 40]
  await query(
    service.address,
    `insert into otp_day (workspace_id, day, operator_prefix, stage, codes)
     select ('0199a000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, date '2026-10-01' - day, prefix, stage, 1
     from generate_series(1, ${workspaces}) n, generate_series(0, ${days - 1}) day, unnest(array['', '+9779']) prefix,
       unnest(array['sent', 'verified']) stage`,
  )
  await query(service.address, 'vacuum analyze otp_day')
  const range = { workspaceId: null, from: '2026-08-01', to: '2026-10-01' }
  const sinces: (string | null)[] = []
  const readOf = (list: (tx: Tx) => Promise<{ since: string | null }>) =>
    rowsRead('otp_day', async (tx) => sinces.push((await list(tx)).since))
  const byDay = await readOf((tx) => listCodeDays(tx, range))
  const byPrefix = await readOf((tx) => listCodePrefixes(tx, { ...range, limit: 200 }))
  const byWorkspace = await readOf((tx) => listCodeWorkspaces(tx, { from: range.from, to: range.to, limit: 200 }))
  // 16 whole days have 96 000 rows; the day before is not complete. The workspaces of these rows do not exist.
  assert.deepEqual(sinces, ['2026-09-16', '2026-09-16', null])
  // An index entry and a row each; the rows of all prefixes share an index with the sums of the days.
  assert(byDay <= 3 * MAX_ROWS && byWorkspace <= 3 * MAX_ROWS, `${byDay} and ${byWorkspace} rows were read`)
  assert(byPrefix <= 5 * MAX_ROWS, `${byPrefix} rows were read`)
  assert((await rowsRead('otp_day', findLatestCodeDay)) <= 10)
})

test('reads a bounded number of rows for messages of all workspaces over time, and returns the latest complete ones (D43)', async () => {
  await query(
    service.address,
    `insert into message_quarter_hour (workspace_id, quarter_hour, counter_shard, accepted)
     select ('0199a000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, timestamptz '2026-10-01T00:00Z' + quarter * interval '15 minutes', 0, 1
     from generate_series(1, 3000) n, generate_series(0, 49) quarter`,
  )
  await query(service.address, 'vacuum analyze message_quarter_hour')
  let found: Awaited<ReturnType<typeof listQuarters>> | undefined
  const read = await rowsRead('message_quarter_hour', async (tx) => {
    found = await listQuarters(tx, { workspaceId: null, since: new Date('2026-10-01T00:00Z') })
  })
  // 33 quarter hours have 99 000 rows. The later ones are of messages of other tests.
  const ofDay = found?.counts.filter(({ quarter }) => quarter < new Date('2026-10-02T00:00Z'))
  assert.deepEqual([found?.completeSince, ofDay?.length], [new Date('2026-10-01T04:15Z'), 33])
  assert(read <= 3 * 100_000, `${read} rows were read`)
})

/** All items of a list, page by page. */
async function walk(path: string, token?: string) {
  const found: string[] = []
  let pages = 0
  for (let cursor = ''; ; pages += 1) {
    const { status, body } = await manage('GET', `${path}${cursor}`, undefined, token)
    assert.equal(status, 200, JSON.stringify(body))
    found.push(...body.items.map((it: { id: string }) => it.id))
    if (body.next === null) return { found, pages }
    cursor = `&cursor=${body.next}`
  }
}

async function idsOf(condition: string) {
  const rows = await query(service.address, `select id from message where ${condition} order by id desc`)
  return rows.map((row) => row.id)
}

test('returns every message of all workspaces once over all pages (D43)', async () => {
  const otp = await walk('/messages?limit=200&type=otp')
  assert.deepEqual(otp.found, await idsOf(`type = 'otp'`))
  assert(otp.pages >= MESSAGES / MAX_ROWS_SCANNED - 1, `${otp.pages} pages`)
  const rare = await walk('/messages?limit=200&status=failed&status=rejected')
  assert.deepEqual(rare.found, await idsOf(`status in ('failed', 'rejected')`))
  const own = await walk(`/messages?limit=200&status=failed&workspace=${workspaceId}`)
  assert.deepEqual(own.found, await idsOf(`status = 'failed' and workspace_id = '${workspaceId}'`))
  const inbound = await walk('/webhook-deliveries?limit=200&event=message.inbound')
  assert.deepEqual([inbound.found, inbound.pages >= MESSAGES / MAX_ROWS_SCANNED - 1], [[], true])
})

test('returns every message once over all pages, even if a page is short or empty (D43)', async () => {
  const path = `/workspaces/${workspaceId}/messages?limit=200`
  const walkOwn = (filter: string) => walk(`${path}&${filter}`, owner.token)
  const idsOfOwn = (condition: string) => idsOf(`workspace_id = '${workspaceId}' and ${condition}`)
  const otp = await walkOwn('type=otp')
  assert.deepEqual(otp.found, await idsOfOwn(`type = 'otp'`))
  assert(otp.pages >= MESSAGES / 2 / MAX_ROWS_SCANNED - 1, `${otp.pages} pages`)
  const rare = await walkOwn('status=failed&status=rejected')
  assert.deepEqual(rare.found, await idsOfOwn(`status in ('failed', 'rejected')`))
  const mixed = await walkOwn('status=rejected&status=queued&to=%2B9779800000000')
  assert.deepEqual(mixed.found, await idsOfOwn(`status = 'rejected'`))
  assertRefused(await manage('GET', `${path}&status=failed&status=lost`), 400, 'invalid_request')
})

test('does not touch an index of messages when a status changes to a common one', async () => {
  const hot = await db.transaction(async (tx) => {
    await tx.query(sql`update message set status = 'sent', rare_status = null where id = (
      select id from message where status = 'delivered' limit 1)`)
    const [row] = await tx.query<{ hot: number }>(sql`
      select sum(pg_stat_get_xact_tuples_hot_updated(relid))::int as hot from ${withPartitions('message')}`)
    return Number(row?.hot)
  })
  assert.equal(hot, 1)
})

test('serves 50 concurrent lists of an owner one at a time, queues 20, refuses the rest, and answers the operator immediately (D43)', async () => {
  // Makes every list of messages slow.
  const release = await hold(service, sql`lock table message in access exclusive mode`)
  const path = `/workspaces/${workspaceId}/messages`
  const answers: { status: number }[] = []
  const lists = Array.from({ length: 50 }, async () => {
    const answer = await manage('GET', path, undefined, owner.token)
    answers.push(answer)
    return answer
  })
  await until(() => answers.length === 29)
  for (const answer of answers) assert.equal(answer.status, 429)
  // Neither the operator nor another owner waits.
  const other = await makeOwner(service, neighbour.workspaceId)
  assert.equal((await manage('GET', `/workspaces/${workspaceId}`)).status, 200)
  assert.equal((await manage('GET', `/clients/${neighbour.id}`, undefined, other.token)).status, 200)
  assert.equal(answers.length, 29)
  await release()
  const all = await Promise.all(lists)
  assert.equal(all.filter((it) => it.status === 200).length, 21)
  const refused = all.find((it) => it.status === 429)
  assert(refused)
  assertRefused(refused, 429, 'rate_limited')
  assert.equal((await manage('GET', path, undefined, owner.token)).status, 200)
  assert.equal((await manage('HEAD', path, undefined, owner.token)).status, 200)
})

test('limits usage to one year per request (D43)', async () => {
  const usage = (days: string) => manage('GET', `/workspaces/${workspaceId}/usage?${days}`)
  assert.equal((await usage('from=2025-11-16&to=2026-11-16')).status, 200)
  assertRefused(await usage('from=2025-11-15&to=2026-11-16'), 400, 'invalid_request', ['from'])
})

test('lists replies by a client of the workspace, and none for the client of another', async () => {
  const own = await makeWorkspace(service)
  const carrierId = lowestIdOf(new Date(0))
  await query(
    service.address,
    `insert into inbound_message (id, carrier_id, workspace_id, client_id, from_number, to_address, text, received_at)
     values ('${lowestIdOf(service.clock.now())}', '${carrierId}', '${workspaceId}', '${client.id}', '+9779800000000', 'Shop', 'YES', now())`,
  )
  const list = async (id: string) =>
    (await manage('GET', `/workspaces/${id}/inbound?client=${client.id}`)).body.items.length
  assert.deepEqual([await list(workspaceId), await list(own)], [1, 0])
})
