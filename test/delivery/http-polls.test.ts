// Receipt polling (D54) through the whole service, against a provider and the simulator's HTTP API.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { claimPolls, settlePolls } from '../../src/actions/carriers/poll-receipts.ts'
import { createLog } from '../../src/runtime/log.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { startSimulator } from '../../src/simulator/simulator.ts'
import { type Act, ALLOWED, addHttpCarrier, answer, describe, SECRETS, startProvider } from '../harness/http-carrier.ts'
import { addRoute, makeSender } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const service = await ownService({ env: ALLOWED })
const sender = await makeSender(service)
const statusOf = async (id: string) => (await sender.get(id)).status
const rows = <Row>(text: string) => service.db.query<Row>({ text, values: [], name: undefined })
const isWorking = (id: string) =>
  until(async () => (await service.manage('GET', `/carriers/${id}`)).body.health.state === 'working')

const provider = await startProvider()
after(() => provider.close())
/** The polls by message ID; other calls submit messages. */
let tell: Act = (_, response) => answer(response, 404, { error: 'not yet' })
const polls: string[] = []
provider.does((got, response, socket) => {
  if (got.method !== 'GET') return answer(response, 200, { id: `id-${got.json.ref}` })
  polls.push(got.url)
  tell(got, response, socket)
})
const says = (status: number, body: unknown, headers = {}) => {
  tell = (_, response) => answer(response, status, body, headers)
}
const BY_ONE = {
  kind: 'poll',
  url: `${provider.url}/messages/{id}`,
  reading: { state: '/status', code: '/code' },
  perSecond: 100,
  longestWaitSeconds: 86_400,
}
const carrierId = await addHttpCarrier(service, provider.url, {
  answerSeconds: 2,
  http: { ...describe(provider.url), receipts: BY_ONE },
})
const route = await addRoute(service, carrierId)
await isWorking(carrierId)

let last = 0
async function send() {
  const sent = await sender.send({ to: `984${String(3_000_000 + ++last)}` })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  await service.settle()
  const messageId = sent.body.messageId as string
  await until(async () => (await statusOf(messageId)) === 'sent')
  return { messageId, id: idOf(messageId) }
}
const idOf = (messageId: string) => `id-${messageId.replaceAll('-', '')}`
const describeAnew = async (receipts: Record<string, unknown> | null) => {
  const http = { ...describe(provider.url), receipts }
  const changed = await service.manage('PATCH', `/carriers/${carrierId}`, { http })
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  await service.settle()
  await isWorking(carrierId)
}
const waiting = async () => (await rows<{ n: number }>('select count(*)::int as n from receipt_poll'))[0]?.n

test('polls after a delay, again while the state is unknown, and applies the result', async () => {
  says(404, { error: 'not yet' })
  const { messageId, id } = await send()
  await service.advance(9)
  assert.deepEqual(polls, [])
  await service.advance(2)
  assert.deepEqual(polls, [`/messages/${id}`])
  says(200, { status: 'on its way' })
  await service.advance(20)
  assert.equal(polls.length, 2)
  assert.equal(await statusOf(messageId), 'sent')
  assert(service.logged.some((line) => line.includes('unknown receipt state') && line.includes('on its way')))
  says(200, { status: 'DELIVRD' })
  await service.advance(40)
  const message = await sender.get(messageId)
  assert.deepEqual([message.status, message.dlr.status], ['delivered', 'DELIVRD'])
  assert.equal(await waiting(), 0)
  await service.advance(100)
  assert.equal(polls.length, 3, 'a final message is not polled')

  const other = await send()
  says(200, { status: 'undeliverable', code: '7' })
  await service.advance(11)
  assert.equal(await statusOf(other.messageId), 'undelivered')
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  assert.match(metrics, /delivery_receipt_polls_total\{[^}]*outcome="reported"[^}]*\} 3/)
})

