// Presets (D63): each is a valid description, and errors in its values are reported at once.
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
  test(`${preset.name} is a valid description in each receipt mode, and names its source`, () => {
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

  test(`${preset.name} rejects values with placeholders or line breaks, and unknown values`, () => {
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

test('reports all errors at once, with the allowed names', () => {
  assert.deepEqual(faults({ preset: 'twillio' }), ['preset: Must be one of sparrow, aakash, twilio, vonage, infobip'])
  assert.deepEqual(faults({ preset: 'twilio', values: { sid: 'x', receipts: 'pigeon' }, secrets: { token: 'x' } }), [
    'presetValues.sid: Unknown value of preset twilio; allowed: accountSid, apiKeySid, sender, baseUrl, receipts',
    'presetValues.accountSid: Required: Account SID: AC and 32 hex digits',
    `presetValues.receipts: Must be one of ${receiptModesOf('twilio')}`,
    'secrets.authToken: Required: Auth token of the account, which also signs callbacks; with an API key, required only for receipts=callback',
    'secrets.token: Unknown secret of preset twilio; allowed: authToken, apiKeySecret',
  ])
})

test('requires a public URL for receipts by callback, and names the alternatives', () => {
  for (const preset of PRESETS) {
    const { name, title, ways } = preset
    const given = { preset: name, values: VALUES[name] ?? {}, secrets: secretsOf(preset), hasPublicUrl: false }
    if (!('callback' in ways)) {
      const made = expandPreset(given)
      assert(!Array.isArray(made) && made.receipts === null)
      continue
    }
    const why = `callback needs HULAKI_PUBLIC_URL, so that ${title} can reach this service; without it use ${receiptModesOf(name).split(', ').slice(1).join(' or ')}`
    assert.deepEqual(faults(given), [`presetValues.receipts: ${why}`])
    const without = expandPreset({ ...given, values: { ...given.values, receipts: 'none' } })
    assert(!Array.isArray(without) && without.receipts === null)
    assert(!JSON.stringify(without).includes('callbackUrl'))
  }
})

test('rejects numbers of other countries for providers with national numbers', () => {
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
