import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  addressKey,
  isSenderAddress,
  type SenderRules,
  senderAddress,
} from '../../../src/domain/carriers/sender-address.ts'
import { cString } from '../../../src/smpp/fields.ts'

/** SMPP 3.4 §4.4.1: 20 octets and a NUL. */
const SOURCE_ADDR = cString(21)

const rules = (defaultSender: string | null, own: Partial<SenderRules> = {}): SenderRules => ({
  defaultSender,
  senderRewrites: {},
  allowedSenders: [],
  ...own,
})

test('converts digits to a number or a short code, anything else to a word of up to eleven ASCII characters (D34)', () => {
  const table: [sender: string, kind: string, address: string][] = [
    ['9779801234567', 'number', '9779801234567'],
    ['+9779801234567', 'number', '9779801234567'],
    ['123456789012345', 'number', '123456789012345'],
    ['1234567', 'number', '1234567'],
    ['3355', 'shortCode', '3355'],
    ['123456', 'shortCode', '123456'],
    ['１２３４', 'shortCode', '1234'],
    ['Himal', 'word', 'Himal'],
    ['Himal Bank Nepal', 'word', 'Himal Bank'],
    ['Café €£', 'word', 'Cafe EL'],
    ['Señor Groß', 'word', 'Senor Gross'],
    ['ÆØÅ', 'word', 'AEOA'],
    ['ΓΔΘΛΞΠΣΦΨΩ', 'word', 'GDThLXPSFPs'],
    ['नमस्ते Bank', 'word', 'Bank'],
    ['A\u00a0नमस्ते\u0000\tB', 'word', 'A B'],
    ['24x7', 'word', '24x7'],
  ]
  for (const [sender, kind, address] of table) {
    assert.deepEqual(senderAddress(sender, rules('Everest')), { kind, address }, sender)
  }
})

test('uses the default sender of the carrier for an empty or forbidden sender, then the last resort (D34)', () => {
  const long = '1234567890123456789012345'
  for (const sender of ['', ' ', 'नमस्ते', '!!!', '12 34', long, `+${long}`, '\ud800']) {
    assert.deepEqual(senderAddress(sender, rules('Everest')), { kind: 'word', address: 'Everest' }, sender)
    assert.deepEqual(senderAddress(sender, rules('3355')), { kind: 'shortCode', address: '3355' }, sender)
    assert.deepEqual(senderAddress(sender, rules(null)), { kind: 'word', address: 'SMS' }, sender)
    assert.deepEqual(senderAddress(sender, rules('नमस्ते')), { kind: 'word', address: 'SMS' }, sender)
  }
})

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 100 }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)), maxLength: 100 }),
  fc.string({ unit: fc.constantFrom(...'0123456789+ '), maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(...'aZ9 é€ßﷺ\u0000\ud800'), maxLength: 40 }),
)

test('produces an address that SMPP can carry for every sender and default (D34, property)', () => {
  fc.assert(
    fc.property(anyText, fc.option(anyText), (sender, defaultSender) => {
      const { kind, address } = senderAddress(sender, rules(defaultSender))
      assert.equal(SOURCE_ADDR.problem(address), undefined)
      assert.match(address, kind === 'word' ? /^(?=.*[a-z])[!-~]([ -~]{0,9}[!-~])?$/i : /^\d{1,15}$/)
      assert(isSenderAddress(address))
      assert.deepEqual(senderAddress(address, rules(null)), { kind, address }, 'the address is stable')
    }),
    { numRuns: 5_000 },
  )
})

test('compares addresses without the plus and the case (D18)', () => {
  assert.equal(addressKey('+9779801234567'), addressKey('9779801234567'))
  assert.equal(addressKey('SHOP'), addressKey('Shop'))
  assert.notEqual(addressKey('Shop'), addressKey('Shops'))
})

test('applies rewrites, then the address, the allow list, the default, and the first allowed sender (D55)', () => {
  const own = {
    senderRewrites: { 'himal bank': 'HIMAL', '9779801234567': '3355', constructor: 'Built' },
    allowedSenders: ['HIMAL', '3355'],
  }
  for (const [sender, defaultSender, expected] of [
    ['Himal Bank', null, 'HIMAL'],
    ['+9779801234567', 'Everest', '3355'],
    ['himal', null, 'himal'],
    ['Brand', 'Everest', 'Everest'],
    ['Brand', null, 'HIMAL'],
    ['toString', null, 'HIMAL'],
  ] as const) {
    assert.equal(senderAddress(sender, rules(defaultSender, own)).address, expected, sender)
  }
  assert.equal(senderAddress('toString', rules(null)).address, 'toString', 'inherited properties are not rewrites')
})
