import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { decode, encode } from '../../src/smpp/codec.ts'
import type { Body, Pdu } from '../../src/smpp/commands.ts'
import { composeReceipt, isReceipt, readReceipt, readsLikeReceipt } from '../../src/smpp/receipt.ts'

function deliverSm(message: Body<'deliver_sm'>): Pdu<'deliver_sm'> {
  const pdu = decode(encode({ command: 'deliver_sm', sequence: 1, ...message }))
  assert(pdu.command === 'deliver_sm')
  return pdu
}

const ascii = (text: string) => Buffer.from(text, 'latin1')
const readText = (text: string) => readReceipt(deliverSm({ esm_class: 4, short_message: ascii(text) }))

const standard =
  'id:0A1b2C sub:001 dlvrd:001 submit date:2601021504 done date:260102150533 stat:DELIVRD err:000 text:Your code is'

describe('recognizes a receipt', () => {
  const cases: [string, Body<'deliver_sm'>, boolean][] = [
    ['by esm_class 0x04', { esm_class: 0x04 }, true],
    ['by esm_class 0x20, an intermediate notification', { esm_class: 0x20 }, true],
    ['by esm_class 0x04 with other bits', { esm_class: 0x44 }, true],
    ['by receipted_message_id', { tlvs: { receipted_message_id: '1' } }, true],
    ['not by its text, which any handset can write', { short_message: ascii(standard) }, false],
    ['not by a delivery acknowledgement of a handset', { esm_class: 0x08 }, false],
    ['not by a plain text', { short_message: ascii('YES') }, false],
  ]
  for (const [name, message, expected] of cases) {
    test(name, () => assert.equal(isReceipt(deliverSm(message)), expected))
  }
})

describe('recognizes the text of a receipt', () => {
  const cases: [string, Body<'deliver_sm'>, boolean][] = [
    ['by id: with stat: in the body', { short_message: ascii(standard) }, true],
    ['by id: with stat: in message_payload', { tlvs: { message_payload: ascii(standard) } }, true],
    ['not by id: alone', { short_message: ascii('my id:5') }, false],
    ['not by words that end in id and stat', { short_message: ascii('paid:5 thermostat:7') }, false],
  ]
  for (const [name, message, expected] of cases) {
    test(name, () => assert.equal(readsLikeReceipt(deliverSm(message)), expected))
  }
})

