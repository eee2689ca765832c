// A sealed value opens only with its key and context (D20, D21).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newKeyringText, parseKeyring } from '../../src/runtime/keyring.ts'
import { systemRandom } from '../../src/runtime/random.ts'

const text = newKeyringText(systemRandom)
const keyring = parseKeyring(text, systemRandom)

test('open returns the sealed text unchanged', () => {
  for (const plain of ['', 'whsec_1', 'नमस्ते', 'x'.repeat(10_000)]) {
    assert.equal(keyring.open('secrets', 'here', keyring.seal('secrets', 'here', plain)), plain)
  }
})

test('sealing the same text twice gives different bytes', () => {
  assert.notDeepEqual(keyring.seal('texts', 'm', '123456'), keyring.seal('texts', 'm', '123456'))
})

test('rejects another context, purpose, keyring, or a changed bit', () => {
  const sealed = keyring.seal('texts', 'message-1', 'Your code is 123456')
  assert.throws(() => keyring.open('texts', 'message-2', sealed))
  assert.throws(() => keyring.open('secrets', 'message-1', sealed))
  assert.throws(() => parseKeyring(newKeyringText(systemRandom), systemRandom).open('texts', 'message-1', sealed))
  for (let at = 0; at < sealed.length; at++) {
    const bent = Buffer.from(sealed)
    bent[at] = (bent[at] ?? 0) ^ 1
    assert.throws(() => keyring.open('texts', 'message-1', bent), `byte ${at}`)
  }
  for (const length of [0, 1, 5, 20, sealed.length - 1]) {
    assert.throws(() => keyring.open('texts', 'message-1', sealed.subarray(0, length)))
  }
})

test('hashes differ by key, by purpose, and by the boundaries of parts', () => {
  const hashes = [
    keyring.hash('codes', ['ab', 'c']),
    keyring.hash('codes', ['a', 'bc']),
    keyring.hash('codes', ['abc']),
    keyring.hash('secrets', ['ab', 'c']),
    parseKeyring(newKeyringText(systemRandom), systemRandom).hash('codes', ['ab', 'c']),
  ]
  assert.equal(new Set(hashes.map((it) => it.toString('hex'))).size, hashes.length)
  assert.deepEqual(keyring.hash('codes', ['ab', 'c']), keyring.hash('codes', ['ab', 'c']))
})

test('after a rotation the new key seals and the old key opens; without the old key its texts do not open', () => {
  const parts = JSON.parse(text)
  parts.texts.keys.k2 = systemRandom.bytes(32).toString('base64')
  parts.texts.active = 'k2'
  const rotated = parseKeyring(JSON.stringify(parts), systemRandom)
  const old = keyring.seal('texts', 'm', 'old')
  assert.equal(rotated.open('texts', 'm', old), 'old')
  assert.equal(rotated.activeKeyId('texts'), 'k2')
  const renewed = rotated.seal('texts', 'm', 'new')
  assert.throws(() => keyring.open('texts', 'm', renewed), /no key 'k2'/)
  assert.deepEqual(rotated.hash('texts', ['x'], 'k1'), keyring.hash('texts', ['x']))
  delete parts.texts.keys.k1
  const dropped = parseKeyring(JSON.stringify(parts), systemRandom)
  assert.equal(dropped.open('texts', 'm', renewed), 'new')
  assert.throws(() => dropped.open('texts', 'm', old), /no key 'k1'/)
})

test('fingerprints identify keys without revealing them', () => {
  const own = keyring.fingerprints()
  assert.deepEqual(
    own.map((it) => it.purpose),
    ['codes', 'texts', 'secrets'],
  )
  assert.deepEqual(own, parseKeyring(text, systemRandom).fingerprints())
  assert.equal(new Set(own.map((it) => it.fingerprint)).size, 3)
  for (const { fingerprint } of own) assert.ok(!text.includes(fingerprint))
})

const broken: [what: string, text: string, error: RegExp][] = [
  ['invalid JSON', '{', /not JSON/],
  ['no content', 'null', /no active key for codes/],
  ['no keys', '{}', /no active key for codes/],
  ['a missing active key', text.replace('"active": "k1"', '"active": "k9"'), /no active key for codes/],
  ['a short key', text.replace(/"k1": "[^"]{9}/, '"k1": "'), /'k1' for codes .* is not 32 bytes/],
]
for (const [what, given, error] of broken) {
  test(`refuses a keyring with ${what}`, () => {
    assert.throws(() => parseKeyring(given, systemRandom), error)
  })
}
