// A backlog is posted to its end with due retries, slow reads, results that cannot be stored, and a client whose secret is unreadable.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { compileNetworkList } from '../../src/domain/network.ts'
import { createLog } from '../../src/runtime/log.ts'
import { sql } from '../../src/store/database/sql.ts'
import { EventPoster } from '../../src/webhooks/post-event.ts'
import { Sender } from '../../src/webhooks/sender.ts'
import { until } from '../harness/until.ts'
import { startEndpoint, testCa } from './endpoints.ts'
import { clientWithEndpoint, deliveryOf, queueEvents, startWebhookService } from './webhook-service.ts'

const many = (count: number) => Array.from({ length: count }, () => ({}))
/** Deliveries that wait in memory for one endpoint, and 1 000 results that are not stored. */
const MOST_BEFORE_STORING = 420 + 1_000

test('§6.4: a due retry is posted while first attempts of the same endpoint wait', async (t) => {
  const service = await startWebhookService()
  const refused = new Set<unknown>()
  const retriedAfter: number[] = []
  const endpoint = await startEndpoint(t, (response, { headers }) => {
    const id = headers['x-svc-delivery']
    if (refused.size < 5) {
      refused.add(id)
      response.statusCode = 503
    } else if (refused.has(id)) retriedAfter.push(endpoint.received.length)
    response.end()
  })
  const client = await clientWithEndpoint(service, endpoint)
  await queueEvents(service, client, many(5))
  await until(() => refused.size === 5)
  await service.advance(0)
  const BACKLOG = 2_000
  await service.db.query(sql`update webhook_queue set due_at = ${service.ports.clock.now()}`)
  await queueEvents(service, client, many(BACKLOG))
  await until(() => endpoint.received.length === 5 + BACKLOG + 5)
  assert.equal(retriedAfter.length, 5)
  // Long before the end of the backlog.
  assert(Math.max(...retriedAfter) < BACKLOG / 2, `retried after ${retriedAfter}`)
  await service.stop()
})

test('§6.4: posts everything, also if every read takes longer than an endpoint may be used', async (t) => {
  const service = await startWebhookService({ env: { HULAKI_ROLES: 'api' } })
  const endpoint = await startEndpoint(t, (response) => response.end())
  const ids = await queueEvents(service, await clientWithEndpoint(service, endpoint), many(200))
  const slow = new Proxy(service.ports.db, {
    get: (db, name) => {
      const value = Reflect.get(db, name)
      if (typeof value !== 'function') return value
      const method = value.bind(db)
      return name === 'query' ? (...statement: unknown[]) => delay(100).then(() => method(...statement)) : method
    },
  })
  const poster = new EventPoster({
    vendor: service.ports.vendor,
    isAllowed: compileNetworkList(['127.0.0.1']),
    extraCa: testCa,
    monotonicNow: () => performance.now(),
  })
  const sender = new Sender({
    ports: { ...service.ports, db: slow },
    log: createLog('silent'),
    poster,
    onResult: () => {},
    onBatch: () => {},
  })
  sender.wake()
  await until(() => endpoint.received.length === ids.length)
  await sender.stop()
  await poster.close()
  for (const id of ids) assert.equal((await deliveryOf(service, id)).state, 'delivered')
  await service.stop()
})

test('claims no more while results cannot be stored, and posts the rest afterwards', async (t) => {
  const service = await startWebhookService()
  const endpoint = await startEndpoint(t, (response) => response.end())
  const client = await clientWithEndpoint(service, endpoint)
  const BACKLOG = 2_500
  await service.db.transaction(async (tx) => {
    await tx.query(sql`lock table webhook_attempt in exclusive mode`)
    await queueEvents(service, client, many(BACKLOG))
    // Until every claimed delivery is posted. The polls keep the transaction alive.
    await until(async () => {
      const [row] = await tx.query<{ claimed: number }>(
        sql`select sum(cardinality(delivery_ids))::int as claimed from webhook_claim`,
      )
      return endpoint.received.length > 1_000 && row?.claimed === endpoint.received.length
    })
    assert(endpoint.received.length <= MOST_BEFORE_STORING, `${endpoint.received.length} attempts`)
  })
  await until(() => endpoint.received.length === BACKLOG)
  await service.stop()
  assert.equal(new Set(endpoint.received.map(({ headers }) => headers['x-svc-delivery'])).size, BACKLOG)
})

test('a client whose secret cannot be read fails alone, with the reason', async (t) => {
  const service = await startWebhookService()
  const endpoint = await startEndpoint(t, (response) => response.end())
  const [broken, healthy] = [await clientWithEndpoint(service, endpoint), await clientWithEndpoint(service, endpoint)]
  await service.db.query(sql`update client set webhook_secret_sealed = decode('00', 'hex') where id = ${broken.id}`)
  const [failing] = await queueEvents(service, broken, many(1))
  const [delivered] = await queueEvents(service, healthy, many(1))
  assert(failing && delivered)
  await service.advance(0)
  assert.equal((await deliveryOf(service, delivered)).state, 'delivered')
  const { state, attempts } = await deliveryOf(service, failing)
  assert.equal(state, 'pending')
  assert.deepEqual(
    attempts.map((it: { error: string }) => it.error),
    ['the settings of the endpoint cannot be read'],
  )
  assert.equal(endpoint.received.length, 1)
  await service.stop()
})
