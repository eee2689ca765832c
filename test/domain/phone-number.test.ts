// Which numbers can receive SMS, and their formats (§4.1, D1, D2).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { getCountries, getExampleNumber } from 'libphonenumber-js/max'
import mobileExamples from 'libphonenumber-js/mobile/examples'
import { callingPrefix, canReach, readPhoneNumber } from '../../src/domain/phone-number.ts'

const read: [input: string, home: string, e164: string, country: string][] = [
  ['9841234567', 'NP', '+9779841234567', 'NP'],
  ['9741234567', 'NP', '+9779741234567', 'NP'],
  ['9641234567', 'NP', '+9779641234567', 'NP'],
  ['9779841234567', 'NP', '+9779841234567', 'NP'],
  ['+9779841234567', 'NP', '+9779841234567', 'NP'],
  ['9779812345', 'NP', '+9779779812345', 'NP'],
  ['09841234567', 'NP', '+9779841234567', 'NP'],
  ['09779812345', 'NP', '+9779779812345', 'NP'],
  ['009779841234567', 'NP', '+9779841234567', 'NP'],
  ['00919876543210', 'IN', '+919876543210', 'IN'],
  ['+9779841234567', 'IN', '+9779841234567', 'NP'],
  ['+919876543210', 'NP', '+919876543210', 'IN'],
  ['9876543210', 'IN', '+919876543210', 'IN'],
  ['09876543210', 'IN', '+919876543210', 'IN'],
  ['919876543210', 'IN', '+919876543210', 'IN'],
  ['9198765432', 'IN', '+919198765432', 'IN'],
  ['+8801712345678', 'NP', '+8801712345678', 'BD'],
  ['01712345678', 'BD', '+8801712345678', 'BD'],
  ['8801712345678', 'BD', '+8801712345678', 'BD'],
  ['+12122345678', 'NP', '+12122345678', 'US'],
  ['2122345678', 'US', '+12122345678', 'US'],
  ['12122345678', 'US', '+12122345678', 'US'],
  ['4162345678', 'US', '+14162345678', 'CA'],
  ['+18095551234', 'NP', '+18095551234', 'DO'],
  ['+447400123456', 'NP', '+447400123456', 'GB'],
  ['+4407400123456', 'NP', '+447400123456', 'GB'],
  ['07400123456', 'GB', '+447400123456', 'GB'],
  ['+447781123456', 'NP', '+447781123456', 'GG'],
  ['07781123456', 'GB', '+447781123456', 'GG'],
  ['+447797712345', 'NP', '+447797712345', 'JE'],
  ['+447624123456', 'NP', '+447624123456', 'IM'],
  ['+79161234567', 'NP', '+79161234567', 'RU'],
  ['+77011234567', 'NP', '+77011234567', 'KZ'],
  ['+5491123456789', 'NP', '+5491123456789', 'AR'],
]
for (const [input, home, e164, country] of read) {
  test(`reads ${input} from ${home} as ${e164} in ${country} (D1)`, () => {
    assert.deepEqual(readPhoneNumber(input, home), { ok: true, e164, country })
  })
}

