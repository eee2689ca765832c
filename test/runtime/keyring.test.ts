// The keys outside the database (D20, D21): what is sealed opens with its key, in its place, and not otherwise.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemChance } from '../../src/runtime/chance.ts'
import { newKeyringText, parseKeyring } from '../../src/runtime/keyring.ts'

const text = newKeyringText(systemChance)
const keyring = parseKeyring(text, systemChance)

test('what is sealed opens again, to the letter', () => {
  for (const plain of ['', 'whsec_1', 'नमस्ते', 'x'.repeat(10_000)]) {
    assert.equal(keyring.open('secrets', 'here', keyring.seal('secrets', 'here', plain)), plain)
  }
})

test('the same text never looks the same twice', () => {
  assert.notDeepEqual(keyring.seal('texts', 'm', '123456'), keyring.seal('texts', 'm', '123456'))
})

test('it does not open in another place, for another purpose, with another keyring, or with one bit changed', () => {
  const sealed = keyring.seal('texts', 'message-1', 'Your code is 123456')
  assert.throws(() => keyring.open('texts', 'message-2', sealed))
  assert.throws(() => keyring.open('secrets', 'message-1', sealed))
  assert.throws(() => parseKeyring(newKeyringText(systemChance), systemChance).open('texts', 'message-1', sealed))
  for (let at = 0; at < sealed.length; at++) {
    const bent = Buffer.from(sealed)
    bent[at] = (bent[at] ?? 0) ^ 1
    assert.throws(() => keyring.open('texts', 'message-1', bent), `byte ${at}`)
  }
  for (const length of [0, 1, 5, 20, sealed.length - 1]) {
    assert.throws(() => keyring.open('texts', 'message-1', sealed.subarray(0, length)))
  }
})

test('hashes differ by key, by purpose, and by where one part ends and the next begins', () => {
  const hashes = [
    keyring.hash('codes', ['ab', 'c']),
    keyring.hash('codes', ['a', 'bc']),
    keyring.hash('codes', ['abc']),
    keyring.hash('secrets', ['ab', 'c']),
    parseKeyring(newKeyringText(systemChance), systemChance).hash('codes', ['ab', 'c']),
  ]
  assert.equal(new Set(hashes.map((it) => it.toString('hex'))).size, hashes.length)
  assert.deepEqual(keyring.hash('codes', ['ab', 'c']), keyring.hash('codes', ['ab', 'c']))
})

test('a new key seals from now on while the old one still opens; once it is dropped, its texts are closed', () => {
  const parts = JSON.parse(text)
  parts.texts.keys.k2 = systemChance.bytes(32).toString('base64')
  parts.texts.active = 'k2'
  const rotated = parseKeyring(JSON.stringify(parts), systemChance)
  const old = keyring.seal('texts', 'm', 'old')
  assert.equal(rotated.open('texts', 'm', old), 'old')
  assert.equal(rotated.activeKeyId('texts'), 'k2')
  const young = rotated.seal('texts', 'm', 'new')
  assert.throws(() => keyring.open('texts', 'm', young), /no key 'k2'/)
  assert.deepEqual(rotated.hash('texts', ['x'], 'k1'), keyring.hash('texts', ['x']))
  delete parts.texts.keys.k1
  const dropped = parseKeyring(JSON.stringify(parts), systemChance)
  assert.equal(dropped.open('texts', 'm', young), 'new')
  assert.throws(() => dropped.open('texts', 'm', old), /no key 'k1'/)
})

test('fingerprints tell keys apart and do not give them away', () => {
  const own = keyring.fingerprints()
  assert.deepEqual(
    own.map((it) => it.purpose),
    ['codes', 'texts', 'secrets'],
  )
  assert.deepEqual(own, parseKeyring(text, systemChance).fingerprints())
  assert.equal(new Set(own.map((it) => it.fingerprint)).size, 3)
  for (const { fingerprint } of own) assert.ok(!text.includes(fingerprint))
})

const broken: [what: string, text: string, fault: RegExp][] = [
  ['no JSON', '{', /not JSON/],
  ['nothing in it', 'null', /no active key for codes/],
  ['no keys', '{}', /no active key for codes/],
  ['an active key that is not there', text.replace('"active": "k1"', '"active": "k9"'), /no active key for codes/],
  ['a key that is too short', text.replace(/"k1": "[^"]{9}/, '"k1": "'), /'k1' for codes .* is not 32 bytes/],
]
for (const [what, given, fault] of broken) {
  test(`a keyring with ${what} is refused in words`, () => {
    assert.throws(() => parseKeyring(given, systemChance), fault)
  })
}
