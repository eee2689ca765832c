// Receipt polling of an HTTP carrier (D54) as data: the request, the response, the schedule, and what is rejected.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { HttpBody, HttpDescription, ReceiptPoll } from '../../../src/domain/carriers/http/description.ts'
import { compilePoll, type PolledMessage, readPoll } from '../../../src/domain/carriers/http/poll.ts'
import { firstPoll, nextPoll, pollEnd, pollPauseMs } from '../../../src/domain/carriers/http/poll-times.ts'
import { validateDescription } from '../../../src/domain/carriers/http/validate-description.ts'

const poll: ReceiptPoll = {
  kind: 'poll',
  method: 'GET',
  url: 'https://api.example.com/messages/{id}',
  headers: {},
  auth: 'same',
  body: null,
  many: null,
  reading: {
    ...{ list: null, id: null, reference: null, state: '/state', states: {}, code: null, codes: {}, to: null },
    time: null,
  },
  firstAfterSeconds: 10,
  longestWaitSeconds: 3_600,
  atOnce: 2,
  perSecond: 5,
}
const description: HttpDescription = {
  preset: null,
  onlyTo: [],
  method: 'POST',
  url: 'https://api.example.com/messages',
  headers: {},
  auth: { kind: 'header', name: 'Authorization', value: 'Bearer {secret.key}' },
  body: { kind: 'json', value: { to: '{to}' } },
  answer: { rules: [], id: '/id', said: null },
  receipts: poll,
}
const secrets = { key: 'k1', other: 'o1' }
const one: PolledMessage = {
  messageId: '01930000-0000-7000-8000-00000000000c',
  carrierMessageId: 'a/b c',
  reference: 'a/b c',
  to: '+9779841000001',
}
const two: PolledMessage = {
  ...one,
  messageId: '01930000-0000-7000-8000-00000000000d',
  carrierMessageId: 'x,y',
  reference: 'x,y',
}

function callOf(change: Partial<ReceiptPoll>, asked: [PolledMessage, ...PolledMessage[]] = [one]) {
  const call = compilePoll(description, { ...poll, ...change }, secrets)(asked)
  assert(!('unsendable' in call))
  return call
}

test('identifies the message of a poll by any of its ids, and keeps every value in its place', () => {
  const call = callOf({ url: 'https://api.example.com/m/{id}?r={reference}&to={toNational}' })
  assert.equal(call.path, '/m/a%2Fb%20c?r=0193000000007000800000000000000c&to=9841000001')
  assert.deepEqual([call.method, call.body, call.headers.authorization], ['GET', null, 'Bearer k1'])
  const joined = { most: 10, join: '&id=', items: null }
  assert.equal(callOf({ url: 'https://x.example/?id={id}', many: joined }, [one, two]).path, '/?id=a%2Fb%20c&id=x%2Cy')
  const body: HttpBody = { kind: 'json', value: { ids: ['{id}'] } }
  const listed = {
    method: 'POST',
    url: 'https://x.example/q',
    body,
    many: { most: 10, join: null, items: '/ids' },
  } as const
  assert.equal(callOf(listed, [one, two]).body, '{"ids":["a/b c","x,y"]}')
  const up = compilePoll(description, poll, secrets)([{ ...one, carrierMessageId: '..' }])
  assert('unsendable' in up)
})

test('reads only receipts of polled messages, and ignores early, foreign and broken ones', () => {
  const read = (status: number, json: unknown, reading = {}, asked = [one]) => {
    const { outcome, receipts } = readPoll({ status, json }, asked, { ...poll.reading, ...reading })
    return [outcome, ...receipts.map((it) => it && `${it.status} ${it.error}`.trim())]
  }
  assert.deepEqual(read(200, { state: 'DELIVRD' }), ['reported', 'delivered'])
  assert.deepEqual(read(200, { state: 'whatever' }), ['reported', 'pending'])
  assert.deepEqual(read(200, { state: 'X', id: 'other' }, { id: '/id' }), ['nothing', null])
  for (const status of [404, 410, 204]) assert.deepEqual(read(status, undefined), ['nothing', null])
  for (const status of [301, 400, 401, 403, 500, 503])
    assert.deepEqual(read(status, { state: 'DELIVRD' }), ['refused', null])
  assert.deepEqual(read(429, undefined), ['throttled', null])
  assert.deepEqual(read(200, undefined), ['unreadable', null])
  const reading = {
    list: '/r',
    reference: '/ref',
    states: { OK: { status: 'delivered' } },
    code: '/code',
    codes: { '7': { error: 'invalid_number' } },
  }
  const r = [
    { ref: two.messageId, state: 'UNDELIV', code: 7 },
    { ref: 'nobody', state: 'OK' },
    { ref: '0193000000007000800000000000000C', state: 'ENROUTE' },
    { ref: '0193000000007000800000000000000C', state: 'OK' },
  ]
  assert.deepEqual(read(200, { r }, reading, [one, two]), ['reported', 'delivered', 'undelivered invalid_number'])
  assert.deepEqual(read(200, { r: [] }, reading, [one, two]), ['nothing', null, null])
  fc.assert(
    fc.property(fc.integer({ min: 200, max: 599 }), fc.jsonValue(), (status, json) => void read(status, json, reading)),
  )
})

