// HTTP carriers in the management API: validated when saved, secrets never shown (D48, D50).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../../src/store/database/sql.ts'
import { describe, SECRETS } from '../../harness/http-carrier.ts'
import { ownService } from '../../harness/service.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api', HULAKI_CARRIER_ALLOWED_NETWORKS: '10.0.0.0/8' } })
const make = (fields: Record<string, unknown>) =>
  service.manage('POST', '/carriers', {
    kind: 'http',
    name: 'Provider',
    http: describe('https://api.example.com'),
    secrets: SECRETS,
    ...fields,
  })
// biome-ignore lint/suspicious/noExplicitAny: as answers are
const places = (body: any) => body.details.map((it: { path: unknown[] }) => it.path.join('.'))

test('creates, returns, updates and deletes a carrier, and never shows its secrets', async () => {
  const made = await make({ window: 3, segmentsPerSecond: 5 })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { id, kind, window, secretNames, http } = made.body
  assert.deepEqual([kind, window], ['http', 3])
  for (const ofSmpp of ['host', 'systemId', 'bindMode', 'idFormat', 'smpp', 'hasTlsKey'])
    assert(!(ofSmpp in made.body), ofSmpp)
  assert.deepEqual([secretNames, http.method, http.onlyTo], [['token'], 'POST', []])
  const change = { secrets: { other: 'another-secret-value', token: null }, name: 'Renamed', enabled: false }
  const refused = await service.manage('PATCH', `/carriers/${id}`, change)
  assert.deepEqual([refused.status, places(refused.body)], [400, ['http.auth.value']])
  const auth = { kind: 'query', name: 'key', value: '{secret.other}' }
  const changed = await service.manage('PATCH', `/carriers/${id}`, { ...change, http: { ...http, auth } })
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  assert.deepEqual([changed.body.secretNames, changed.body.name], [['other'], 'Renamed'])
  const answers = [
    (await service.manage('GET', '/carriers')).body,
    (await service.manage('GET', `/carriers/${id}`)).body,
    (await service.manage('GET', '/audit-log')).body,
    await service.db.query(sql`select * from http_carrier`),
  ]
  for (const secret of [SECRETS.token, 'another-secret-value'])
    assert(!JSON.stringify(answers).includes(secret) && !service.logged.join('').includes(secret))
  assert.equal((await service.manage('DELETE', `/carriers/${id}`)).status, 204)
  assert.deepEqual(await service.db.query(sql`select 1 from http_carrier`), [])
})

test('rejects settings of the other kind, and a change of the kind', async () => {
  const { body } = await make({ name: 'Kinds' })
  const patch = (id: string, change: object) => service.manage('PATCH', `/carriers/${id}`, change)
  for (const change of [{ host: 'x.example' }, { systemId: 'x' }, { longMessages: 'udh' }, { kind: 'smpp' }])
    assert.equal((await patch(body.id, change)).status, 400, JSON.stringify(change))
  const account = { host: '127.0.0.1', port: 9, systemId: 'hulaki', password: 'secret' }
  const smpp = await service.manage('POST', '/carriers', { name: 'SMPP', ...account })
  assert.deepEqual([smpp.status, smpp.body.kind, 'http' in smpp.body], [201, 'smpp', false])
  assert.equal((await patch(smpp.body.id, { secrets: { a: 'b' } })).status, 400)
  assert.equal((await make({ name: 'Both', ...account })).status, 400)
  assert.equal((await make({ name: 'Neither', kind: 'smtp' })).status, 400)
})

test('reports every fault of a description at its field in one response', async () => {
  const http = describe('https://api.example.com', {
    url: 'https://{to}.example.com/',
    headers: { Host: 'x' },
    body: { kind: 'json', value: { text: '{txt}' } },
    answer: { id: 'id', rules: [{ at: '/a' }] },
  })
  const { status, body } = await make({ name: 'Faulty', http, secrets: {} })
  assert.equal(status, 400)
  assert.deepEqual(places(body).toSorted(), [
    ...[
      'http.answer.id',
      'http.answer.rules.0',
      'http.auth.value',
      'http.body.value.text',
      'http.headers.Host',
      'http.url',
    ],
  ])
  assert.match(body.details.find((it: { path: string[] }) => it.path.includes('text')).message, /\{txt\}/)
})

test('allows special addresses and plain http only in networks of the operator (D50)', async () => {
  const at = async (url: string, name = url) => (await make({ name, http: describe(url) })).status
  for (const url of [
    'https://127.0.0.1',
    'https://192.168.1.1',
    'https://localhost:8080',
    'http://8.8.8.8',
    'https://[::1]',
  ])
    assert.equal(await at(url), 400, url)
  assert.equal(await at('http://10.1.2.3:8080'), 201)
  // The address is checked again at connection.
  assert.equal(await at('http://inside.example.com'), 201)
})

test('limits every part of a description (D43)', async () => {
  const deep = JSON.parse('['.repeat(30) + ']'.repeat(30))
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`s${index}`, 'secret-value']))
  const bad: Record<string, unknown>[] = [
    { secrets: many },
    { secrets: { ...SECRETS, 'a b': 'x' } },
    { secrets: { ...SECRETS, a: 'x\ny' } },
    { http: describe('https://x.example', { body: { kind: 'json', value: deep } }) },
    { http: describe('https://x.example', { url: `https://x.example/${'a'.repeat(2_000)}` }) },
    {
      http: describe('https://x.example', {
        answer: { rules: Array(101).fill({ status: [200], outcome: 'accepted' }) },
      }),
    },
    {
      http: describe('https://x.example', {
        headers: Object.fromEntries(Array.from({ length: 31 }, (_, i) => [`x-${i}`, ''])),
      }),
    },
  ]
  for (const [index, fields] of bad.entries())
    assert.equal((await make({ name: `Bad ${index}`, ...fields })).status, 400)
})
