// Hostile receipt callbacks (D52): repeated, about other carriers, or with ids beyond the range of numbers.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createCarrierEventLane } from '../../src/actions/carriers/record-carrier-events.ts'
import { MAX_KEPT_OF_SEGMENT } from '../../src/domain/messages/kept-reports.ts'
import { Metrics } from '../../src/runtime/metrics.ts'
import { sql } from '../../src/store/database/sql.ts'
import { MAX_PENDING_PER_CARRIER } from '../../src/store/messages/reports.ts'
import { countUnmatched } from '../../src/store/messages/unmatched-receipts.ts'
import { freePort } from '../harness/free-port.ts'
import { ALLOWED, addHttpCarrier, answer, describe, startProvider } from '../harness/http-carrier.ts'
import { addRoute, makeSender } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const port = await freePort()
const service = await ownService({
  env: { ...ALLOWED, PORT: String(port), HULAKI_PUBLIC_URL: `http://127.0.0.1:${port}` },
})
const sender = await makeSender(service)
const statusOf = async (id: string) => (await sender.get(id)).status

/** A carrier with its own provider, for numbers with this prefix. */
async function addCaller(prefix: string) {
  const provider = await startProvider()
  after(() => provider.close())
  const reading = { list: '/reports', id: '/id', state: '/state', to: '/to' }
  const http = { ...describe(provider.url), receipts: { kind: 'callback', reading } }
  const id = await addHttpCarrier(service, provider.url, { http })
  await addRoute(service, id, { country: 'NP', prefixes: [prefix] })
  await until(async () => (await service.manage('GET', `/carriers/${id}`)).body.health.state === 'working')
  const { body } = await service.manage('POST', `/carriers/${id}/callback`, { renew: false })
  const report = (reports: unknown) =>
    fetch(body.callbackUrl, {
      method: 'POST',
      body: typeof reports === 'string' ? reports : JSON.stringify({ reports }),
    })
  return { id, provider, report }
}
const one = await addCaller('+977984')
const other = await addCaller('+977985')

async function send(to: string): Promise<string> {
  const sent = await sender.send({ to })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  await service.settle()
  return sent.body.messageId
}

test('keeps a few repeated reports of a segment, and the deciding one', async () => {
  one.provider.does((_, response) => answer(response, 200, { id: 'again' }))
  const messageId = await send('9841000001')
  const pending = Array.from({ length: 600 }, () => ({ id: 'again', state: 'ENROUTE', to: '+9779841000001' }))
  assert.equal((await one.report(pending)).status, 200)
  assert.equal((await one.report([{ id: 'again', state: 'DELIVRD', to: '+9779841000001' }])).status, 200)
  assert.equal(await statusOf(messageId), 'delivered')
  assert.equal((await one.report(pending.map((it) => ({ ...it, state: 'UNDELIV' })))).status, 200)
  assert.equal(await statusOf(messageId), 'delivered')
  const [kept] = await service.db.query<{ reports: number }>(
    sql`select count(*)::int as reports from report where message_id = ${messageId}`,
  )
  assert.equal(kept?.reports, MAX_KEPT_OF_SEGMENT + 1)
})

test('a carrier cannot report on messages of another, by id, reference or number', async () => {
  other.provider.does((_, response) => answer(response, 200, { id: 'theirs' }))
  const messageId = await send('9851000002')
  const to = '+9779851000002'
  const names = ['theirs', messageId, messageId.replaceAll('-', '')]
  assert.equal((await one.report(names.map((id) => ({ id, state: 'UNDELIV', to })))).status, 200)
  // Nor on a message without an answer.
  other.provider.does((_, response) => answer(response, 502, {}))
  const inDoubt = await send('9851000003')
  assert.equal((await one.report([{ id: 'guessed', state: 'DELIVRD', to: '+9779851000003' }])).status, 200)
  await service.advance(120)
  assert.deepEqual([await statusOf(messageId), await statusOf(inDoubt)], ['sent', 'submitting'])
})

test('distinguishes ids beyond the range of numbers to the last digit', async () => {
  const ids = ['90071992547409931', '90071992547409932', '1e400', '1e401']
  const messages: string[] = []
  for (const [index, id] of ids.entries()) {
    one.provider.does((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(`{"id": ${id}}`),
    )
    messages.push(await send(`984200000${index}`))
  }
  assert.equal((await one.report(`{"reports": [{"id": ${ids[0]}, "state": "DELIVRD"}]}`)).status, 200)
  assert.equal((await one.report(`{"reports": [{"id": "${ids[2]}", "state": "UNDELIV"}]}`)).status, 200)
  const statuses = await Promise.all(messages.map(statusOf))
  assert.deepEqual(statuses, ['delivered', 'sent', 'undelivered', 'sent'])
})

test('stores a state that is cut within a character', async () => {
  one.provider.does((_, response) => answer(response, 200, { id: 'cut' }))
  const messageId = await send('9841000009')
  assert.equal((await one.report([{ id: 'cut', state: `${'x'.repeat(99)}\u{1f600}` }])).status, 200)
  assert.equal((await one.report([{ id: 'cut', state: 'DELIVRD' }])).status, 200)
  assert.equal(await statusOf(messageId), 'delivered')
})

test('a flood of reports does not delay other carriers', async () => {
  const lane = createCarrierEventLane(service.ports, { metrics: new Metrics() })
  let stored = 0
  const add = async (carrierId: string, reference: string) => {
    const common = {
      to: '',
      byText: false,
      status: 'delivered',
      error: '',
      state: 'DELIVRD',
      code: '',
      raw: '',
    } as const
    const id = service.ports.ids.next()
    const report = { ...common, id, carrierId, reference, receivedAt: service.clock.now() }
    await lane.add({ kind: 'report', report })
    stored += 1
  }
  const flood = Array.from({ length: 4_000 }, (_, at) => add(one.id, `flood ${at}`))
  await add(other.id, 'quiet')
  assert(stored < flood.length / 2, `${stored} of ${flood.length} went before`)
  await Promise.all(flood)
})

test('limits unmatched reports per id and per carrier, and other carriers have room', async () => {
  const countPending = async (carrierId: string, reference: string) => {
    const [found] = await service.db.query<{ count: number }>(sql`
      select count(*)::int as count from pending_report where carrier_id = ${carrierId} and reference = ${reference}`)
    return found?.count
  }
  const same = Array.from({ length: 300 }, () => ({ id: 'same', state: 'DELIVRD' }))
  for (let times = 0; times < 2; times++) assert.equal((await one.report(same)).status, 200)
  assert.equal(await countPending(one.id, 'same'), 20)
  await service.db.query(sql`
    insert into pending_report (
      id, carrier_id, reference, to_number, status, error, state, code, raw, received_at, next_match_at)
    select gen_random_uuid(), ${one.id}, 'full', '', 'delivered', '', '', '', '', now(), '2100-01-01'
    from generate_series(1, ${MAX_PENDING_PER_CARRIER}::int)`)
  const counted = async () => (await countUnmatched(service.db, new Date(0))).get(one.id) ?? 0
  const before = await counted()
  const reports = ['one', 'two'].map((id) => ({ id, state: 'DELIVRD' }))
  for (const carrier of [one, other]) assert.equal((await carrier.report(reports)).status, 200)
  assert.deepEqual([await countPending(one.id, 'two'), await countPending(other.id, 'two')], [0, 1])
  assert.equal((await counted()) - before, reports.length)
})
