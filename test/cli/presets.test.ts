// The commands that the manual prints for presets, as they are printed; carriers are made switched off, so that nobody is called.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { startTestService } from '../harness/service.ts'
import { typist } from './typed.ts'

const service = await startTestService()
const type = typist(service.url, { readFile: (name) => `secret-of-${name}\nanother line\n` })
const manual = readFileSync('docs/http-carriers.md', 'utf8').replaceAll('\\\n', ' ')
const printed = [...manual.matchAll(/^bin\/hulaki (carrier add .*--preset .*)$/gm)].map(([, words = '']) =>
  words.split(/\s+/),
)

test('every command of the manual makes its carrier, and prints no secret', async () => {
  assert.equal(printed.length, 5)
  for (const words of printed) {
    const made = await type(...words, '--no-enabled', '--set', 'receipts=none', '--json')
    assert.equal(made.code, 0, made.err)
    const { kind, http, secretNames } = made.json()
    assert.deepEqual([kind, http.preset.name, secretNames.length], ['http', words[words.indexOf('--preset') + 1], 1])
    assert.doesNotMatch(made.out, /secret-of/)
  }
  const listed = await type('carrier', 'presets')
  for (const name of ['sparrow', 'aakash', 'twilio', 'vonage', 'infobip']) assert.match(listed.out, new RegExp(name))
})

test('a secret in the command line is refused and not repeated; what is missing is told by its name', async () => {
  const bare = await type('carrier', 'add', 'X', '--preset', 'aakash', '--secret', 'authToken=s3cr3t')
  assert.notEqual(bare.code, 0)
  assert.match(bare.err, /name=@file/)
  assert.doesNotMatch(bare.err, /s3cr3t/)
  assert.notEqual((await type('carrier', 'add', 'X', '--preset', 'aakash', '--set', 'baseUrl')).code, 0)
  const missing = await type('carrier', 'add', 'X', '--preset', 'vonage')
  assert.notEqual(missing.code, 0)
  assert.match(missing.err, /presetValues\.apiKey[\s\S]*secrets\.apiSecret/)
})