const refused: [input: string, home: string, why: string, because: string][] = [
  ['+97714123456', 'NP', 'not_a_mobile', 'a landline in Kathmandu'],
  ['14123456', 'NP', 'not_a_mobile', 'a landline in Kathmandu'],
  ['9541234567', 'NP', 'not_a_mobile', '95 is no mobile in Nepal'],
  ['984123456', 'NP', 'not_a_mobile', 'a digit short'],
  ['98412345678', 'NP', 'not_a_mobile', 'a digit long'],
  ['+97798412345678', 'IN', 'not_a_mobile', 'a digit long'],
  ['014412345', 'NP', 'not_a_mobile', 'a landline in Kathmandu, as it is dialled'],
  ['0097714412345', 'NP', 'not_a_mobile', 'a landline in Kathmandu, as it is dialled from abroad'],
  ['009841234567', 'NP', 'not_a_mobile', 'two zeros and no 977'],
  ['09779841234567', 'NP', 'not_a_mobile', 'one zero before 977'],
  ['+09841234567', 'NP', 'not_a_number', 'an unknown calling code'],
  ['00919876543210', 'NP', 'not_a_mobile', 'another country, dialled from Nepal: it needs its plus'],
  ['8801712345678', 'NP', 'not_a_mobile', 'another country without its plus'],
  ['8801712345678', 'IN', 'not_a_number', 'another country without its plus'],
  ['447400123456', 'BD', 'not_a_number', 'another country without its plus'],
  ['009779841234567', 'IN', 'not_a_number', 'an international prefix is not a plus'],
  ['9779841234567', 'IN', 'not_a_number', 'digits without a plus are read at home'],
  ['919876543210', 'NP', 'not_a_mobile', 'digits without a plus are read at home'],
  ['+911123456789', 'NP', 'not_a_mobile', 'a landline in Delhi'],
  ['+442079460018', 'NP', 'not_a_mobile', 'a landline in London'],
  ['+447012345678', 'NP', 'not_a_mobile', 'a personal number'],
  ['+447640123456', 'NP', 'not_a_mobile', 'a pager'],
  ['+445612345678', 'NP', 'not_a_mobile', 'VoIP'],
  ['+18004444444', 'NP', 'not_a_mobile', 'toll-free'],
  ['+541123456789', 'NP', 'not_a_mobile', 'a landline in Buenos Aires: mobiles have a 9'],
  ['+870773123456', 'NP', 'not_a_mobile', 'a satellite has no country'],
  ['+447700900123', 'NP', 'not_a_number', 'reserved for films'],
  ['+999123456789', 'NP', 'not_a_number', 'an unknown calling code'],
  ['+0001234567', 'NP', 'not_a_number', 'an unknown calling code'],
  ['9876543210', 'AQ', 'not_a_number', 'a home country without a numbering plan'],
  ['9876543210', '', 'not_a_number', 'no home country'],
  ['+919876', 'NP', 'not_a_number', 'fewer than 7 digits'],
  ['+9198765432101234', 'NP', 'not_a_number', 'more than 15 digits'],
  ['+91 98765 43210', 'NP', 'not_a_number', 'spaces'],
  ['+919876543210\n', 'NP', 'not_a_number', 'a line break at the end'],
  ['९८४१२३४५६७', 'NP', 'not_a_number', 'digits that are not ASCII'],
  ['', 'NP', 'not_a_number', 'nothing'],
]
for (const [input, home, why, because] of refused) {
  test(`rejects '${input.trim()}' from ${home || 'nowhere'} as ${why}: ${because} (D2)`, () => {
    assert.deepEqual(readPhoneNumber(input, home), { ok: false, why })
  })
}

// Territories whose mobile numbers cannot be distinguished from those of the country with the same numbering plan.
const sharedPlan: Record<string, string> = {
  AX: 'FI',
  BL: 'GP',
  CC: 'AU',
  CX: 'AU',
  EH: 'MA',
  IM: 'GB',
  MF: 'GP',
  SJ: 'NO',
  VA: 'IT',
}

test('reads a mobile number of every country with a plus, in national digits, and with its calling code (D1)', () => {
  for (const home of getCountries()) {
    const example = getExampleNumber(home, mobileExamples)
    assert.ok(example)
    const expected = { ok: true, e164: example.number, country: sharedPlan[home] ?? home }
    assert.deepEqual(readPhoneNumber(example.number, 'NP'), expected)
    const national = example.formatNational().replace(/\D/g, '')
    if (national.length >= 7) assert.deepEqual(readPhoneNumber(national, home), expected)
    assert.deepEqual(readPhoneNumber(example.number.slice(1), home), expected)
  }
})

test('never reads a number without a plus beyond the calling code of the home country (D42)', () => {
  const mobiles = getCountries().flatMap((country) => getExampleNumber(country, mobileExamples)?.number ?? [])
  for (const home of ['NP', 'IN', 'BD', 'US', 'GB', 'KZ'] as const) {
    for (const mobile of mobiles) {
      const number = readPhoneNumber(mobile.slice(1), home)
      if (number.ok) assert.ok(number.e164.startsWith(callingPrefix(home)), `${mobile} from ${home}`)
    }
  }
})

