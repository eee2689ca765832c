// D63: presets in the management API; test/delivery/presets.test.ts sends messages with each.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ALLOWED } from '../../harness/http-carrier.ts'
import { ownService } from '../../harness/service.ts'

const service = await ownService({ env: ALLOWED })

test('rejects invalid preset values with every fault, and creates nothing', async () => {
  const make = (fields: Record<string, unknown>) =>
    service.manage('POST', '/carriers', { kind: 'http', name: 'Refused', ...fields })
  const unknown = await make({ preset: 'pigeon' })
  assert.equal(unknown.status, 400)
  assert.match(JSON.stringify(unknown.body), /sparrow, aakash, twilio, vonage, infobip/)
  const open = await make({ preset: 'twilio', presetValues: { sid: 'x' } })
  const paths = open.body.details.map(({ path }: { path: string[] }) => path.join('.'))
  const wrong = ['presetValues.sid', 'presetValues.accountSid', 'secrets.authToken', 'presetValues.receipts']
  assert.deepEqual([open.status, paths], [400, wrong])
  assert.match(
    JSON.stringify(open.body),
    /callback needs HULAKI_PUBLIC_URL, so that Twilio can reach .*without it use poll or none/,
  )
  for (const fields of [{}, { preset: 'aakash', http: { url: 'https://x.example', answer: { id: '/id' } } }])
    assert.equal((await make(fields)).status, 400)
  const inside = await make({
    preset: 'aakash',
    presetValues: { baseUrl: 'http://10.0.0.1' },
    secrets: { authToken: 'x' },
  })
  assert.equal(inside.status, 400)
  assert.match(JSON.stringify(inside.body), /special address/)
})

test('lists every preset with its values, its source, and whether it was verified', async () => {
  const { body } = await service.manage('GET', '/carrier-presets')
  assert.deepEqual(
    body.items.map(({ name }: { name: string }) => name),
    ['sparrow', 'aakash', 'twilio', 'vonage', 'infobip'],
  )
  assert.deepEqual(
    body.items.map(({ receipts }: { receipts: string[] }) => receipts.join()),
    ['none', 'none', 'callback,poll,none', 'callback,none', 'callback,none'],
  )
  for (const { source, isVerified, secrets } of body.items) {
    assert(source.length > 0 && secrets.length >= 1)
    assert.equal(isVerified, false)
  }
})
