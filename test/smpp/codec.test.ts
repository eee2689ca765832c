import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { decode, encode, RecoverablePduError, UnwritablePduError } from '../../src/smpp/codec.ts'
import { commands, type OutgoingPdu } from '../../src/smpp/commands.ts'
import { arbitraryPdu, commandNames, fullestPdu } from './arbitrary-pdu.ts'

const hex = (text: string) => Buffer.from(text.replace(/\s/g, ''), 'hex')

/** A frame with the correct length. */
function frameOf(id: number, body: string | Buffer, status = 0): Buffer {
  const bytes = typeof body === 'string' ? hex(body) : body
  const frame = Buffer.alloc(16 + bytes.length)
  frame.writeUInt32BE(frame.length, 0)
  frame.writeUInt32BE(id, 4)
  frame.writeUInt32BE(status, 8)
  frame.writeUInt32BE(7, 12)
  bytes.copy(frame, 16)
  return frame
}

describe('golden bytes', () => {
  const golden: { name: string; pdu: OutgoingPdu; bytes: string }[] = [
    {
      name: 'bind_transmitter, the example of SMPP 3.4 §3.2',
      pdu: {
        command: 'bind_transmitter',
        sequence: 1,
        system_id: 'SMPP3TEST',
        password: 'secret08',
        system_type: 'SUBMIT1',
        addr_ton: 1,
        addr_npi: 1,
      },
      bytes: `0000002F 00000002 00000000 00000001
              534D50503354455354 00 7365637265743038 00 5355424D495431 00 00 01 01 00`,
    },
    {
      name: 'submit_sm',
      pdu: {
        command: 'submit_sm',
        sequence: 2,
        source_addr_ton: 5,
        source_addr: 'Hulaki',
        dest_addr_ton: 1,
        dest_addr_npi: 1,
        destination_addr: '9779812345678',
        validity_period: '000000000500000R',
        registered_delivery: 1,
        short_message: Buffer.from('Hi'),
      },
      bytes: `00000046 00000004 00000000 00000002
              00 05 00 48756C616B69 00 01 01 39373739383132333435363738 00
              00 00 00 00 30303030303030303035303030303052 00 01 00 00 00 02 4869`,
    },
    {
      name: 'submit_sm_resp',
      pdu: { command: 'submit_sm_resp', sequence: 2, message_id: '1a2B' },
      bytes: '00000015 80000004 00000000 00000002 31613242 00',
    },
    {
      name: 'submit_sm_resp with an error has no body',
      pdu: { command: 'submit_sm_resp', sequence: 2, status: 0x58, message_id: 'never' },
      bytes: '00000010 80000004 00000058 00000002',
    },
    {
      name: 'deliver_sm with TLVs',
      pdu: {
        command: 'deliver_sm',
        sequence: 3,
        esm_class: 4,
        tlvs: {
          receipted_message_id: 'A1',
          message_state: 2,
          network_error_code: hex('030005'),
          unknown: [{ tag: 0x1401, value: hex('CAFE') }],
        },
      },
      bytes: `0000003A 00000005 00000000 00000003
              00 00 00 00 00 00 00 04 00 00 00 00 00 00 00 00 00
              001E 0003 413100 0427 0001 02 0423 0003 030005 1401 0002 CAFE`,
    },
    {
      name: 'enquire_link',
      pdu: { command: 'enquire_link', sequence: 0x7fffffff },
      bytes: '00000010 00000015 00000000 7FFFFFFF',
    },
    {
      name: 'generic_nack',
      pdu: { command: 'generic_nack', sequence: 9, status: 3 },
      bytes: '00000010 80000000 00000003 00000009',
    },
  ]
  for (const { name, pdu, bytes } of golden) {
    test(name, () => assert.equal(encode(pdu).toString('hex'), hex(bytes).toString('hex')))
  }
})

describe('round trips', () => {
  for (const command of commandNames) {
    test(`${command}, empty`, () => {
      const pdu = decode(encode({ command, sequence: 1 }))
      assert.equal(pdu.command, command)
      assert.deepEqual(Object.keys(pdu), [
        'command',
        'status',
        'sequence',
        ...Object.keys(commands[command].fields),
        'tlvs',
      ])
    })

    test(`${command}, every field at its longest`, () => {
      const pdu = fullestPdu(command)
      assert.deepEqual(decode(encode(pdu)), { ...pdu, status: 0, tlvs: {} })
    })

    test(`${command}, with an error`, () => {
      const { status, sequence } = decode(encode({ command, sequence: 5, status: 0x45 }))
      assert.deepEqual({ status, sequence }, { status: 0x45, sequence: 5 })
    })
  }

  test('decoding returns what was encoded', () => {
    fc.assert(
      fc.property(arbitraryPdu(), (pdu) => assert.deepEqual(decode(encode(pdu)), pdu)),
      { numRuns: 300 },
    )
  })
})

