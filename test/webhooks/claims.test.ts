// Claims on the webhook queue: leases, fairness, and one event per message and status.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClaimedDelivery, claimDeliveries, endLapsedClaims } from '../../src/actions/webhooks/claim-deliveries.ts'
import { type FinishedAttempt, recordAttempts, withdrawFromClaims } from '../../src/actions/webhooks/record-attempts.ts'
import { NIL_UUID } from '../../src/domain/uuid.ts'
import type { AttemptResult } from '../../src/domain/webhooks/webhook-schedule.ts'
import { sql } from '../../src/store/database/sql.ts'
import { measureWebhookQueue } from '../../src/store/webhooks/webhook-queue.ts'
import { makeClient, makeWorkspace } from '../harness/client.ts'
import { until } from '../harness/until.ts'
import { deliveryOf, queueEvent, queueEvents, startWebhookService } from './webhook-service.ts'

// Without the webhooks role: the tests claim the deliveries.
const service = await startWebhookService({ env: { HULAKI_ROLES: 'api' } })
const { ports } = service

const answered = (statusCode: number): AttemptResult => ({
  ...{ kind: 'answered', statusCode, bodyHead: Buffer.from('thanks'), milliseconds: 7 },
})
const makeEndpoint = () => makeClient(service, { webhookUrl: 'https://receiver.example/hook' })

async function claim({
  retry = false,
  behind = NIL_UUID,
  limit = 500,
  perWorkspace = 500,
  perEndpoint = 20,
  limits = {},
} = {}) {
  const named = new Map(Object.entries<number>(limits))
  await endLapsedClaims(ports)
  return claimDeliveries(ports, {
    ...{ retry, afterWorkspaceId: behind, limit },
    workspaces: { usual: perWorkspace, named },
    endpoints: { usual: perEndpoint, named },
  })
}

const url = 'https://receiver.example/hook'

function finish(delivery: ClaimedDelivery, result: AttemptResult): FinishedAttempt {
  return { delivery, url, attemptedAt: ports.clock.now(), result }
}

function recordAll(deliveries: ClaimedDelivery[], result: AttemptResult, endedClaims: string[] = []) {
  return recordAttempts(
    ports,
    deliveries.map((delivery) => finish(delivery, result)),
    endedClaims,
  )
}

const claimIds = async () =>
  (await service.db.query<{ id: string }>(sql`select id from webhook_claim order by id`)).map(({ id }) => id)

test('a delivery is claimed once, and again after its lease of 30 s has lapsed', async () => {
  const deliveryId = await queueEvent(service, await makeEndpoint())
  const { deliveries } = await claim()
  assert.deepEqual(
    deliveries.map((it) => [it.deliveryId, it.number, it.claims]),
    [[deliveryId, 1, 1]],
  )
  assert.equal((await claim()).deliveries.length, 0)
  await service.advance(29)
  assert.equal((await claim()).deliveries.length, 0)
  await service.advance(1)
  const again = await claim()
  assert.equal(again.deliveries.length, 1)
  await recordAll(again.deliveries, answered(200))
})

test('a stale claim changes neither the queue, the state nor the history', async () => {
  const deliveryId = await queueEvent(service, await makeEndpoint())
  const stale = await claim()
  await service.advance(30)
  const fresh = await claim()
  assert.deepEqual(await recordAll(stale.deliveries, answered(200)), ['stale'])
  const meanwhile = await deliveryOf(service, deliveryId)
  assert.deepEqual([meanwhile.state, meanwhile.attempts], ['pending', []])

  await recordAll(fresh.deliveries, answered(503))
  assert.deepEqual(await recordAll(stale.deliveries, answered(200)), ['stale'])
  assert.deepEqual(await recordAll(fresh.deliveries, answered(200)), ['stale'])
  const { state, attempts } = await deliveryOf(service, deliveryId)
  assert.equal(state, 'pending')
  assert.deepEqual(
    attempts.map((it: { statusCode: number }) => it.statusCode),
    [503],
  )
  await service.advance(10)
  await recordAll((await claim({ retry: true })).deliveries, answered(200))
})

test('of many concurrent senders exactly one claims a delivery', async () => {
  const endpoints = await Promise.all([1, 2, 3, 4].map(makeEndpoint))
  for (const endpoint of endpoints)
    await queueEvents(
      service,
      endpoint,
      Array.from({ length: 25 }, () => ({})),
    )
  const claims = await Promise.all(Array.from({ length: 8 }, () => claim({ perEndpoint: 10 })))
  const first = claims.flatMap((it) => it.deliveries)
  const rest = await claim({ perEndpoint: 1000 })
  const ids = [...first, ...rest.deliveries].map((it) => it.deliveryId)
  assert.equal(ids.length, 100)
  assert.equal(new Set(ids).size, 100)
  await recordAll([...first, ...rest.deliveries], answered(200))
})

