// Presets (D63): each is a description that can be saved, and whatever is wrong with what fills it in is told at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expandPreset, PRESETS } from '../../../src/domain/carriers/http/expand-preset.ts'
import { compileSubmission, valuesOf } from '../../../src/domain/carriers/http/request.ts'
import { validateDescription } from '../../../src/domain/carriers/http/validate-description.ts'

const VALUES: Record<string, Record<string, string>> = {
  sparrow: { identity: 'Demo' },
  aakash: {},
  twilio: { accountSid: `AC${'0'.repeat(32)}` },
  vonage: { apiKey: 'abcd1234' },
  infobip: { baseUrl: 'https://abc123.api.infobip.com' },
}
const secretsOf = (preset: (typeof PRESETS)[number]) =>
  Object.fromEntries(Object.keys(preset.secrets).map((name) => [name, 'a-secret']))

for (const preset of PRESETS) {
  test(`${preset.name} is a description without a fault, in each of its ways, and names its source`, () => {
    for (const way of Object.keys(preset.ways)) {
      const values = { ...VALUES[preset.name], receipts: way }
      const made = expandPreset({ preset: preset.name, values, secrets: secretsOf(preset), hasPublicUrl: true })
      assert(!Array.isArray(made), JSON.stringify(made))
      assert(!JSON.stringify(made).includes('{set.'))
      const secretNames = Object.keys(preset.secrets)
      assert.deepEqual(validateDescription(made, { isAllowed: () => false, secretNames, hasPublicUrl: true }), [])
      assert.deepEqual(made.preset, { name: preset.name, version: preset.version })
    }
    assert.match(preset.source, /read in \w+ 20\d\d/)
    assert.equal(preset.isVerified, false)
  })

  test(`${preset.name}: no value can hold a placeholder, leave its place, or be one that it does not have`, () => {
    for (const name of Object.keys(preset.values)) {
      for (const value of ['{secret.token}', 'https://x/?{text}', 'a\nb', '']) {
        const made = expandPreset({
          preset: preset.name,
          values: { ...VALUES[preset.name], [name]: value },
          secrets: secretsOf(preset),
          hasPublicUrl: true,
        })
        assert(Array.isArray(made), `${name}=${value}`)
        assert.deepEqual(made[0]?.path, ['presetValues', name])
      }
    }
  })
}

test('every fault is told at once, with the names that there are', () => {
  assert.deepEqual(faults({ preset: 'twillio' }), ['preset: Must be one of sparrow, aakash, twilio, vonage, infobip'])
  assert.deepEqual(faults({ preset: 'twilio', values: { sid: 'x', receipts: 'pigeon' }, secrets: { token: 'x' } }), [
    'presetValues.sid: Is no value of twilio, which has accountSid, apiKeySid, sender, baseUrl, receipts',
    'presetValues.accountSid: Is needed: the SID of your account: AC and 32 digits of hex',
    `presetValues.receipts: Must be one of ${receiptModesOf('twilio')}`,
    'secrets.authToken: Is needed: the auth token of that account, which also signs callbacks; with an API key, only for receipts=callback',
    'secrets.token: Is no secret of twilio, which has authToken, apiKeySecret',
  ])
})

test('receipts by callback need an address to call; to do without them is said', () => {
  for (const preset of PRESETS) {
    const { name, title, ways } = preset
    const given = { preset: name, values: VALUES[name] ?? {}, secrets: secretsOf(preset), hasPublicUrl: false }
    if (!('callback' in ways)) {
      const made = expandPreset(given)
      assert(!Array.isArray(made) && made.receipts === null)
      continue
    }
    const why = `callback needs HULAKI_PUBLIC_URL, where ${title} reaches this service with its receipts; without it: ${receiptModesOf(name).split(', ').slice(1).join(', ')}`
    assert.deepEqual(faults(given), [`presetValues.receipts: ${why}`])
    const without = expandPreset({ ...given, values: { ...given.values, receipts: 'none' } })
    assert(!Array.isArray(without) && without.receipts === null)
    assert(!JSON.stringify(without).includes('callbackUrl'))
  }
})

test('a number of another country never reaches a provider that takes national numbers', () => {
  for (const preset of ['sparrow', 'aakash']) {
    const made = expandPreset({
      preset,
      values: VALUES[preset] ?? {},
      secrets: { [preset === 'sparrow' ? 'token' : 'authToken']: 'x' },
      hasPublicUrl: false,
    })
    assert(!Array.isArray(made))
    const call = (to: string) =>
      compileSubmission(made, { token: 'x', authToken: 'x' })(
        valuesOf({ messageId: '01930000-0000-7000-8000-00000000000c', to, from: 'Brand', text: 'Hi' }),
      )
    assert(!('unsendable' in call('+9779841000001')))
    assert('unsendable' in call('+919841000001'))
  }
})

function faults(given: Partial<Parameters<typeof expandPreset>[0]>): string[] {
  const made = expandPreset({ preset: '', values: {}, secrets: {}, hasPublicUrl: true, ...given })
  assert(Array.isArray(made))
  return made.map(({ path, message }) => `${path.join('.')}: ${message}`)
}

function receiptModesOf(wanted: string): string {
  return Object.keys(PRESETS.find(({ name }) => name === wanted)?.ways ?? {}).join(', ')
}