test('an unchanged state is not stored again, and the last poll is before the deadline', async () => {
  says(200, { status: 'ENROUTE' })
  const { messageId } = await send()
  const before = polls.length
  await service.advance(200)
  assert.equal(polls.length, before + 4)
  const stored = await rows<{ n: number }>(`select count(*)::int as n from report where message_id = '${messageId}'`)
  assert.equal(stored[0]?.n, 1)
  const endsAt = new Date(service.clock.now().getTime() + 360_000).toISOString()
  await rows(`update receipt_poll set ends_at = '${endsAt}', due_at = '${service.clock.now().toISOString()}'`)
  await service.advance(240)
  assert.deepEqual([polls.length, await waiting()], [before + 6, 0])
  assert.equal(await statusOf(messageId), 'sent', 'it expires by D13')
})

test('a response without a state changes nothing, is logged once and causes backoff', async () => {
  const bad: [string, Act][] = [
    ['HTML', (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>delivered</p>')],
    ['10 MB', (_, response) => response.writeHead(200).end('"delivered"'.padEnd(10_000_000))],
    [
      'cut off',
      (_, response, socket) => {
        response.writeHead(200)
        response.write('{"status":')
        setImmediate(() => socket.destroy())
      },
    ],
    ['disconnected', (_, _response, socket) => socket.destroy()],
    ['401', (_, response) => answer(response, 401, { status: 'DELIVRD', token: SECRETS.token })],
    ['500', (_, response) => answer(response, 500, { status: 'DELIVRD' })],
    ['no state', (_, response) => answer(response, 200, { status: { nested: true } })],
    ['a list', (_, response) => answer(response, 200, [{ status: 'DELIVRD' }])],
  ]
  const { messageId } = await send()
  const from = service.logged.length
  for (const [what, act] of bad) {
    const before = polls.length
    tell = act
    await rows(`update receipt_poll set attempts = 0, due_at = '${service.clock.now().toISOString()}'`)
    // Each failure doubles the wait, up to five minutes.
    for (let waited = 0; polls.length === before && waited <= 310; waited += 62) await service.advance(62)
    assert(polls.length > before, what)
    assert.equal(await statusOf(messageId), 'sent')
  }
  const told = service.logged.slice(from).filter((line) => line.includes('receipt poll failed'))
  assert(told.length >= 5 && told.length <= 2 * bad.length, String(told.length))
  assert(!told.join('').includes(SECRETS.token))
  says(200, { status: 'DELIVRD' })
  await service.advance(640)
  assert.equal(await statusOf(messageId), 'delivered')
})

test('Retry-After pauses all polls of the carrier, but not its messages', async () => {
  says(429, { error: 'too fast' }, { 'retry-after': '45' })
  const first = await send()
  await service.advance(11)
  const before = polls.length
  says(200, { status: 'DELIVRD' })
  const second = await send()
  await service.advance(30)
  assert.equal(polls.length, before, 'no polls during the pause')
  assert.equal(await statusOf(second.messageId), 'sent')
  await service.advance(30)
  assert.deepEqual([await statusOf(first.messageId), await statusOf(second.messageId)], ['delivered', 'delivered'])
})

test('two processes never poll the same message; an expired lease is taken over', async () => {
  says(404, {})
  await describeAnew(BY_ONE)
  await send()
  await describeAnew(null)
  await rows('update receipt_poll set attempts = 0')
  const claim = () => claimPolls(service.ports, { carrierId, most: 10, leaseMs: 60_000 })
  await service.advance(700)
  const claims = await Promise.all(Array.from({ length: 5 }, claim))
  assert.deepEqual(claims.map((it) => it.polls.length).sort(), [0, 0, 0, 0, 1])
  const [first] = claims.flatMap((it) => it.polls)
  await service.advance(61)
  const [second] = (await claim()).polls
  assert(first && second)
  const asked = { isReported: true, state: '', counts: true }
  const waits = { firstAfterSeconds: 10, longestWaitSeconds: 3_600 }
  await settlePolls(service.ports, [{ ...first, ...asked }], waits)
  assert.equal(await waiting(), 1)
  await settlePolls(service.ports, [{ ...second, ...asked }], waits)
  assert.equal(await waiting(), 0)
})

test('polls many in one call and ignores unrelated states', async () => {
  const stranger = await send()
  await rows('delete from receipt_poll')
  await describeAnew({
    ...BY_ONE,
    url: `${provider.url}/reports?id={id}`,
    many: { most: 50, join: ',' },
    reading: { list: '/reports', id: '/id', state: '/status', states: { gone: { status: 'undelivered' } } },
  })
  const numbers = ['9845000001', '9845000002', '9845000003']
  const sent = await Promise.all(numbers.map((to) => sender.send({ to })))
  await service.settle()
  const [one, two, three] = sent.map(({ body: { messageId } }) => ({ messageId, id: idOf(messageId) }))
  assert(one && two && three)
  const before = polls.length
  says(200, {
    reports: [
      { id: one.id, status: 'DELIVERED' },
      { id: stranger.id, status: 'DELIVERED' },
      { id: two.id, status: 'gone' },
    ],
  })
  await service.advance(11)
  const ends = await Promise.all([one, two, three, stranger].map((it) => statusOf(it.messageId)))
  assert.deepEqual(ends, ['delivered', 'undelivered', 'sent', 'sent'])
  assert(polls.slice(before).some((url) => url.includes(`${one.id},${two.id}`) || url.includes(`${two.id},${one.id}`)))
})

test('rejects an invalid poll description with its path', async () => {
  const wrong: [Record<string, unknown>, string][] = [
    [{ ...BY_ONE, url: `${provider.url}/all` }, 'receipts'],
    [{ ...BY_ONE, url: `${provider.url}/{text}/{id}` }, 'receipts.url'],
    [{ ...BY_ONE, reading: { state: 'status' } }, 'receipts.reading.state'],
    [{ ...BY_ONE, many: { most: 2, join: ',' } }, 'receipts.reading'],
    [{ ...BY_ONE, atOnce: 21 }, 'receipts.atOnce'],
  ]
  for (const [receipts, where] of wrong) {
    const http = { ...describe(provider.url), receipts }
    const changed = await service.manage('PATCH', `/carriers/${carrierId}`, { http })
    assert.equal(changed.status, 400)
    assert(
      changed.body.details.some((it: { path: string[] }) => it.path.join('.') === `http.${where}`),
      `${where}: ${JSON.stringify(changed.body)}`,
    )
  }
})

test("polls the simulator's HTTP API for every outcome", async () => {
  const simulator = await startSimulator({
    clock: service.clock,
    random: systemRandom,
    log: createLog('silent'),
    settings: { port: 0, httpPort: 0 },
  })
  after(() => simulator.stop())
  const url = simulator.httpUrl
  const reading = { list: '/reports', id: '/id', state: '/state', code: '/code', to: '/to' }
  const asking = { kind: 'poll', url: `${url}/reports?ids={id}`, many: { most: 100, join: ',' }, reading }
  const http = {
    url: `${url}/messages`,
    auth: { kind: 'header', name: 'Authorization', value: 'Bearer {secret.token}' },
    body: { kind: 'json', value: { to: '{to}', from: '{from}', text: '{text}' } },
    answer: { id: '/id' },
    receipts: asking,
  }
  const id = await addHttpCarrier(service, url, { name: 'The door', secrets: { token: 'hulaki' }, http })
  await service.manage('DELETE', `/routes/${route}`)
  await addRoute(service, id)
  await isWorking(id)
  const to = ['9841000001', '9841000002', '9841000006', '9841000008', '9841000011', '9841000014']
  const made = await Promise.all(to.map((number) => sender.send({ to: number })))
  const ends = () => Promise.all(made.map(({ body }) => statusOf(body.messageId)))
  await service.advance(11)
  assert.deepEqual(await ends(), ['delivered', 'undelivered', 'sent', 'delivered', 'rejected', 'sent'])
  await service.advance(25)
  assert.deepEqual((await ends()).slice(-1), ['delivered'])
  // One message per poll, by its URL.
  const alone = { ...http, receipts: { kind: 'poll', url: `${url}/messages/{id}`, reading: { state: '/state' } } }
  assert.equal((await service.manage('PATCH', `/carriers/${id}`, { http: alone })).status, 200)
  await isWorking(id)
  const { body } = await sender.send({ to: '9841000101' })
  await service.advance(11)
  assert.equal(await statusOf(body.messageId), 'delivered')
})