describe('reads a receipt', () => {
  test('the common form', () =>
    assert.deepEqual(readText(standard), {
      id: '0A1b2C',
      state: 'DELIVRD',
      err: '000',
      submitAt: new Date('2026-01-02T15:04:00Z'),
      doneAt: new Date('2026-01-02T15:05:33Z'),
      isIntermediate: false,
      text: standard,
    }))

  test('fields in any order, any case, some missing', () => {
    const { id, state, err, submitAt, doneAt } = readText('STAT:undeliv ERR:027 Done Date:20260102150533 ID:77')
    assert.deepEqual(
      { id, state, err, submitAt, doneAt },
      { id: '77', state: 'UNDELIV', err: '027', submitAt: undefined, doneAt: new Date('2026-01-02T15:05:33Z') },
    )
  })

  test('separated by commas, spaces after the colons', () => {
    const { id, state } = readText('id: 77, stat: EXPIRED, err: 1')
    assert.deepEqual({ id, state }, { id: '77', state: 'EXPIRED' })
  })

  test('an id that is a UUID', () =>
    assert.equal(
      readText('id:0190a5e2-7c1b-7000-8000-000000000001 stat:DELIVRD').id,
      '0190a5e2-7c1b-7000-8000-000000000001',
    ))

  test("the message text cannot override the carrier's fields", () => {
    const { state, err } = readText('id:1 stat:UNDELIV err:5 text:stat:DELIVRD err:0')
    assert.deepEqual({ state, err }, { state: 'UNDELIV', err: '5' })
  })

  test('text: before the other fields', () => assert.equal(readText('text:hello id:1 stat:DELIVRD').state, 'DELIVRD'))

  test('the body is ASCII for every data_coding', () => {
    const pdu = deliverSm({ esm_class: 4, data_coding: 8, short_message: ascii(standard) })
    assert.equal(readReceipt(pdu).id, '0A1b2C')
  })

  test('an empty field does not take the next field or the message text as its value', () => {
    const { id, state, err } = readText('id: sub:001 submit date: done date: stat: err: text:123456 is your code')
    assert.deepEqual({ id, state, err }, { id: '', state: undefined, err: undefined })
    assert.equal(readText('id:7 stat: DELIVRD err: text:123456').state, 'DELIVRD')
    assert.equal(readText('id:7 stat:DELIVRD err: Text :123456').err, undefined)
  })

  test('a body in UCS-2', () => {
    const inUcs2 = Buffer.from(standard, 'utf16le').swap16()
    const { id, state, text } = readReceipt(deliverSm({ esm_class: 4, data_coding: 8, short_message: inUcs2 }))
    assert.deepEqual({ id, state, text }, { id: '0A1b2C', state: 'DELIVRD', text: standard })
  })

  test('from the TLVs alone', () => {
    const pdu = deliverSm({
      esm_class: 4,
      tlvs: { receipted_message_id: 'xyz', message_state: 5, network_error_code: Buffer.from('030102', 'hex') },
    })
    const { id, state, err } = readReceipt(pdu)
    assert.deepEqual({ id, state, err }, { id: 'xyz', state: 'UNDELIV', err: '258' })
  })

  test('TLVs override the body', () => {
    const tlvs = { receipted_message_id: 'fromTlv', message_state: 3 }
    const { id, state } = readReceipt(deliverSm({ short_message: ascii(standard), tlvs }))
    assert.deepEqual({ id, state }, { id: 'fromTlv', state: 'EXPIRED' })
  })

  test('an unknown message_state falls back to the body', () =>
    assert.equal(
      readReceipt(deliverSm({ short_message: ascii(standard), tlvs: { message_state: 99 } })).state,
      'DELIVRD',
    ))

  test('an intermediate notification is marked', () =>
    assert(readReceipt(deliverSm({ esm_class: 0x20, short_message: ascii(standard) })).isIntermediate))

  test('in a data_sm', () => {
    const tlvs = { message_payload: ascii(standard) }
    const pdu = decode(encode({ command: 'data_sm', sequence: 1, esm_class: 4, tlvs }))
    assert(pdu.command === 'data_sm' && isReceipt(pdu))
    assert.equal(readReceipt(pdu).state, 'DELIVRD')
  })

  test('an empty receipt', () => {
    const { id, state, err } = readText('')
    assert.deepEqual({ id, state, err }, { id: '', state: undefined, err: undefined })
  })

  test('reads any bytes without an error', () => {
    const words = fc.constantFrom('id:', 'stat:', 'text:', 'submit date:', ' ', 'err :', '\0', '\xff', 'a', '1')
    fc.assert(fc.property(fc.array(words, { maxLength: 80 }), (parts) => void readText(parts.join('').slice(0, 254))))
  })
})

describe('a composed receipt', () => {
  const receipt = {
    id: '42',
    state: 'REJECTD',
    err: '011',
    submitAt: new Date('2026-01-02T03:04:00Z'),
    doneAt: new Date('2026-01-02T03:05:00Z'),
    text: 'A text that goes on for more than twenty characters',
  }

  test('has the format of appendix B', () =>
    assert.equal(
      composeReceipt(receipt).short_message?.toString('latin1'),
      'id:42 sub:001 dlvrd:000 submit date:2601020304 done date:2601020305 stat:REJECTD err:011 text:A text that goes on ',
    ))

  test('is read back unchanged', () => {
    const pdu = deliverSm(composeReceipt(receipt))
    assert(isReceipt(pdu))
    const { id, state, err, submitAt, doneAt } = readReceipt(pdu)
    assert.deepEqual({ id, state, err, submitAt, doneAt, text: receipt.text }, receipt)
    assert.equal(pdu.tlvs.message_state, 8)
  })

  test('is ASCII for every text', () => {
    const pdu = deliverSm(composeReceipt({ ...receipt, id: 'x'.repeat(64), text: 'नमस्ते \0 é' }))
    assert.match(pdu.short_message.toString('latin1'), / text:\?{6} \? \?$/)
  })
})