const reached: [country: string, prefixes: string[], reaches: boolean][] = [
  ['NP', ['+97798'], true],
  ['NP', ['+977'], true],
  ['NP', ['+9'], true],
  ['NP', ['+91', '+880'], false],
  ['NP', [], false],
  ['IN', ['+97798', '+9198'], true],
  ['NP', ['+9771'], false],
  ['NP', ['+97795'], false],
  ['NP', ['+97795', '+97796'], true],
  ['NP', ['+9779841234567'], true],
  ['NP', ['+97798412345678'], false],
  ['IN', ['+911'], true],
  ['IN', ['+9111'], false],
  ['BD', ['+8801'], true],
  ['BD', ['+8802'], false],
  ['US', ['+1416'], false],
  ['CA', ['+1416'], true],
  ['XX', ['+'], false],
  ['US', ['+1809'], false],
  ['DO', ['+1809'], true],
  ['US', ['+14162345678'], false],
  ['RU', ['+7701'], false],
  ['KZ', ['+7701'], true],
  ['KZ', ['+7916'], false],
  ['KZ', ['+7'], true],
  ['RU', Array.from({ length: 21 }, (_, index) => `+7701${index}`), false],
]
for (const [country, prefixes, reaches] of reached) {
  const some = prefixes.length > 3 ? `${prefixes.length} prefixes, for example ${prefixes[0]}` : `[${prefixes}]`
  test(`${some} ${reaches ? 'can reach' : 'cannot reach'} ${country} (D41)`, () => {
    assert.equal(canReach(country, prefixes), reaches)
  })
}

/** All or some of their mobile numbers are read as those of the larger country with the same calling code. */
const NOT_TOLD_APART = new Set(['AX', 'BL', 'CC', 'CX', 'EH', 'IM', 'MF', 'SJ', 'VA'])

test('lets every prefix of a mobile number reach its country (D41)', () => {
  for (const country of getCountries()) {
    const number = readPhoneNumber(getExampleNumber(country, mobileExamples)?.number ?? '', 'NP')
    if (!number.ok) continue
    for (let length = 1; length <= number.e164.length; length++)
      assert.ok(canReach(number.country, [number.e164.slice(0, length)]), number.e164.slice(0, length))
  }
})

test('extends every prefix that reaches a country to a mobile number, digit by digit (D41, property)', () => {
  const countries = getCountries().filter((it) => !NOT_TOLD_APART.has(it))
  fc.assert(
    fc.property(fc.constantFrom(...countries), fc.infiniteStream(fc.nat(9)), (country, chance) => {
      let prefix = '+'
      const longer = () =>
        Array.from({ length: 10 }, (_, digit) => `${prefix}${digit}`).filter((it) => canReach(country, [it]))
      for (let grown = longer(); grown.length > 0; grown = longer())
        prefix = grown[(chance.next().value ?? 0) % grown.length] ?? assert.fail()
      const number = readPhoneNumber(prefix, 'NP')
      assert.deepEqual(number, { ok: true, e164: prefix, country })
    }),
    { numRuns: 500 },
  )
})

test('lets the prefixes of every mobile number reach its country (D41, property)', () => {
  const some = fc.constantFrom('NP', 'IN', 'BD', 'GB', 'US', 'AR')
  fc.assert(
    fc.property(some, fc.stringMatching(/^\d{10}$/), fc.integer({ min: 1, max: 10 }), (country, national, cut) => {
      const number = readPhoneNumber(callingPrefix(country) + national, 'NP')
      if (number.ok) assert.ok(canReach(number.country, [number.e164.slice(0, -cut)]))
    }),
    { numRuns: 5000 },
  )
})

const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 5, maxLength: 16 })
const inputs = fc
  .tuple(fc.constantFrom('', '+', '98', '977', '+977', '+91', '+44', '+1'), digits)
  .map((parts) => parts.join(''))

test('reads its own E.164 result as itself from every home country (D1, property)', () => {
  fc.assert(
    fc.property(inputs, fc.constantFrom('NP', 'IN', 'US', 'GB', 'AQ'), (input, home) => {
      const number = readPhoneNumber(input, home)
      if (!number.ok) return
      assert.match(number.e164, /^\+[1-9]\d{6,14}$/)
      assert.deepEqual(readPhoneNumber(number.e164, 'NP'), number)
      assert.deepEqual(readPhoneNumber(number.e164, 'BD'), number)
    }),
  )
})
