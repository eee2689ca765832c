import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type Alphabet, alphabetOf, decodeText, encodeText } from '../../src/smpp/alphabets.ts'

const gsmExtension = '\f^{}\\[~]|€'
const gsmMain =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'

describe('encoding', () => {
  const cases: { text: string; alphabet: Alphabet; bytes: string | undefined }[] = [
    { text: '@', alphabet: 'gsm', bytes: '00' },
    { text: 'à', alphabet: 'gsm', bytes: '7f' },
    { text: 'Az 09', alphabet: 'gsm', bytes: '417a203039' },
    { text: '_Æ¿', alphabet: 'gsm', bytes: '111c60' },
    { text: '€[', alphabet: 'gsm', bytes: '1b651b3c' },
    { text: 'नमस्ते', alphabet: 'gsm', bytes: undefined },
    { text: '\u001b', alphabet: 'gsm', bytes: undefined },
    { text: 'ok', alphabet: 'ascii', bytes: '6f6b' },
    { text: 'é', alphabet: 'ascii', bytes: undefined },
    { text: 'é', alphabet: 'latin1', bytes: 'e9' },
    { text: '€', alphabet: 'latin1', bytes: undefined },
    { text: 'न', alphabet: 'ucs2', bytes: '0928' },
    { text: '😀', alphabet: 'ucs2', bytes: 'd83dde00' },
    { text: '', alphabet: 'ucs2', bytes: '' },
  ]
  for (const { text, alphabet, bytes } of cases) {
    test(`${JSON.stringify(text)} in ${alphabet}`, () =>
      assert.equal(encodeText(text, alphabet)?.toString('hex'), bytes))
  }

  test('the main table has 127 characters besides the escape, the extension table ten', () => {
    assert.equal(encodeText(gsmMain, 'gsm')?.length, 127)
    assert.equal(encodeText(gsmExtension, 'gsm')?.length, 20)
  })
})

describe('round trips', () => {
  const alphabets: Record<Alphabet, fc.Arbitrary<string>> = {
    gsm: fc.string({ unit: fc.constantFrom(...gsmMain, ...gsmExtension) }),
    ascii: fc.string({ unit: fc.nat(0x7f).map((code) => String.fromCharCode(code)) }),
    latin1: fc.string({ unit: fc.nat(0xff).map((code) => String.fromCharCode(code)) }),
    ucs2: fc.string({ unit: 'binary' }),
  }
  for (const [alphabet, texts] of Object.entries(alphabets) as [Alphabet, fc.Arbitrary<string>][]) {
    test(alphabet, () =>
      fc.assert(
        fc.property(texts, (text) => {
          const bytes = encodeText(text, alphabet)
          assert(bytes)
          assert.equal(decodeText(bytes, alphabet), text)
        }),
      ),
    )
  }
})

describe('decoding', () => {
  const cases: { bytes: string; alphabet: Alphabet; text: string }[] = [
    { bytes: '1b41', alphabet: 'gsm', text: 'A' },
    { bytes: '1b', alphabet: 'gsm', text: '\u00a0' },
    { bytes: '80', alphabet: 'gsm', text: '\ufffd' },
    { bytes: 'c3', alphabet: 'ascii', text: '\ufffd' },
    { bytes: '004100', alphabet: 'ucs2', text: 'A' },
  ]
  for (const { bytes, alphabet, text } of cases) {
    test(`${bytes} in ${alphabet}`, () => assert.equal(decodeText(Buffer.from(bytes, 'hex'), alphabet), text))
  }

  test('decoding does not change the bytes', () => {
    const bytes = Buffer.from('00410042', 'hex')
    decodeText(bytes, 'ucs2')
    assert.equal(bytes.toString('hex'), '00410042')
  })
})

describe('data_coding', () => {
  const cases: [number, Alphabet | undefined][] = [
    [0x00, 'latin1'],
    [0x01, 'ascii'],
    [0x02, undefined],
    [0x03, 'latin1'],
    [0x04, undefined],
    [0x08, 'ucs2'],
    [0x10, 'gsm'],
    [0x14, undefined],
    [0x18, 'ucs2'],
    [0xd0, 'gsm'],
    [0xe0, 'ucs2'],
    [0xf0, 'gsm'],
    [0xf4, undefined],
  ]
  for (const [dataCoding, alphabet] of cases) {
    test(`0x${dataCoding.toString(16)} is ${alphabet ?? 'no text'} where the carrier's own alphabet is latin1`, () =>
      assert.equal(alphabetOf(dataCoding, 'latin1'), alphabet))
  }
})
