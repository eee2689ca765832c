// Lists have a bounded cost (D43): a page reads a bounded number of rows with any filter, and concurrent lists of an owner delay only that owner.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { lowestIdOf } from '../../src/runtime/ids.ts'
import type { Tx } from '../../src/store/database/db.ts'
import { sql } from '../../src/store/database/sql.ts'
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

/** Rows that statements read of a table and its indexes, by the statistics of the server. */
async function rowsRead(table: string, read: (tx: Tx) => Promise<unknown>): Promise<number> {
  const count = async (tx: Tx) => {
    const [row] = await tx.query<{ read: number }>(sql`
      select pg_stat_get_xact_tuples_returned(${table}::regclass) + pg_stat_get_xact_tuples_fetched(${table}::regclass)
        + (select sum(pg_stat_get_xact_tuples_returned(indexrelid)) from pg_index where indrelid = ${table}::regclass) as read`)
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

test('returns every message once over all pages, even if a page is short or empty (D43)', async () => {
  const path = `/workspaces/${workspaceId}/messages?limit=200`
  const walk = async (filter: string) => {
    const found: string[] = []
    let pages = 0
    for (let cursor = ''; ; pages += 1) {
      const { status, body } = await manage('GET', `${path}&${filter}${cursor}`, undefined, owner.token)
      assert.equal(status, 200, JSON.stringify(body))
      found.push(...body.items.map((it: { id: string }) => it.id))
      if (body.next === null) return { found, pages }
      cursor = `&cursor=${body.next}`
    }
  }
  const idsOf = async (condition: string) => {
    const rows = await query(
      service.address,
      `select id from message where workspace_id = '${workspaceId}' and ${condition} order by id desc`,
    )
    return rows.map((row) => row.id)
  }
  const otp = await walk('type=otp')
  assert.deepEqual(otp.found, await idsOf(`type = 'otp'`))
  assert(otp.pages >= MESSAGES / 2 / MAX_ROWS_SCANNED - 1, `${otp.pages} pages`)
  const rare = await walk('status=failed&status=rejected')
  assert.deepEqual(rare.found, await idsOf(`status in ('failed', 'rejected')`))
  const mixed = await walk('status=rejected&status=queued&to=%2B9779800000000')
  assert.deepEqual(mixed.found, await idsOf(`status = 'rejected'`))
  assertRefused(await manage('GET', `${path}&status=failed&status=lost`), 400, 'invalid_request')
})

test('does not touch an index of messages when a status changes to a common one', async () => {
  const hot = await db.transaction(async (tx) => {
    await tx.query(sql`update message set status = 'sent', rare_status = null where id = (
      select id from message where status = 'delivered' limit 1)`)
    const [row] = await tx.query<{ hot: number }>(sql`
      select pg_stat_get_xact_tuples_hot_updated('message'::regclass) as hot`)
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
     values ('${randomUUID()}', '${carrierId}', '${workspaceId}', '${client.id}', '+9779800000000', 'Shop', 'YES', now())`,
  )
  const list = async (id: string) =>
    (await manage('GET', `/workspaces/${id}/inbound?client=${client.id}`)).body.items.length
  assert.deepEqual([await list(workspaceId), await list(own)], [1, 0])
})
