// The chart of a workspace: statuses by hour, from sums that are not computed at reading.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../../src/store/database/sql.ts'
import { makeClient } from '../../harness/client.ts'
import { addCarrier, addRoute, makeSender } from '../../harness/sending.ts'
import { ownService } from '../../harness/service.ts'
import { startSmsc } from '../../harness/smsc.ts'

// It starts at 09:45 in Kathmandu.
const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,upkeep' } })
const smsc = await startSmsc()
const sender = await makeSender(service)
await addRoute(service, await addCarrier(service, smsc.port))
const path = `/workspaces/${sender.workspaceId}/messages/by-hour`

const hours = async (query = '') => (await service.manage('GET', `${path}${query}`)).body
const last = async () => {
  const { startsAt: _, ...counts } = (await hours()).items.at(-1)
  return counts
}

test('returns the last 24 hours in the time zone of the workspace by status, without test messages', async () => {
  const none = { delivered: 0, underWay: 0, undelivered: 0, failed: 0 }
  const empty = await hours()
  assert.equal(empty.timeZone, 'Asia/Kathmandu')
  assert.equal(empty.items.length, 24)
  assert.deepEqual(empty.items.at(-1), { startsAt: '2026-11-16T03:15:00.000Z', ...none })
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

test('counts a message in the hour of its acceptance, also if it ends in another', async () => {
  smsc.plan = () => ({})
  await sender.send({ to: '9841000007' })
  await service.settle()
  const before = await last()
  await service.advance(2 * 3600)
  assert.deepEqual(await last(), { delivered: 0, underWay: 0, undelivered: 0, failed: 0 })
  await service.advance(80 * 3600)
  const week = (await hours('?hours=168')).items
  assert.equal(week.length, 168)
  const { startsAt, ...then } = week.at(-83)
  assert.equal(startsAt, '2026-11-16T03:15:00.000Z')
  assert.equal(then.undelivered, before.undelivered + before.underWay)
  assert.equal(then.underWay, 0)
})

test('has sums that equal the messages, and deletes them after a week', async () => {
  const [sums] = await service.db.query(sql`
    select sum(accepted)::int as accepted, sum(delivered)::int as delivered, sum(undelivered)::int as undelivered,
      sum(failed)::int as failed from message_quarter_hour where workspace_id = ${sender.workspaceId}`)
  const [counted] = await service.db.query(sql`
    select count(*)::int as accepted, (count(*) filter (where status = 'delivered'))::int as delivered,
      (count(*) filter (where status = 'undelivered'))::int as undelivered,
      (count(*) filter (where status in ('failed', 'rejected')))::int as failed
    from message where workspace_id = ${sender.workspaceId} and status <> 'test'`)
  assert.deepEqual(sums, counted)
  await service.advance(8 * 86_400)
  assert.deepEqual(await service.db.query(sql`select from message_quarter_hour`), [])
})
