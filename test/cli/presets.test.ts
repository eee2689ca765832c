// The commands of the manual for presets work as printed. The carriers are disabled, so nothing is called.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ownService } from '../harness/service.ts'
import { typist } from './typed.ts'

const service = await ownService({ env: { HULAKI_PUBLIC_URL: 'https://sms.example.com' } })
const type = typist(service.url, { readFile: (name) => `secret-of-${name}\nanother line\n` })
const manual = readFileSync('docs/reference/http-carriers.md', 'utf8').replaceAll('\\\n', ' ')
const printed = [...manual.matchAll(/^bin\/hulaki (carrier add .*--preset .*)$/gm)].map(([, words = '']) =>
  words.split(/\s+/),
)

test('every command of the manual creates its carrier and prints no secret', async () => {
  assert.equal(printed.length, 5)
  for (const words of printed) {
    const made = await type(...words, '--no-enabled', '--json')
    assert.equal(made.code, 0, made.err)
    const { kind, http, secretNames } = made.json()
    assert.deepEqual([kind, http.preset.name, secretNames.length], ['http', words[words.indexOf('--preset') + 1], 1])
    assert.doesNotMatch(made.out, /secret-of/)
  }
  const listed = await type('carrier', 'presets')
  for (const name of ['sparrow', 'aakash', 'twilio', 'vonage', 'infobip']) assert.match(listed.out, new RegExp(name))
})

test('carrier add prints the next steps as commands', async () => {
  const add = (name: string, ...words: string[]) => type('carrier', 'add', name, '--no-enabled', '--preset', ...words)
  const vonage = ['vonage', '--set', 'apiKey=abcd1234', '--secret', 'apiSecret=@file']
  const reporting = await add("Ram's", ...vonage)
  assert.match(reporting.out, /each message carries the callback URL/)
  assert.match(reporting.out, /hulaki carrier callback 'Ram'\\''s' prints/)
  assert.match(reporting.out, /hulaki carrier test 'Ram'\\''s' --to \+977… --receipt-seconds 50/)
  assert.match(reporting.out, /hulaki route add NP 'Ram'\\''s'/)
  const { out, err } = await type('carrier', 'callback', "Ram's")
  assert.equal(err, '')
  assert.match(out, /^https:\/\/sms\.example\.com\/carriers\/[\w-]{43}\/receipts$/m)
  assert(!reporting.out.includes(out.trim()))
  const silent = await add('Silent', ...vonage, '--set', 'receipts=none')
  assert.match(silent.out, /sends no delivery receipts: accepted messages stay sent/)
  assert.match(silent.out, /carrier test Silent --to \+977…$/m)
  const twilio = ['--set', `accountSid=AC${'0'.repeat(32)}`, '--secret', 'authToken=@file', '--set', 'receipts=poll']
  const asked = await add('Asked', 'twilio', ...twilio)
  assert.match(asked.out, /polls the carrier for receipts[\s\S]*carrier test Asked --to \+977…$/m)
  const lines = silent.out.slice(silent.out.indexOf('Next:')).split('\n')
  assert(
    lines.every((line) => line.length <= 80),
    lines.join('\n'),
  )
})

test('rejects a secret in the command line without repeating it, and names missing values', async () => {
  const bare = await type('carrier', 'add', 'X', '--preset', 'aakash', '--secret', 'authToken=s3cr3t')
  assert.notEqual(bare.code, 0)
  assert.match(bare.err, /name=@file/)
  assert.doesNotMatch(bare.err, /s3cr3t/)
  assert.notEqual((await type('carrier', 'add', 'X', '--preset', 'aakash', '--set', 'baseUrl')).code, 0)
  const missing = await type('carrier', 'add', 'X', '--preset', 'vonage')
  assert.notEqual(missing.code, 0)
  assert.match(missing.err, /presetValues\.apiKey[\s\S]*secrets\.apiSecret/)
})
