import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { encodeText } from '../../src/smpp/alphabets.ts'
import { decode, encode } from '../../src/smpp/codec.ts'
import type { OutgoingPdu } from '../../src/smpp/commands.ts'
import { composeReceipt } from '../../src/smpp/receipt.ts'
import { redact } from '../../src/smpp/redact.ts'
import { encodeConcatenation } from '../../src/smpp/udh.ts'

const redacted = (pdu: OutgoingPdu) => {
  const frame = encode(pdu)
  const before = Buffer.from(frame)
  const { bytes } = redact(frame)
  assert.deepEqual(frame, before, 'the original frame is unchanged')
  assert.equal(bytes.length, frame.length)
  return bytes
}

test('redacts only the password of a bind', () => {
  const bind = { system_id: 'himal', password: 'Tr0ub4d0r', system_type: 'SMPP', interface_version: 0x34 }
  const shown = decode(redacted({ command: 'bind_transceiver', sequence: 1, ...bind }))
  assert.ok('password' in shown)
  assert.deepEqual([shown.system_id, shown.password, shown.system_type], ['himal', '*********', 'SMPP'])
})

test('redacts the digits of a text in every alphabet and field, but not headers and numbers', () => {
  const digits = fc.stringMatching(/^[0-9]{6}$/)
  fc.assert(
    fc.property(
      digits,
      fc.constantFrom(0, 1, 3, 4, 8, 0xf0),
      fc.boolean(),
      fc.boolean(),
      (code, coding, isLong, inPayload) => {
        const text = `Himal: ${code} is your code`
        const body = encodeText(text, coding === 8 ? 'ucs2' : 'ascii') ?? assert.fail()
        const header = isLong ? encodeConcatenation({ reference: 0x35, total: 0x32, number: 0x31 }) : Buffer.alloc(0)
        const message = Buffer.concat([header, body])
        const place = inPayload ? { tlvs: { message_payload: message } } : { short_message: message }
        const common = {
          sequence: 7,
          destination_addr: '9779841000001',
          esm_class: isLong ? 0x40 : 0,
          data_coding: coding,
        }
        const bytes = redacted({ command: 'submit_sm', ...common, ...place })
        assert.equal(bytes.indexOf(code), -1)
        assert.equal(bytes.indexOf(encodeText(code, 'ucs2') ?? assert.fail()), -1)
        assert.ok(bytes.includes('9779841000001'))
        assert.ok(bytes.includes(header))
      },
    ),
  )
})

test('redacts Devanagari digits', () => {
  const short_message = encodeText('कोड १२३४५६', 'ucs2') ?? assert.fail()
  const bytes = redacted({ command: 'deliver_sm', sequence: 1, data_coding: 8, short_message })
  assert.ok(bytes.includes(encodeText('कोड ######', 'ucs2') ?? assert.fail()))
})

test('keeps the identifying fields of a receipt and redacts the quoted text', () => {
  const at = new Date('2026-11-16T04:00:00Z')
  const receipt = composeReceipt({
    id: '41394',
    state: 'DELIVRD',
    err: '000',
    submitAt: at,
    doneAt: at,
    text: 'Code 123456',
  })
  const bytes = redacted({ command: 'deliver_sm', sequence: 1, ...receipt })
  assert.ok(bytes.includes('id:41394'))
  assert.ok(bytes.includes('Code ######'))
  const unmarked = redacted({ command: 'deliver_sm', sequence: 1, ...receipt, esm_class: 0, tlvs: {} })
  assert.ok(unmarked.includes('id:41394') && !unmarked.includes('123456'))
})

test('keeps only the header of an unreadable frame', () => {
  const frame = encode({ command: 'submit_sm', sequence: 9, short_message: Buffer.from('123456') })
  frame.writeUInt32BE(0x00000099, 4)
  const { bytes, pdu } = redact(frame)
  assert.equal(pdu, null)
  assert.deepEqual(bytes.subarray(0, 16), frame.subarray(0, 16))
  assert.ok(bytes.subarray(16).every((byte) => byte === 0))
})
