import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { decode, encode } from '../../src/smpp/codec.ts'
import type { Body } from '../../src/smpp/commands.ts'
import { ESM_CLASS_UDHI, encodeConcatenation, readUserData } from '../../src/smpp/udh.ts'

function read(message: Body<'deliver_sm'>) {
  const pdu = decode(encode({ command: 'deliver_sm', sequence: 1, ...message }))
  assert(pdu.command === 'deliver_sm')
  const { body, part } = readUserData(pdu)
  return { body: body.toString('latin1'), part }
}

const hex = (text: string) => Buffer.from(text, 'hex')

test('8-bit concatenation is six bytes', () => {
  const header = encodeConcatenation({ reference: 0x1c7, total: 3, number: 2 })
  assert.equal(header.toString('hex'), '050003c70302')
})

test('reads back an encoded header', () => {
  const part = fc
    .integer({ min: 2, max: 255 })
    .chain((total) =>
      fc.record({ reference: fc.nat(255), total: fc.constant(total), number: fc.integer({ min: 1, max: total }) }),
    )
  fc.assert(
    fc.property(part, fc.uint8Array({ maxLength: 134 }), ({ reference, total, number }, text) => {
      const short_message = Buffer.concat([encodeConcatenation({ reference, total, number }), text])
      assert.deepEqual(read({ esm_class: ESM_CLASS_UDHI, short_message }), {
        body: Buffer.from(text).toString('latin1'),
        part: { reference, referenceBits: 8, total, number },
      })
    }),
  )
})

describe('reads the part of a long message', () => {
  const udhi = ESM_CLASS_UDHI
  test('a 16-bit reference', () =>
    assert.deepEqual(read({ esm_class: udhi, short_message: hex('060804beef020141') }), {
      body: 'A',
      part: { reference: 0xbeef, referenceBits: 16, total: 2, number: 1 },
    }))

  test('after another element', () =>
    assert.deepEqual(read({ esm_class: udhi, short_message: hex('0b05040b8423f0000307020241') }), {
      body: 'A',
      part: { reference: 7, referenceBits: 8, total: 2, number: 2 },
    }))

  test('in message_payload', () =>
    assert.deepEqual(read({ esm_class: udhi, tlvs: { message_payload: hex('05000307020141') } }).part?.number, 1))

  test('in sar_*', () =>
    assert.deepEqual(
      read({ short_message: hex('41'), tlvs: { sar_msg_ref_num: 300, sar_total_segments: 2, sar_segment_seqnum: 1 } }),
      { body: 'A', part: { reference: 300, referenceBits: 16, total: 2, number: 1 } },
    ))

  test('not from a single sar_* TLV', () =>
    assert.equal(read({ short_message: hex('41'), tlvs: { sar_msg_ref_num: 300 } }).part, undefined))
})

describe('ignores', () => {
  const cases: [string, string, string][] = [
    ['part 3 of 2', '05000307020341', 'A'],
    ['part 0', '05000307020041', 'A'],
    ['the only part', '05000307010141', 'A'],
    ['a header of another kind', '0605040b8423f041', 'A'],
    ['an element longer than the header', '0500ff07020141', 'A'],
  ]
  for (const [name, message, body] of cases) {
    test(name, () =>
      assert.deepEqual(read({ esm_class: 0x40, short_message: hex(message) }), { body, part: undefined }),
    )
  }

  test('a header longer than the message is text', () =>
    assert.deepEqual(read({ esm_class: 0x40, short_message: Buffer.from('zA') }), { body: 'zA', part: undefined }))

  test('the bytes of a header without its bit in esm_class are text', () =>
    assert.equal(read({ short_message: hex('05000307020141') }).part, undefined))

  test('an empty message', () => assert.deepEqual(read({ esm_class: 0x40 }), { body: '', part: undefined }))

  test('reads any bytes without an error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 30 }), (bytes) => {
        read({ esm_class: 0x40, short_message: Buffer.from(bytes) })
      }),
    )
  })
})