test('limits each endpoint separately, and the next claim continues where the last one stopped', async () => {
  const crowded = await makeEndpoint()
  // Claims go in the order of workspace ids; concurrent creation yields any order.
  const made = await Promise.all([1, 2, 3].map(makeEndpoint))
  const others = made.sort((one, other) => (one.workspaceId < other.workspaceId ? -1 : 1))
  await queueEvents(
    service,
    crowded,
    Array.from({ length: 200 }, () => ({})),
  )
  for (const other of others) await queueEvents(service, other, [{}, {}])
  const countsOf = ({ deliveries }: Awaited<ReturnType<typeof claim>>) =>
    [crowded, ...others].map(({ id }) => deliveries.filter((it) => it.clientId === id).length)

  const first = await claim({ limits: { [crowded.id]: 3 } })
  assert.deepEqual(countsOf(first), [3, 2, 2, 2])
  assert.equal(first.scannedTo, null)
  const full = await claim({ limits: { [crowded.id]: 0 } })
  assert.deepEqual(countsOf(full), [0, 0, 0, 0])

  for (const other of others) await queueEvents(service, other, [{}])
  const cut = await claim({ limit: 21 })
  const rest = await claim({ behind: cut.scannedTo ?? '' })
  assert.deepEqual(countsOf(cut), [20, 1, 0, 0])
  assert.deepEqual(countsOf(rest), [0, 0, 1, 1])
  await service.db.query(sql`delete from webhook_queue`)
  await service.db.query(sql`delete from webhook_claim`)
})

test('D43: limits each workspace and each of its endpoints', async () => {
  const workspaceId = await makeWorkspace(service)
  const webhookUrl = 'https://receiver.example/hook'
  const crowd = await Promise.all(Array.from({ length: 20 }, () => makeClient(service, { workspaceId, webhookUrl })))
  crowd.sort((one, other) => (one.id < other.id ? -1 : 1))
  const other = await makeEndpoint()
  const ten = Array.from({ length: 10 }, () => ({}))
  for (const endpoint of [...crowd, other]) await queueEvents(service, endpoint, ten)
  const countsOf = ({ deliveries }: Awaited<ReturnType<typeof claim>>) =>
    [...crowd, other].map(({ id }) => deliveries.filter((it) => it.clientId === id).length).filter((count) => count > 0)

  assert.deepEqual(countsOf(await claim({ perWorkspace: 9, perEndpoint: 4 })), [4, 4, 1, 4])
  // An endpoint or workspace without room is skipped.
  const [first] = crowd
  assert(first)
  assert.deepEqual(countsOf(await claim({ perWorkspace: 3, perEndpoint: 2, limits: { [first.id]: 0 } })), [2, 1, 2])
  assert.deepEqual(countsOf(await claim({ perEndpoint: 1, limits: { [workspaceId]: 0 } })), [1])
  const cut = await claim({ limit: 5, perEndpoint: 1 })
  assert.equal(cut.scannedTo, workspaceId)
  assert.deepEqual(countsOf(await claim({ behind: workspaceId, perEndpoint: 2 })), [2])
  await service.db.query(sql`delete from webhook_queue`)
  await service.db.query(sql`delete from webhook_claim`)
})

test('a delivery without a result after 30 claims fails, and can be resent', async () => {
  const deliveryId = await queueEvent(service, await makeEndpoint())
  for (let number = 1; number <= 30; number += 1) {
    assert.equal((await claim()).deliveries.length, 1)
    await service.advance(30)
  }
  const sender = await startWebhookService({ beside: service, env: { HULAKI_ROLES: 'webhooks' } })
  await until(async () => (await deliveryOf(service, deliveryId)).state !== 'pending')
  await sender.stop()
  const { state, failureReason } = await deliveryOf(service, deliveryId)
  assert.deepEqual([state, failureReason], ['failed', 'abandoned'])
  await service.manage('POST', `/webhook-deliveries/${deliveryId}/resend`)
  const resent = await claim({ retry: true })
  assert.deepEqual(await recordAll(resent.deliveries, answered(200)), [{ kind: 'delivered' }])
})

test('§6.2 rule 3: concurrent duplicate reports create one event and one queue entry', async () => {
  const client = await makeEndpoint()
  const messageId = ports.ids.next()
  await Promise.all(Array.from({ length: 20 }, () => queueEvents(service, client, [{ messageId }, { messageId }])))
  await queueEvents(service, client, [{ messageId }, { messageId, status: 'sent' }])
  const { body } = await service.manage('GET', `/clients/${client.id}/webhook-deliveries?message=${messageId}`)
  assert.deepEqual(body.items.map((it: { status: string }) => it.status).sort(), ['delivered', 'sent'])
  const { deliveries } = await claim()
  assert.equal(deliveries.length, 2)
  await recordAll(deliveries, answered(200))
})

