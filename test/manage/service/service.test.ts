// The sending switch and the countries.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeClient } from '../../harness/client.ts'
import { assertRefused } from '../../harness/refused.ts'
import { call, ownService } from '../../harness/service.ts'

const service = await ownService()
const { manage, url } = service
const client = await makeClient(service)
const send = (to: string) => client.send({ to })
const coverage = async () => (await call(`${url}/api/sms/coverage`, { method: 'GET' })).body

test('stops sends as sms_disabled with the next request, and resumes them (§7.1)', async () => {
  assert.deepEqual((await manage('GET', '/service')).body, { smsEnabled: true })
  assert.deepEqual((await manage('PATCH', '/service', { smsEnabled: false })).body, { smsEnabled: false })
  assert.deepEqual((await manage('GET', '/service')).body, { smsEnabled: false })
  assertRefused(await send('9841000001'), 503, 'sms_disabled')
  await manage('PATCH', '/service', { smsEnabled: true })
  assert.equal((await send('9841000001')).status, 200)
})

test('rejects a switch that is not boolean with 400', async () => {
  assertRefused(await manage('PATCH', '/service', { smsEnabled: 'no' }), 400, 'invalid_request', ['smsEnabled'])
  assertRefused(await manage('PATCH', '/service', {}), 400, 'invalid_request', ['smsEnabled'])
})

test('Nepal is live, India and Bangladesh are coming soon (§1)', async () => {
  const { items, next } = (await manage('GET', '/countries')).body
  const countries = items.map((it: Record<string, unknown>) => [it.code, it.name, it.state, it.timeZone])
  assert.deepEqual(countries, [
    ['BD', 'Bangladesh', 'comingSoon', 'Asia/Dhaka'],
    ['IN', 'India', 'comingSoon', 'Asia/Kolkata'],
    ['NP', 'Nepal', 'live', 'Asia/Kathmandu'],
  ])
  assert.equal(next, null)
  assert.deepEqual((await manage('GET', '/countries/NP')).body.quietHours, { from: '20:00', to: '08:00' })
})

test('accepts sends to a new live country with the next request', async () => {
  assertRefused(await send('+919876543210'), 422, 'destination_not_supported')
  const { status, body } = await manage('PUT', '/countries/IN', { name: 'India', state: 'live' })
  assert.equal(status, 200)
  const quietHours = { from: '20:00', to: '08:00' }
  const usual = { quietHours, policy: 'weighted' }
  assert.deepEqual(body, { code: 'IN', name: 'India', state: 'live', timeZone: 'Asia/Kolkata', ...usual })
  assert.deepEqual(
    (await coverage()).live.map((it: { code: string }) => it.code),
    ['IN', 'NP'],
  )
  assert.equal((await send('+919876543210')).status, 200)
  await manage('PUT', '/countries/IN', { name: 'India', state: 'off' })
  assert.deepEqual(await coverage(), {
    live: [{ code: 'NP', name: 'Nepal' }],
    comingSoon: [{ code: 'BD', name: 'Bangladesh' }],
  })
})

test('creates a country with or without quiet hours', async () => {
  const lanka = { name: 'Sri Lanka', state: 'comingSoon', timeZone: 'Asia/Colombo' }
  const made = await manage('PUT', '/countries/LK', { ...lanka, quietHours: { from: '21:00', to: '07:30' } })
  const hours = { from: '21:00', to: '07:30' }
  assert.deepEqual(made.body, { code: 'LK', ...lanka, quietHours: hours, policy: 'weighted' })
  assert.deepEqual((await manage('PUT', '/countries/LK', lanka)).body, made.body)
  assert.equal((await manage('PUT', '/countries/LK', { ...lanka, quietHours: null })).body.quietHours, null)
})

test('accepts only ISO 3166-1 countries, and deletes and audits a country that is off', async () => {
  for (const code of ['XX', 'ZZ', 'UK', 'EU']) {
    const refused = await manage('PUT', `/countries/${code}`, { name: 'Nowhere', state: 'off' })
    assertRefused(refused, 400, 'invalid_request', ['code'])
  }
  await manage('PUT', '/countries/BT', { name: 'Bhutan', state: 'live' })
  const early = await manage('DELETE', '/countries/BT')
  assertRefused(early, 409, 'conflict')
  assert.match(early.body.error, /^Bhutan is live; set its state to off/)
  await manage('PUT', '/countries/BT', { name: 'Bhutan', state: 'off' })
  assert.equal((await manage('DELETE', '/countries/BT')).status, 204)
  assertRefused(await manage('GET', '/countries/BT'), 404, 'not_found')
  assertRefused(await manage('DELETE', '/countries/BT'), 404, 'not_found')
  const [{ action, subject, details }] = (await manage('GET', '/audit-log?limit=1')).body.items
  assert.deepEqual([action, subject, details], ['country.removed', 'BT', { name: 'Bhutan' }])
})

test('rejects invalid codes, states and hours with 400 and 404', async () => {
  const put = (code: string, changes: object) =>
    manage('PUT', `/countries/${code}`, { name: 'Nepal', state: 'live', ...changes })
  assertRefused(await put('nepal', {}), 400, 'invalid_request', ['code'])
  assertRefused(await put('NP', { state: 'on' }), 400, 'invalid_request', ['state'])
  assertRefused(await put('NP', { timeZone: 'Nepal' }), 400, 'invalid_request', ['timeZone'])
  const hours = { quietHours: { from: '24:00', to: '08:00' } }
  assertRefused(await put('NP', hours), 400, 'invalid_request', ['quietHours', 'from'])
  assertRefused(await manage('GET', '/countries/XX'), 404, 'not_found')
})
