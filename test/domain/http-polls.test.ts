// Receipts that a carrier over HTTP is asked for (D54), as data: what is refused when it is saved.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HttpDescription } from '../../src/domain/http-carrier/description.ts'
import { judgeDescription } from '../../src/domain/http-carrier/judge.ts'
import type { ReceiptPoll } from '../../src/domain/http-carrier/receipts.ts'

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
  many: null,
  answer: { rules: [], id: '/id', said: null },
  receipts: poll,
}
test('what can be known to be wrong with it is told when it is saved, at its place', () => {
  const judging = { isAllowed: () => false, secretNames: ['key'], hasPublicUrl: false }
  const faults = (change: Partial<ReceiptPoll>, more: Partial<HttpDescription> = {}) =>
    judgeDescription({ ...description, ...more, receipts: { ...poll, ...change } }, judging)
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
    JSON.stringify(faults({}, { answer: { rules: [{ status: [200], outcome: 'taken' }], id: null, said: null } })),
    /\{id\}, and answer/,
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