test('a client without a webhook URL gets no events', async () => {
  const client = await makeClient(service)
  await queueEvent(service, client)
  const { body } = await service.manage('GET', `/clients/${client.id}/webhook-deliveries`)
  assert.deepEqual(body, { items: [], next: null })
})

test('§6.4: of two results recorded together, the one with the current claim decides', async () => {
  for (const isStaleFirst of [true, false]) {
    const deliveryId = await queueEvent(service, await makeEndpoint())
    for (let number = 0; number < 2; number++) {
      await recordAll((await claim({ retry: number > 0 })).deliveries, answered(404))
      await service.advance(31)
    }
    const [stale] = (await claim({ retry: true })).deliveries
    await service.advance(30)
    const [fresh] = (await claim({ retry: true })).deliveries
    assert.ok(stale && fresh)
    const both = [finish(stale, answered(503)), finish(fresh, answered(404))]
    const next = await recordAttempts(ports, isStaleFirst ? both : both.toReversed(), [])
    assert.deepEqual((isStaleFirst ? next : next.toReversed())[0], 'stale')
    const delivery = await deliveryOf(service, deliveryId)
    assert.deepEqual([delivery.state, delivery.failureReason], ['failed', 'rejected'])
    assert.deepEqual(
      delivery.attempts.map((it: { statusCode: number }) => it.statusCode),
      [404, 404, 404],
    )
  }
})

test('§6.4: a claim of several deliveries ends with its last result, and returns only what has none', async () => {
  await service.db.query(sql`delete from webhook_claim`)
  const endpoint = await makeEndpoint()
  const ids = await queueEvents(service, endpoint, [{}, {}, {}, {}])
  const { deliveries } = await claim()
  const [one, two, three, four] = deliveries
  assert(one && two && three && four)
  assert.deepEqual(await claimIds(), [one.claimId])
  assert.equal((await measureWebhookQueue(service.db, ports.clock.now())).waiting, 4)
  await recordAll([one], answered(200))
  await withdrawFromClaims(ports, [{ delivery: two, failureReason: null }])
  assert.equal((await measureWebhookQueue(service.db, ports.clock.now())).waiting, 3)
  // Not counted as a claim.
  const again = await claim()
  assert.deepEqual(
    again.deliveries.map((it) => [it.deliveryId, it.claims]),
    [[two.deliveryId, 1]],
  )
  await recordAll([three], answered(503))
  assert.deepEqual(await claimIds(), [one.claimId, again.deliveries[0]?.claimId])
  await service.advance(30)
  const lapsed = await claim()
  assert.deepEqual(lapsed.deliveries.map((it) => it.deliveryId).sort(), [two.deliveryId, four.deliveryId].sort())
  assert.deepEqual(await recordAll([four], answered(200)), ['stale'])
  assert.deepEqual(await claimIds(), [lapsed.deliveries[0]?.claimId])
  await recordAll(lapsed.deliveries, answered(200), [lapsed.deliveries[0]?.claimId ?? ''])
  await recordAll((await claim({ retry: true })).deliveries, answered(200))
  for (const id of ids) assert.equal((await deliveryOf(service, id)).state, 'delivered')
  assert.equal((await measureWebhookQueue(service.db, ports.clock.now())).waiting, 0)
})

test('a resend changes nothing while the delivery is claimed, and restarts its attempts after its result', async () => {
  const [first] = await queueEvents(service, await makeEndpoint(), [{}, {}])
  assert(first)
  const { deliveries } = await claim()
  const resend = () => service.manage('POST', `/webhook-deliveries/${first}/resend`)
  assert.equal((await resend()).status, 202)
  assert.deepEqual((await claim({ retry: true })).deliveries, [])
  const leasedUntil = deliveries[0]?.leasedUntil.toISOString()
  assert.equal((await deliveryOf(service, first)).nextAttemptAt, leasedUntil)
  const isFirst = (it: ClaimedDelivery) => it.deliveryId === first
  await recordAll(deliveries.filter(isFirst), answered(200))
  assert.equal((await deliveryOf(service, first)).state, 'delivered')
  assert.equal((await resend()).status, 202)
  const again = await claim({ retry: true })
  assert.deepEqual(
    again.deliveries.map((it) => [it.deliveryId, it.number]),
    [[first, 1]],
  )
  await recordAll([...again.deliveries, ...deliveries.filter((it) => !isFirst(it))], answered(200), await claimIds())
  assert.deepEqual(await claimIds(), [])
})