describe('rejects values that cannot be encoded', () => {
  const refused: { name: string; pdu: OutgoingPdu; says: RegExp }[] = [
    {
      name: 'a NUL in source_addr, which would rewrite the destination',
      pdu: { command: 'submit_sm', sequence: 1, source_addr: 'A\0\u0001\u00019779800000000' },
      says: /source_addr contains a NUL/,
    },
    {
      name: 'a character beyond ASCII in a C-string',
      pdu: { command: 'submit_sm', sequence: 1, source_addr: 'Hulakí' },
      says: /source_addr contains a NUL or a non-ASCII character/,
    },
    {
      name: 'a destination of 21 characters',
      pdu: { command: 'submit_sm', sequence: 1, destination_addr: '1'.repeat(21) },
      says: /destination_addr is longer than 20 characters/,
    },
    {
      name: 'a short_message of 255 bytes',
      pdu: { command: 'submit_sm', sequence: 1, short_message: Buffer.alloc(255) },
      says: /short_message is longer than 254 bytes/,
    },
    {
      name: 'an integer that does not fit',
      pdu: { command: 'submit_sm', sequence: 1, data_coding: 256 },
      says: /data_coding is not an integer from 0 to 255/,
    },
    {
      name: 'a fraction',
      pdu: { command: 'submit_sm', sequence: 1, data_coding: 0.5 },
      says: /data_coding is not an integer/,
    },
    {
      name: 'a NUL in a TLV',
      pdu: { command: 'deliver_sm', sequence: 1, tlvs: { receipted_message_id: 'a\0b' } },
      says: /receipted_message_id contains a NUL/,
    },
    {
      name: 'a TLV whose length does not fit in its header',
      pdu: { command: 'submit_sm', sequence: 1, tlvs: { message_payload: Buffer.alloc(65_536) } },
      says: /message_payload is longer than 65535 bytes/,
    },
  ]
  for (const { name, pdu, says } of refused) {
    test(name, () =>
      assert.throws(
        () => encode(pdu),
        (error) => error instanceof UnwritablePduError && says.test(error.message),
      ),
    )
  }
})

describe('an invalid body in a valid frame loses that PDU only', () => {
  const emptySubmit = '00'.repeat(16)
  const refused: { name: string; frame: Buffer; command: string | undefined; status: number }[] = [
    { name: 'an unknown command', frame: frameOf(0x03, ''), command: undefined, status: 0x03 },
    { name: 'a submit_sm without a body', frame: frameOf(0x04, ''), command: 'submit_sm', status: 0x02 },
    { name: 'a C-string without its NUL', frame: frameOf(0x04, '414243'), command: 'submit_sm', status: 0x02 },
    { name: 'a body that ends among its integers', frame: frameOf(0x04, '00 05'), command: 'submit_sm', status: 0x02 },
    {
      name: 'sm_length beyond the frame',
      frame: frameOf(0x05, `${emptySubmit} 05 4142`),
      command: 'deliver_sm',
      status: 0x02,
    },
    {
      name: 'a TLV beyond the frame',
      frame: frameOf(0x05, `${emptySubmit} 00 0424 0010 41`),
      command: 'deliver_sm',
      status: 0xc0,
    },
  ]
  for (const { name, frame, command, status } of refused) {
    test(name, () =>
      assert.throws(
        () => decode(frame),
        (error) =>
          error instanceof RecoverablePduError &&
          error.command === command &&
          error.status === status &&
          error.sequence === 7 &&
          !error.needsNoResponse,
      ),
    )
  }

  test('an unknown response needs no response', () => {
    assert.throws(
      () => decode(frameOf(0x80000003, '')),
      (error) => error instanceof RecoverablePduError && error.needsNoResponse,
    )
  })
})

describe('tolerates', () => {
  test('a response without a body, error or not', () => {
    const pdu = decode(frameOf(0x80000004, ''))
    assert(pdu.command === 'submit_sm_resp')
    assert.equal(pdu.message_id, '')
  })

  test('a message_id without its NUL', () => {
    const pdu = decode(frameOf(0x80000004, Buffer.from('abc')))
    assert(pdu.command === 'submit_sm_resp')
    assert.equal(pdu.message_id, 'abc')
  })

  test('a message_id longer than the specification allows', () => {
    const pdu = decode(frameOf(0x80000004, Buffer.from(`${'x'.repeat(100)}\0`)))
    assert(pdu.command === 'submit_sm_resp')
    assert.equal(pdu.message_id.length, 100)
  })

  test('a response with a truncated TLV', () => {
    const pdu = decode(frameOf(0x80000004, '3100 0424 0010 41'))
    assert(pdu.command === 'submit_sm_resp')
    assert.equal(pdu.message_id, '1')
  })

  test('a delivery with a truncated TLV, if its text is complete', () => {
    const pdu = decode(frameOf(0x05, `${'00'.repeat(16)} 02 4142 0427 0001 02 001e 0010 31`))
    assert(pdu.command === 'deliver_sm')
    assert.deepEqual([pdu.short_message.toString(), pdu.tlvs], ['AB', { message_state: 2 }])
  })

  test('up to three bytes of padding after a body', () => {
    const { tlvs } = decode(frameOf(0x05, '00'.repeat(17 + 3)))
    assert.deepEqual(tlvs, {})
  })

  test('non-ASCII bytes in an address', () => {
    const body = hex(`00 05 00 4875E9 00 ${'00'.repeat(13)}`)
    const pdu = decode(frameOf(0x05, body))
    assert(pdu.command === 'deliver_sm')
    assert.equal(pdu.source_addr, 'Hué')
  })

  test('a short_message of 255 bytes', () => {
    const pdu = decode(frameOf(0x05, `${'00'.repeat(16)} FF ${'41'.repeat(255)}`))
    assert(pdu.command === 'deliver_sm')
    assert.equal(pdu.short_message.length, 255)
  })

  test('an integer TLV of the wrong width, as raw bytes', () => {
    const { tlvs } = decode(frameOf(0x05, `${'00'.repeat(17)} 0427 0000 0204 0001 05 0427 0001 02`))
    assert.deepEqual(tlvs, {
      message_state: 2,
      unknown: [
        { tag: 0x0427, value: Buffer.alloc(0) },
        { tag: 0x0204, value: hex('05') },
      ],
    })
  })

  test('a receipted_message_id with or without its NUL', () => {
    for (const value of ['0003 413100', '0002 4131']) {
      const { tlvs } = decode(frameOf(0x05, `${'00'.repeat(17)} 001E ${value}`))
      assert.equal(tlvs.receipted_message_id, 'A1')
    }
  })
})