test('polls soon, then at doubling intervals, and last before the deadline', () => {
  const start = new Date('2026-11-16T04:00:00Z')
  const endsAt = pollEnd({ type: 'transactional', createdAt: start })
  const waits: number[] = []
  let now = firstPoll(poll, start)
  for (let attempts = 1; ; attempts++) {
    const next = nextPoll({ attempts, endsAt }, poll, now)
    if (next === null) break
    waits.push((next.getTime() - now.getTime()) / 1000)
    now = next
  }
  assert.deepEqual(waits.slice(0, 4), [20, 40, 80, 160])
  assert.equal(Math.max(...waits), 3_600)
  assert.equal(endsAt.getTime() - now.getTime(), 300_000)
  assert(waits.length < 90, String(waits.length))
  assert.deepEqual(
    [0, 1, 2, 3, 50].map((failures) => pollPauseMs(failures, 0)),
    [0, 1_000, 2_000, 4_000, 300_000],
  )
  assert.equal(pollPauseMs(1, 30_000), 30_000)
})

test('reports errors of the polling with their paths when it is saved', () => {
  const judging = { isAllowed: () => false, secretNames: ['key'], hasPublicUrl: false }
  const faults = (change: Partial<ReceiptPoll>, more: Partial<HttpDescription> = {}) =>
    validateDescription({ ...description, ...more, receipts: { ...poll, ...change } }, judging)
  const places = (...given: Parameters<typeof faults>) => faults(...given).map(({ path }) => path.join('.'))
  const { reading } = poll
  assert.deepEqual(faults({}), [])
  assert.deepEqual(places({ url: 'https://x.example/all' }), ['receipts'])
  assert.deepEqual(places({ url: 'https://x.example/{text}' }), ['receipts.url'])
  assert.deepEqual(places({ url: 'https://{id}.example/' }), ['receipts.url', 'receipts'])
  assert.deepEqual(places({ url: 'https://10.0.0.1/{id}' }), ['receipts.url'])
  assert.deepEqual(places({ headers: { 'X-Key': '{secret.none}' } }), ['receipts.headers.X-Key'])
  assert.deepEqual(places({ auth: { kind: 'query', name: 'k', value: '{id}' } }), ['receipts.auth.value'])
  assert.deepEqual(places({ body: { kind: 'form', fields: {} } }), ['receipts.body'])
  assert.match(
    JSON.stringify(faults({}, { answer: { rules: [{ status: [200], outcome: 'accepted' }], id: null, said: null } })),
    /\{id\}, but answer/,
  )
  assert.deepEqual(places({ reading: { ...reading, state: 'state' } }), ['receipts.reading.state'])
  assert.deepEqual(places({ reading: { ...reading, state: 'form:state' } }), ['receipts.reading.state'])
  assert.deepEqual(places({ reading: { ...reading, list: '/r' } }), ['receipts.reading'])
  assert.deepEqual(places({ reading: { ...reading, id: '/a', reference: '/b' } }), ['receipts.reading'])
  const many = { most: 5, join: ',', items: null }
  assert.deepEqual(places({ many }), ['receipts.reading', 'receipts.reading.list'])
  const listed = { ...reading, list: '/r', id: '/id' }
  assert.deepEqual(places({ many, reading: listed }), [])
  assert.deepEqual(places({ many: { ...many, items: '/ids' }, reading: listed }), ['receipts.many'])
  assert.deepEqual(places({ many: { most: 5, join: null, items: '/ids' }, reading: listed }), ['receipts.many.items'])
})
