// Redacts a frame for captures without changing its length: hides the bind password and all digits of texts, which may be OTPs.
import { alphabetOf } from './alphabets.ts'
import { decode, HEADER_BYTES, RecoverablePduError } from './codec.ts'
import type { Pdu } from './commands.ts'
import { isReceipt, readsLikeReceipt } from './receipt.ts'
import { readUserData } from './udh.ts'

const HIDDEN_DIGIT = 0x23 // '#', in ASCII and in the GSM alphabet
const HIDDEN_CHARACTER = 0x2a // '*'

/** Returns a copy; of an unreadable frame only the header. */
export function redact(frame: Buffer): { bytes: Buffer; pdu: Pdu | null } {
  const bytes = Buffer.from(frame)
  try {
    const pdu = decode(bytes)
    // Octet fields are views of the copy.
    if ('password' in pdu) hidePassword(bytes)
    if ('data_coding' in pdu) hideText(pdu)
    for (const { value } of pdu.tlvs.unknown ?? []) hideDigits(value)
    return { bytes, pdu: decode(bytes) }
  } catch (error) {
    if (!(error instanceof RecoverablePduError)) throw error
    return { bytes: bytes.fill(0, HEADER_BYTES), pdu: null }
  }
}

/** The password follows the NUL of system_id. */
function hidePassword(bytes: Buffer): void {
  const from = bytes.indexOf(0, HEADER_BYTES) + 1
  bytes.fill(HIDDEN_CHARACTER, from, bytes.indexOf(0, from))
}

function hideText(pdu: Pdu<'submit_sm' | 'deliver_sm' | 'data_sm'>): void {
  const { body } = readUserData(pdu)
  // If both fields are set, only short_message is the message, but both may contain an OTP.
  const unusedPayload =
    pdu.command === 'data_sm' || pdu.short_message.length === 0 ? undefined : pdu.tlvs.message_payload
  if (unusedPayload) hideDigits(unusedPayload)
  if (alphabetOf(pdu.data_coding, 'gsm') === 'ucs2') {
    hideDigitsOfUcs2(body)
    return
  }
  const isDeliveryReceipt = pdu.command !== 'submit_sm' && (isReceipt(pdu) || readsLikeReceipt(pdu))
  // A receipt ends with the start of the message; the fields before it identify the message.
  const from = isDeliveryReceipt ? body.toString('latin1').search(/text:/i) : 0
  if (from >= 0) hideDigits(body.subarray(from))
}

function hideDigits(bytes: Buffer): void {
  for (const [index, byte] of bytes.entries()) if (byte >= 0x30 && byte <= 0x39) bytes[index] = HIDDEN_DIGIT
}

/** Includes Devanagari digits. */
function hideDigitsOfUcs2(bytes: Buffer): void {
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    const unit = bytes.readUInt16BE(at)
    if ((unit >= 0x30 && unit <= 0x39) || (unit >= 0x966 && unit <= 0x96f)) bytes.writeUInt16BE(HIDDEN_DIGIT, at)
  }
}
