// The service status: queue, throughput and issues.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NIL_UUID } from '../../../src/domain/uuid.ts'
import { sql } from '../../../src/store/database/sql.ts'
import { makeClient } from '../../harness/client.ts'
import { addCarrierElsewhere, makeSender } from '../../harness/sending.ts'
import { ownService, type TestService } from '../../harness/service.ts'

async function now({ manage }: TestService) {
  const { status, body } = await manage('GET', '/now')
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

/** Inserts queued messages without acceptance. */
async function fill({ db, ports }: TestService, priority: number, count: number): Promise<void> {
  const { clientId, workspaceId } = await makeSender(service)
  await db.query(sql`
    insert into delivery_queue (first_message_id, message_ids, destination, priority, due_at, avoid_carrier_id, workspace_id, client_id)
    select id, array[id], 'NP', ${priority}, ${ports.clock.now()}::timestamptz - n * interval '1 millisecond',
      ${NIL_UUID}::uuid, ${workspaceId}, ${clientId}
    from generate_series(1, ${count}::int) as n cross join lateral (select gen_random_uuid() as id where n > 0) as made`)
}

const service = await ownService({ env: { HULAKI_ROLES: 'api' } })

test('lists the empty lanes of a new service in order of priority (D16)', async () => {
  const { lanes, rates, processes, unmatchedReceipts, failedWebhooks, simulator, smsEnabled } = await now(service)
  const empty = { waiting: 0, isEstimate: false, oldestDueAt: null }
  assert.deepEqual(lanes, [
    { lane: 'otp', ...empty },
    { lane: 'transactional', ...empty },
    { lane: 'promotional', ...empty },
  ])
  assert.deepEqual(rates, { accepted: 0, segmentsAccepted: 0, segmentsRejected: 0, delivered: 0, undelivered: 0 })
  assert.deepEqual([processes, smsEnabled], [0, true])
  assert.deepEqual(
    [unmatchedReceipts, failedWebhooks],
    [
      { count: 0, latest: [] },
      { count: 0, latest: [] },
    ],
  )
  assert.deepEqual(simulator, { runs: false, carrierId: null, serves: 'none' })
})

test('counts the queue by lane, with the oldest due message and the rate of acceptance', async () => {
  await addCarrierElsewhere(service)
  const sender = await makeSender(service)
  const sentAt = service.clock.now().toISOString()
  await sender.send({ to: '+9779841000001' })
  await service.advance(30)
  await sender.send({ to: '+9779841000002' })
  await sender.sendCode('+9779841000003')
  await sender.send({ to: '+9779841000004', type: 'promotional' })
  // D16: deferred messages are not due.
  await service.db.query(sql`update delivery_queue set due_at = due_at + interval '1 day' where priority = 2`)
  const { lanes, rates } = await now(service)
  const [otp, transactional, promotional] = lanes
  assert.deepEqual([otp.waiting, transactional.waiting, promotional.waiting], [1, 2, 1])
  assert.equal(transactional.oldestDueAt, sentAt)
  assert.equal(promotional.oldestDueAt, null)
  assert.equal(rates.accepted, Math.round((4 / 60) * 100) / 100)
  await service.db.query(sql`delete from delivery_queue`)
})

test('estimates a long lane within a few per cent, and counts a short lane exactly', async () => {
  await fill(service, 1, 20_000)
  await fill(service, 0, 12)
  const { lanes } = await now(service)
  const [otp, transactional] = lanes
  assert.deepEqual([otp.waiting, otp.isEstimate], [12, false])
  assert.equal(transactional.isEstimate, true)
  assert.ok(Math.abs(transactional.waiting - 20_000) < 2_000, `${transactional.waiting} is not about 20000`)
  await service.db.query(sql`delete from delivery_queue`)
})

test('counts failed webhooks, and shows the latest of each client', async () => {
  const client = await makeClient(service, { webhookUrl: 'https://hooks.example.com/' })
  const first = (await service.manage('POST', `/clients/${client.id}/test-event`)).body.id
  const last = (await service.manage('POST', `/clients/${client.id}/test-event`)).body.id
  await service.db.query(sql`
    update webhook_event set state = 'failed', failure_reason = 'retries_exhausted', ended_at = ${service.clock.now()}
    where delivery_id = any(${[first, last]}::uuid[])`)
  const { failedWebhooks } = await now(service)
  assert.equal(failedWebhooks.count, 2)
  assert.deepEqual(failedWebhooks.latest, [
    {
      id: last,
      because: 'retries_exhausted',
      client: { id: client.id, name: 'Himal app' },
      workspace: { id: client.workspaceId, name: 'Himal Bank' },
      endedAt: service.clock.now().toISOString(),
    },
  ])
})

test('doctor returns the same findings as now, and is not ok with an error', async () => {
  await service.manage('PATCH', '/service', { smsEnabled: false })
  const { ok, findings } = (await service.manage('GET', '/doctor')).body
  assert.equal(ok, false)
  assert.deepEqual(findings, (await now(service)).findings)
  assert.equal(findings[0].code, 'sending_off')
  const carrier = findings.find((it: { code: string }) => it.code === 'carrier_bound')
  assert.deepEqual(carrier.about.kind, 'carrier')
  await service.manage('PATCH', '/service', { smsEnabled: true })
})

test('sums the carrier throughput of the last minute over all processes', async () => {
  const busy = await ownService({ env: { HULAKI_ROLES: 'api,delivery,simulator' } })
  const sender = await makeSender(busy)
  for (const ending of ['01', '01', '02', '03']) await sender.send({ to: `+97798410000${ending}` })
  await busy.advance(3)
  const { rates, processes, simulator, carriers } = await now(busy)
  const perSecond = (count: number) => Math.round((count / 60) * 100) / 100
  assert.deepEqual(rates, {
    accepted: perSecond(4),
    segmentsAccepted: perSecond(3),
    segmentsRejected: perSecond(1),
    delivered: perSecond(2),
    undelivered: perSecond(1),
  })
  assert.equal(processes, 1)
  assert.deepEqual([simulator.runs, simulator.serves, simulator.carrierId], [true, 'all', carriers[0].id])
  assert.deepEqual([carriers[0].health.state, carriers[0].state[0].state], ['working', 'bound'])
  await busy.advance(70)
  assert.deepEqual((await now(busy)).rates, {
    accepted: 0,
    segmentsAccepted: 0,
    segmentsRejected: 0,
    delivered: 0,
    undelivered: 0,
  })
})
