// User data headers and parts of long messages (GSM 03.40 §9.2.3.24, SMPP 3.4 §5.3.2.22-24).
import type { Pdu } from './commands.ts'

/** The esm_class bit of a user data header. */
export const ESM_CLASS_UDHI = 0x40

const CONCATENATION_8_BIT = 0x00
const CONCATENATION_16_BIT = 0x08

export type MessagePart = { reference: number; referenceBits: 8 | 16; total: number; number: number }

type UserData = {
  /** The message without headers. */
  body: Buffer
  /** Set on one part of a long message. */
  part: MessagePart | undefined
}

/** The header of a part: with an 8-bit reference 153 septets or 67 UCS-2 units remain, with 16 bits 152 or 66. */
export function encodeConcatenation({
  referenceBits = 8,
  ...part
}: Omit<MessagePart, 'referenceBits'> & { referenceBits?: 8 | 16 }): Buffer {
  if (referenceBits === 16) {
    const [high, low] = [(part.reference >> 8) & 0xff, part.reference & 0xff]
    return Buffer.from([0x06, CONCATENATION_16_BIT, 0x04, high, low, part.total, part.number])
  }
  return Buffer.from([0x05, CONCATENATION_8_BIT, 0x03, part.reference & 0xff, part.total, part.number])
}

/** Reads the text and the part number from all places that SMPP allows. */
export function readUserData(pdu: Pdu<'submit_sm' | 'deliver_sm' | 'data_sm'>): UserData {
  const bytes = messageBytes(pdu)
  const sarPart = readSar(pdu)
  // A header longer than its message is invalid: all bytes are text.
  const headerBytes = 1 + (bytes[0] ?? 0)
  if ((pdu.esm_class & ESM_CLASS_UDHI) === 0 || headerBytes > bytes.length) return { body: bytes, part: sarPart }
  return { body: bytes.subarray(headerBytes), part: readHeader(bytes.subarray(1, headerBytes)) ?? sarPart }
}

/** The message is in short_message or, if that is empty, in message_payload. */
export function messageBytes(pdu: Pdu<'submit_sm' | 'deliver_sm' | 'data_sm'>): Buffer {
  const short = pdu.command === 'data_sm' ? undefined : pdu.short_message
  return short && short.length > 0 ? short : (pdu.tlvs.message_payload ?? Buffer.alloc(0))
}

function readHeader(header: Buffer): MessagePart | undefined {
  for (let at = 0; at + 2 <= header.length; ) {
    const element = header.readUInt8(at)
    const end = at + 2 + header.readUInt8(at + 1)
    if (end > header.length) return undefined
    const part = readConcatenation(element, header.subarray(at + 2, end))
    if (part !== undefined) return part
    at = end
  }
  return undefined
}

function readConcatenation(element: number, data: Buffer): MessagePart | undefined {
  if (element === CONCATENATION_8_BIT && data.length === 3) {
    return checked({
      reference: data.readUInt8(0),
      referenceBits: 8,
      total: data.readUInt8(1),
      number: data.readUInt8(2),
    })
  }
  if (element === CONCATENATION_16_BIT && data.length === 4) {
    return checked({
      reference: data.readUInt16BE(0),
      referenceBits: 16,
      total: data.readUInt8(2),
      number: data.readUInt8(3),
    })
  }
  return undefined
}

function readSar({ tlvs }: Pdu<'submit_sm' | 'deliver_sm' | 'data_sm'>): MessagePart | undefined {
  const { sar_msg_ref_num: reference, sar_total_segments: total, sar_segment_seqnum: number } = tlvs
  if (reference === undefined || total === undefined || number === undefined) return undefined
  return checked({ reference, referenceBits: 16, total, number })
}

// GSM 03.40 §9.2.3.24.1: ignore a part of zero or beyond the total; one part of one is a whole message.
function checked(part: MessagePart): MessagePart | undefined {
  return part.total > 1 && part.number >= 1 && part.number <= part.total ? part : undefined
}
