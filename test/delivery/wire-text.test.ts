// Every text with every setting is sent in the charged number of segments (D3, D57), and each fits a short message.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { wireText } from '../../src/delivery/smpp/wire-text.ts'
import type { SmppCarrier } from '../../src/domain/carriers/carrier.ts'
import { DEFAULT_SMPP_SETTINGS, type SmppSettings } from '../../src/domain/carriers/smpp/smpp-settings.ts'
import { GSM_SEPTETS, septetCount, splitText } from '../../src/domain/text-encoding.ts'
import { encodeText } from '../../src/smpp/alphabets.ts'

type Likes = Partial<SmppSettings>
const carrier = (own: Likes) => ({ smpp: { ...DEFAULT_SMPP_SETTINGS, ...own } }) as SmppCarrier

const anyText = fc.oneof(
  fc.string({ unit: fc.constantFrom(...GSM_SEPTETS.keys()), minLength: 1, maxLength: 900 }),
  fc.string({ unit: fc.constantFrom('a', 'é', '€', '{', 'Ω'), minLength: 1, maxLength: 400 }),
  fc.string({ unit: fc.constantFrom('न', '😀', 'a'), minLength: 1, maxLength: 300 }),
)
const anyLikes: fc.Arbitrary<Likes> = fc.record({
  alphabet: fc.constantFrom('gsm', 'latin1', 'ascii'),
  longMessages: fc.constantFrom('udh', 'sar', 'payload'),
  fallback: fc.constantFrom('ucs2', 'nearest'),
  referenceBits: fc.constantFrom(8, 16),
})

test('D3, D57: never more segments than charged, each encodable and short enough for its header', () => {
  fc.assert(
    fc.property(anyText, anyLikes, (text, likes) => {
      const paid = splitText(text).segments.length
      const { alphabet, segments, referenceBits } = wireText(text, carrier(likes))
      assert.equal(segments.length, paid)
      assert.equal(segments.join('').length, text.length, 'one character for one')
      const less = referenceBits === 16 ? 1 : 0
      for (const segment of segments) {
        assert(encodeText(segment, alphabet), 'encodable')
        const units = alphabet === 'ucs2' ? segment.length : (septetCount(segment) ?? Number.NaN)
        const [alone, joined] = alphabet === 'ucs2' ? [70, 67] : [160, 153]
        assert(units <= (paid === 1 ? alone : joined - less), `${units} units of ${alphabet}`)
      }
      if (alphabet === 'ucs2' || alphabet === 'gsm') assert.equal(segments.join(''), text, 'no character is lost')
    }),
    { numRuns: 2_000 },
  )
})

test('D57: a 16-bit reference applies to headers only', () => {
  const text = 'x'.repeat(200)
  const bits = (longMessages: SmppSettings['longMessages'], referenceBits: 8 | 16) =>
    wireText(text, carrier({ alphabet: 'gsm', longMessages, referenceBits })).referenceBits
  assert.deepEqual([bits('udh', 8), bits('udh', 16), bits('sar', 16), bits('payload', 16)], [8, 16, 8, 8])
})
