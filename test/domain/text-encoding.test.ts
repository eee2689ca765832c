// Segments and alphabets (§2.1, §8.4, D3) and forbidden characters (D4).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type Encoding,
  isGsm7,
  lineError,
  MAX_SEGMENTS,
  measureText,
  septetCount,
  splitText,
  textError,
} from '../../src/domain/text-encoding.ts'

const measured: [name: string, text: string, encoding: Encoding, segments: number][] = [
  ['one character', 'a', 'GSM7', 1],
  ['160 septets', 'a'.repeat(160), 'GSM7', 1],
  ['161 septets', 'a'.repeat(161), 'GSM7', 2],
  ['306 septets', 'a'.repeat(306), 'GSM7', 2],
  ['307 septets', 'a'.repeat(307), 'GSM7', 3],
  ['918 septets', 'a'.repeat(918), 'GSM7', 6],
  ['919 septets', 'a'.repeat(919), 'GSM7', 7],
  ['80 escape pairs', '€'.repeat(80), 'GSM7', 1],
  ['81 escape pairs', '€'.repeat(81), 'GSM7', 2],
  ['an escape pair inside the last septets of 160', `${'a'.repeat(158)}€`, 'GSM7', 1],
  ['an escape pair over the 160th septet', `${'a'.repeat(159)}€`, 'GSM7', 2],
  ['306 septets whose first edge an escape pair moves', `${'a'.repeat(152)}€${'a'.repeat(152)}`, 'GSM7', 3],
  ['153 escape pairs: 76 to a segment', '€'.repeat(153), 'GSM7', 3],
  ['Greek capitals and accents of GSM-7', 'ΔΦΓΛΩΠΨΣΘΞ èéùìòÇ ØøÅå ÄÖÑÜ§ äöñüà ¡¿', 'GSM7', 1],
  ['a small c cedilla, not in GSM-7', 'ç', 'UCS2', 1],
  ['a back quote, not in GSM-7', '`', 'UCS2', 1],
  ['a tab, not in GSM-7', 'a\tb', 'UCS2', 1],
  ['line breaks', 'a\r\nb\fc', 'GSM7', 1],
  ['70 Devanagari units', 'न'.repeat(70), 'UCS2', 1],
  ['71 Devanagari units', 'न'.repeat(71), 'UCS2', 2],
  ['402 units', 'न'.repeat(402), 'UCS2', 6],
  ['403 units', 'न'.repeat(403), 'UCS2', 7],
  ['35 surrogate pairs', '📨'.repeat(35), 'UCS2', 1],
  ['134 units whose first edge a surrogate pair moves', `${'न'.repeat(66)}📨${'न'.repeat(66)}`, 'UCS2', 3],
]
for (const [name, text, encoding, segments] of measured) {
  test(`measures ${name} as ${encoding}, ${segments} segment(s) (§8.4)`, () => {
    assert.deepEqual(measureText(text), { encoding, segments })
    assert.equal(splitText(text).segments.length, segments)
  })
}

test('carries 918 septets or 402 units in six segments (§8.4)', () => {
  assert.equal(measureText('a'.repeat(918)).segments, MAX_SEGMENTS)
  assert.equal(measureText('न'.repeat(402)).segments, MAX_SEGMENTS)
})

test('uses GSM 03.38: 127 characters of one septet and 10 of two (D3)', () => {
  const all = Array.from({ length: 0x10000 }, (_, unit) => septetCount(String.fromCharCode(unit)))
  assert.equal(all.filter((septets) => septets === 1).length, 127)
  assert.equal(all.filter((septets) => septets === 2).length, 10)
  assert.equal(isGsm7('\u001b'), false)
})

// Many escape pairs, surrogate pairs, and lengths around the boundaries.
const texts = fc.tuple(fc.constantFrom('gsm', 'mixed'), fc.integer({ min: 0, max: 500 })).chain(([kind, length]) =>
  fc.string({
    unit: fc.constantFrom('a', '€', '{', '\n', 'é', ...(kind === 'mixed' ? ['न', '📨', 'ç'] : [])),
    minLength: length,
    maxLength: length + 20,
    size: 'max',
  }),
)

test('splits into as many segments as it charges, and joins back to the text (D3, property)', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const { encoding, segments } = splitText(text)
      assert.deepEqual(measureText(text), { encoding, segments: segments.length })
      assert.equal(segments.join(''), text)
    }),
  )
})

function sizeIn(encoding: Encoding, segment: string): number {
  return encoding === 'UCS2' ? segment.length : (septetCount(segment) ?? Number.NaN)
}

test('fits every segment: 160 or 153 septets, 70 or 67 units (D3, property)', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const { encoding, segments } = splitText(text)
      const [alone, joined] = encoding === 'GSM7' ? [160, 153] : [70, 67]
      const capacity = segments.length === 1 ? alone : joined
      for (const segment of segments) assert.ok(sizeIn(encoding, segment) <= capacity)
    }),
  )
})

test('never splits a surrogate or escape pair, and wastes at most one unit per boundary (D3, property)', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const { encoding, segments } = splitText(text)
      for (const segment of segments) assert.ok(segment.isWellFormed())
      for (const segment of segments.slice(0, -1)) {
        assert.ok(sizeIn(encoding, segment) >= (encoding === 'GSM7' ? 152 : 66))
      }
    }),
  )
})

const faults: [name: string, text: string, inText: string | null, inLine: string | null][] = [
  ['plain text', 'Namaste, नमस्ते 📨', null, null],
  ['a line feed', 'a\nb', null, 'control_character'],
  ['a carriage return', 'a\r\nb', null, 'control_character'],
  ['a form feed', 'a\fb', null, 'control_character'],
  ['a tab', 'a\tb', null, 'control_character'],
  ['NUL', 'a\0b', 'control_character', 'control_character'],
  ['escape', 'a\u001bb', 'control_character', 'control_character'],
  ['delete', 'a\u007fb', 'control_character', 'control_character'],
  ['next line (C1)', 'a\u0085b', 'control_character', 'control_character'],
  ['a lone high surrogate', 'a\ud83d', 'lone_surrogate', 'lone_surrogate'],
  ['a lone low surrogate', '\udce8a', 'lone_surrogate', 'lone_surrogate'],
]
for (const [name, text, inText, inLine] of faults) {
  test(`finds ${inText ?? 'no fault'} in a text and ${inLine ?? 'no fault'} in other strings: ${name} (D4)`, () => {
    assert.equal(textError(text), inText)
    assert.equal(lineError(text), inLine)
  })
}
