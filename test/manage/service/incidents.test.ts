// An outage as the operator sees it: the only carrier is dead, the queue fills, OTPs are refused and a receiver fails.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TIME_RANGES } from '../../../src/domain/time-ranges.ts'
import { NIL_UUID } from '../../../src/domain/uuid.ts'
import { sql } from '../../../src/store/database/sql.ts'
import { typist } from '../../cli/typed.ts'
import { addCarrier, addRoute, makeSender } from '../../harness/sending.ts'
import { ownService } from '../../harness/service.ts'
import { startSmsc } from '../../harness/smsc.ts'
import { until } from '../../harness/until.ts'
import { startEndpoint } from '../../webhooks/endpoints.ts'
import { urlOf, WEBHOOK_ENV } from '../../webhooks/webhook-service.ts'

const service = await ownService({ env: WEBHOOK_ENV })

async function now() {
  const { status, body } = await service.manage('GET', '/now')
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

test('during an outage /now and doctor state cause, impact and next step, and history has its minutes', async (t) => {
  const endpoint = await startEndpoint(t, (response) => response.writeHead(500).end('broken'))
  const smsc = await startSmsc()
  const carrierId = await addCarrier(service, smsc.port, { name: 'NTC SMPP' })
  await addRoute(service, carrierId)
  const sender = await makeSender(service, { webhookUrl: urlOf(endpoint) })
  await service.advance(10)
  for (let count = 0; count < 4; count++) assert.equal((await sender.send({ to: `984100000${count}` })).status, 200)
  await service.advance(55)
  const sound = await now()
  const states = sound.incidents.map(({ code, severity }: { code: string; severity: string }) => `${severity} ${code}`)
  assert.deepEqual([sound.verdict, states], ['operational', ['notice endpoint_failing']])
  const [failing] = sound.incidents
  assert.deepEqual([failing.about.id, failing.error], [sender.clientId, 'HTTP 500'])
  assert.deepEqual(failing.next, [
    { kind: 'open_endpoint', clientId: sender.clientId, workspaceId: sender.workspaceId },
  ])
  const [seen] = sound.carriers.filter(({ id }: { id: string }) => id === carrierId)
  assert.deepEqual([seen.segmentsPerMinute.length, seen.deliveryRatio, seen.retryAt], [12, 1, null])
  assert.ok(seen.segmentsPerMinute.some((rate: number) => rate > 0))

  await smsc.close()
  await until(async () => (await now()).verdict === 'outage')
  for (let count = 0; count < 3; count++) await sender.send({ to: `984100001${count}` })
  await service.advance(60)
  assert.equal((await sender.sendCode('9841000020')).status, 503)
  await service.advance(60)
  const outage = await until(async () => {
    const { incidents, verdict } = await now()
    const [incident] = incidents
    // A reconnection happens in real time.
    await service.settle()
    return (
      incident.error === 'ECONNREFUSED' && incident.retryAt !== null && incident.impact.refused && { incident, verdict }
    )
  })
  const { incident, verdict } = outage
  assert.deepEqual([verdict, incident.id, incident.severity], ['outage', `carrier_down:${carrierId}`, 'outage'])
  assert.deepEqual([incident.error, incident.connections], ['ECONNREFUSED', { bound: 0, total: 1 }])
  assert.ok(incident.since)
  const [lost] = incident.reaches.lost
  assert.deepEqual([lost.countryCode, lost.isWholeCountry, lost.isOnlyCarrier], ['NP', true, true])
  const { waiting, refused, workspaces } = incident.impact
  assert.deepEqual([waiting.messages, waiting.isEstimate], [3, false])
  const lifetimeMs = new Date(waiting.firstExpiresAt).getTime() - service.clock.now().getTime()
  assert.ok(Math.abs(lifetimeMs - 48 * 3_600_000) < 180_000, waiting.firstExpiresAt)
  assert.deepEqual(refused.codes, [{ code: 'unavailable', requests: 1 }])
  assert.deepEqual([workspaces.count, workspaces.first.length], [1, 1])
  assert.deepEqual(
    incident.next.map(({ kind }: { kind: string }) => kind),
    ['test_carrier', 'add_route', 'open_carrier'],
  )
  const { findings } = await now()
  assert.ok(!findings.some(({ code }: { code: string }) => code === 'country_served'), 'a route alone does not serve')

  const type = typist(service.url, { now: () => service.clock.now() })
  const examined = await type('doctor')
  assert.equal(examined.code, 1)
  assert.match(
    examined.out,
    /^FAIL {2}Nepal cannot be reached: its only carrier NTC SMPP is down since \d\d:\d\d UTC \(ECONNREFUSED\)\. 3 messages wait, the first expires at .*\. 1 request was refused \(unavailable\) since .* OTPs to these numbers are rejected\. Next: test the carrier \(hulaki carrier test /m,
  )
  assert.match((await type('service', 'now')).out, /^outage {4}Nepal cannot be reached/m)

  const { items, stepSeconds } = (await service.manage('GET', '/now/history')).body
  assert.equal(stepSeconds, 60)
  const last = items.at(-1)
  assert.deepEqual([last.waiting.transactional, last.oldestSeconds.transactional >= 60], [3, true])
  assert.ok(
    items.some(
      ({ accepted, sent, delivered }: Record<string, number>) => accepted === 4 && sent === 4 && delivered === 4,
    ),
  )
  assert.match((await type('service', 'history', '--range', '24h')).out, /^AT +ACCEPTED +SENT/i)
})

test('history has at most 200 points per range, and one row per minute', async () => {
  await service.db.query(sql`
    insert into service_minute select at, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0
    from generate_series(${service.clock.now()}::timestamptz - interval '91 days', ${service.clock.now()}::timestamptz - interval '1 hour', interval '1 minute') as minute (at)
    on conflict do nothing`)
  for (const range of TIME_RANGES) {
    const { items } = (await service.manage('GET', `/now/history?range=${range}`)).body
    assert.ok(items.length <= 200, `${range} has ${items.length} points`)
    if (range !== '1h') assert.ok(items.length > 100, `${range} has only ${items.length} points`)
  }
  await service.settle()
  await service.settle()
  const [count] = await service.db.query<{ rows: number }>(sql`select count(*)::int as rows from service_minute`)
  assert.ok((count?.rows ?? 0) < 135_000)
})

test('the impact of a long queue is an estimate that reads a bounded number of rows', async () => {
  const { clientId, workspaceId } = await makeSender(service)
  await service.db.query(sql`
    insert into delivery_queue (first_message_id, message_ids, destination, priority, due_at, avoid_carrier_id, workspace_id, client_id)
    select id, array[id], 'NP', 1, ${service.clock.now()}::timestamptz, ${NIL_UUID}::uuid, ${workspaceId}, ${clientId}
    from generate_series(1, 120000) as n cross join lateral (select gen_random_uuid() as id where n > 0) as made`)
  await service.db.query(sql`analyze delivery_queue`)
  const fetched = async () => {
    await Promise.all(
      Array.from({ length: 20 }, () => service.ports.db.query(sql`select pg_stat_force_next_flush(), pg_sleep(0.05)`)),
    )
    const [row] = await service.db.query<{ rows: number }>(sql`
      select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows from pg_stat_user_tables where relname = 'delivery_queue'`)
    return row?.rows ?? 0
  }
  const before = await fetched()
  const [incident] = (await now()).incidents
  const { waiting } = incident.impact
  assert.equal(waiting.isEstimate, true)
  assert.ok(Math.abs(waiting.messages - 120_000) < 15_000, `${waiting.messages} is not about 120000`)
  const read = (await fetched()) - before
  assert.ok(read < 60_000, `one request read ${read} rows`)
  await service.db.query(sql`delete from delivery_queue`)
})
