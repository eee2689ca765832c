// A frame as it may be shown to people: of the same length, but without the password of a bind, and without the digits of any text,
// for they may be a one-time code.
import { alphabetOf } from './alphabets.ts'
import { decode, HEADER_BYTES, RecoverablePduError } from './codec.ts'
import type { Pdu } from './commands.ts'
import { isReceipt, readsLikeReceipt } from './receipt.ts'
import { readUserData } from './udh.ts'

const HIDDEN_DIGIT = 0x23 // '#', in ASCII and in the GSM alphabet
const HIDDEN_SIGN = 0x2a // '*'

/** A copy; what cannot be read keeps its header only. */
export function redact(frame: Buffer): { bytes: Buffer; pdu: Pdu | null } {
  const bytes = Buffer.from(frame)
  try {
    const pdu = decode(bytes)
    // What is read of octets is a view of the copy.
    if ('password' in pdu) hidePassword(bytes)
    if ('data_coding' in pdu) hideText(pdu)
    for (const { value } of pdu.tlvs.unknown ?? []) hideDigits(value)
    return { bytes, pdu: decode(bytes) }
  } catch (fault) {
    if (!(fault instanceof RecoverablePduError)) throw fault
    return { bytes: bytes.fill(0, HEADER_BYTES), pdu: null }
  }
}

/** Behind system_id, which ends with a NUL as it does. */
function hidePassword(bytes: Buffer): void {
  const from = bytes.indexOf(0, HEADER_BYTES) + 1
  bytes.fill(HIDDEN_SIGN, from, bytes.indexOf(0, from))
}

function hideText(pdu: Pdu<'submit_sm' | 'deliver_sm' | 'data_sm'>): void {
  const { body } = readUserData(pdu)
  // Where there are two, only the first is the message, but both may tell.
  const beside = pdu.command === 'data_sm' || pdu.short_message.length === 0 ? undefined : pdu.tlvs.message_payload
  if (beside) hideDigits(beside)
  if (alphabetOf(pdu.data_coding, 'gsm') === 'ucs2') {
    hideDigitsOfUcs2(body)
    return
  }
  const isOfReceipt = pdu.command !== 'submit_sm' && (isReceipt(pdu) || readsLikeReceipt(pdu))
  // A receipt quotes the beginning of the text it is about, last of all; what stands before that tells whose it is.
  const from = isOfReceipt ? body.toString('latin1').search(/text:/i) : 0
  if (from >= 0) hideDigits(body.subarray(from))
}

function hideDigits(bytes: Buffer): void {
  for (const [index, byte] of bytes.entries()) if (byte >= 0x30 && byte <= 0x39) bytes[index] = HIDDEN_DIGIT
}

/** Also those of Devanagari. */
function hideDigitsOfUcs2(bytes: Buffer): void {
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    const sign = bytes.readUInt16BE(at)
    if ((sign >= 0x30 && sign <= 0x39) || (sign >= 0x966 && sign <= 0x96f)) bytes.writeUInt16BE(HIDDEN_DIGIT, at)
  }
}
