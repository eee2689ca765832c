// The chart of a workspace: statuses over time, from sums that are not computed at reading.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../../src/store/database/sql.ts'
import { makeClient } from '../../harness/client.ts'
import { assertRefused } from '../../harness/refused.ts'
import { addCarrier, addRoute, makeSender } from '../../harness/sending.ts'
import { ownService } from '../../harness/service.ts'
import { startSmsc } from '../../harness/smsc.ts'

// It starts at 09:45 in Kathmandu.
const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,upkeep' } })
const smsc = await startSmsc()
const sender = await makeSender(service)
await addRoute(service, await addCarrier(service, smsc.port))
const path = `/workspaces/${sender.workspaceId}/messages/history`

const history = async (range = '24h') => (await service.manage('GET', `${path}?range=${range}`)).body
const last = async () => {
  const { startsAt: _, endsAt: __, ...counts } = (await history()).items.at(-1)
  return counts
}

test('returns the last 24 hours in the time zone of the workspace by status, without test messages', async () => {
  const none = { delivered: 0, underWay: 0, undelivered: 0, failed: 0 }
  const { body: empty } = await service.manage('GET', path)
  assert.equal(empty.timeZone, 'Asia/Kathmandu')
  assert.equal(empty.items.length, 24)
  assert.deepEqual(empty.items.at(-1), {
    startsAt: '2026-11-16T03:15:00.000Z',
    endsAt: '2026-11-16T04:15:00.000Z',
    ...none,
  })
  smsc.plan = () => ({})
  await sender.send({ to: '9841000001' })
  await service.settle()
  assert.deepEqual(await last(), { ...none, underWay: 1 })
  const reports: Record<string, string> = { 2: 'DELIVRD', 3: 'DELIVRD', 4: 'UNDELIV', 5: 'REJECTD' }
  smsc.plan = ({ to }) => {
    const report = reports[to.slice(-1)]
    return report ? { report } : { status: 0x0b }
  }
  await sender.sendCode('9841000003')
  for (const end of [2, 4, 5, 6]) await sender.send({ to: `984100000${end}` })
  await service.settle()
  await (await makeClient(service, { workspaceId: sender.workspaceId, mode: 'test' })).send()
  assert.deepEqual(await last(), { delivered: 2, underWay: 1, undelivered: 1, failed: 2 })
})

test('counts the messages of all workspaces for the operator, in steps of a time zone', async () => {
  const other = await makeClient(service)
  const all = async (query = '') => (await service.manage('GET', `/messages/history${query}`)).body
  const sumOf = ({ delivered, underWay, undelivered, failed }: Record<string, number>) =>
    Number(delivered) + Number(underWay) + Number(undelivered) + Number(failed)
  const before = (await all()).items.at(-1)
  await other.send({ to: '9841000009' })
  const { items, timeZone } = await all()
  assert.deepEqual([items.length, timeZone, items.at(-1).startsAt], [24, 'UTC', '2026-11-16T04:00:00.000Z'])
  assert.equal(sumOf(items.at(-1)), sumOf(before) + 1)
  const nepal = await all('?range=6h&timeZone=Asia/Kathmandu')
  assert.deepEqual([nepal.items.length, nepal.items.at(-1).startsAt], [24, '2026-11-16T04:00:00.000Z'])
  assertRefused(await service.manage('GET', '/messages/history?timeZone=Moon'), 400, 'invalid_request', ['timeZone'])
})

test('counts a message in the hour of its acceptance, also if it ends in another', async () => {
  smsc.plan = () => ({})
  await sender.send({ to: '9841000007' })
  await service.settle()
  const before = await last()
  await service.advance(2 * 3600)
  assert.deepEqual(await last(), { delivered: 0, underWay: 0, undelivered: 0, failed: 0 })
  await service.advance(80 * 3600)
  const week = (await history('7d')).items
  assert.equal(week.length, 28)
  const { startsAt, ...then } = week.find(({ endsAt }: { endsAt: string }) => endsAt > '2026-11-16T04')
  assert.equal(startsAt, '2026-11-16T00:15:00.000Z')
  assert.equal(then.undelivered, before.undelivered + before.underWay)
  assert.equal(then.underWay, 0)
})

test('has sums that equal the messages, moves them to days after a week, and deletes them after three months (D76)', async () => {
  const sums = sql`
    select sum(accepted)::int as accepted, sum(delivered)::int as delivered, sum(undelivered)::int as undelivered,
      sum(failed)::int as failed from message_quarter_hour where workspace_id = ${sender.workspaceId}`
  const [counted] = await service.db.query(sql`
    select count(*)::int as accepted, (count(*) filter (where status = 'delivered'))::int as delivered,
      (count(*) filter (where status = 'undelivered'))::int as undelivered,
      (count(*) filter (where status in ('failed', 'rejected')))::int as failed
    from message where workspace_id = ${sender.workspaceId} and status <> 'test'`)
  assert.deepEqual((await service.db.query(sums))[0], counted)
  const shown = async (range: string, day: string) => {
    const { items } = await history(range)
    return items.find(({ startsAt, endsAt }: Record<string, string>) => String(startsAt) <= day && day < String(endsAt))
  }
  const before = await shown('30d', '2026-11-16T04:00:00.000Z')
  assert.equal(before.startsAt, '2026-11-15T18:15:00.000Z')
  assert.equal(before.delivered + before.undelivered + before.failed, Object(counted).accepted)
  await service.advance(8 * 86_400)
  assert.deepEqual(await service.db.query(sql`select from message_quarter_hour`), [])
  assert.deepEqual(await shown('30d', before.startsAt), before)
  const { body: all } = await service.manage('GET', '/messages/history?range=90d')
  const ofService = all.items.find(({ startsAt }: Record<string, string>) => startsAt === '2026-11-16T00:00:00.000Z')
  // With the message of another workspace.
  assert.equal(ofService.delivered + ofService.undelivered + ofService.failed, Object(counted).accepted + 1)
  // A count that comes late is added.
  await service.db.query(sql`
    insert into message_quarter_hour (workspace_id, quarter_hour, counter_shard, accepted, delivered)
    values (${sender.workspaceId}, '2026-11-16T03:15Z', 0, 5, 5)`)
  await service.advance(60)
  assert.equal((await shown('90d', before.startsAt)).delivered, before.delivered + 5)
  await service.db.query(sql`update message_day set day = day - 92`)
  await service.advance(60)
  assert.deepEqual(await service.db.query(sql`select from message_day`), [])
})
