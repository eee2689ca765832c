// Recognizes, reads and writes delivery receipts (SMPP 3.4 §5.2.12, §5.2.28, appendix B). Formats differ between carriers, so each field is
// matched separately, in any order and case.
import type { Body, Pdu } from './commands.ts'
import { formatReceiptTime, parseReceiptTime } from './time.ts'
import { messageBytes } from './udh.ts'

type Delivery = Pdu<'deliver_sm' | 'data_sm'>

type Receipt = {
  /** The carrier's message ID as received; empty if missing. */
  id: string
  /** DELIVRD, EXPIRED ... in upper case; undefined if missing. */
  state: string | undefined
  err: string | undefined
  submitAt: Date | undefined
  doneAt: Date | undefined
  /** An intermediate notification: the carrier is still trying, whatever the state. */
  isIntermediate: boolean
  /** The unchanged body. */
  text: string
}

const MESSAGE_TYPE_BITS = 0x3c

const MC_DELIVERY_RECEIPT = 0x04

const INTERMEDIATE_NOTIFICATION = 0x20

// SMPP 3.4 §5.2.28; 0 and 9 are from SMPP 5, which carriers also send to 3.4 clients.
const states = [
  'SCHEDLD',
  'ENROUTE',
  'DELIVRD',
  'EXPIRED',
  'DELETED',
  'UNDELIV',
  'ACCEPTD',
  'UNKNOWN',
  'REJECTD',
  'SKIPPED',
]

/** Uses only fields that a handset cannot set. */
export function isReceipt(pdu: Delivery): boolean {
  const messageType = pdu.esm_class & MESSAGE_TYPE_BITS
  if (messageType === MC_DELIVERY_RECEIPT || messageType === INTERMEDIATE_NOTIFICATION) return true
  return pdu.tlvs.receipted_message_id !== undefined
}

/** Uses the text, for carriers that set no receipt fields. A handset can forge it. */
export function readsLikeReceipt(pdu: Delivery): boolean {
  const text = bodyText(pdu)
  return fieldOf(text, 'id') !== undefined && fieldOf(text, 'stat') !== undefined
}

/** TLVs are unambiguous, so they override the body. */
export function readReceipt(pdu: Delivery): Receipt {
  const text = bodyText(pdu)
  const { receipted_message_id, message_state, network_error_code } = pdu.tlvs
  return {
    id: receipted_message_id || fieldOf(text, 'id') || '',
    state: states[message_state ?? -1] ?? fieldOf(text, 'stat')?.toUpperCase(),
    err: fieldOf(text, 'err') ?? networkError(network_error_code),
    // Lazy: rarely used, and most of the cost of reading a receipt.
    get submitAt() {
      return parseReceiptTime(fieldOf(text, 'submit date') ?? '')
    },
    get doneAt() {
      return parseReceiptTime(fieldOf(text, 'done date') ?? '')
    },
    isIntermediate: (pdu.esm_class & MESSAGE_TYPE_BITS) === INTERMEDIATE_NOTIFICATION,
    text,
  }
}

/** The deliver_sm fields of a receipt, for an SMSC. */
export function composeReceipt(receipt: {
  id: string
  state: string
  err?: string
  submitAt: Date
  doneAt: Date
  /** The start of the original message. */
  text?: string
}): Pick<Body<'deliver_sm'>, 'esm_class' | 'short_message' | 'tlvs'> {
  const delivered = receipt.state === 'DELIVRD' ? '001' : '000'
  const dates = `submit date:${formatReceiptTime(receipt.submitAt)} done date:${formatReceiptTime(receipt.doneAt)}`
  const body = `id:${receipt.id} sub:001 dlvrd:${delivered} ${dates} stat:${receipt.state} err:${receipt.err ?? '000'}`
  const excerpt = (receipt.text ?? '').slice(0, 20).replace(/[^ -~]/g, '?')
  const messageState = states.indexOf(receipt.state)
  return {
    esm_class: MC_DELIVERY_RECEIPT,
    short_message: Buffer.from(`${body} text:${excerpt}`, 'latin1'),
    tlvs: {
      receipted_message_id: receipt.id,
      ...(messageState >= 0 && { message_state: messageState }),
    },
  }
}

// Ignores data_coding: receipts copy the coding of the message but are ASCII, or ASCII with a zero byte before each character.
function bodyText(pdu: Delivery): string {
  const bytes = messageBytes(pdu)
  const isWide = bytes.length > 0 && bytes.length % 2 === 0 && bytes.every((byte, at) => at % 2 === 1 || byte === 0)
  return (isWide ? Buffer.from(bytes.filter((_, at) => at % 2 === 1)) : bytes).toString('latin1')
}

// An empty field must not match the next field as its value: the message text may follow `err: text:` (D21).
const NEXT_FIELD = '(?:id|sub|dlvrd|submit[ _]?date|done[ _]?date|stat|err|text) ?:'

const patterns = {
  id: fieldPattern('id'),
  stat: fieldPattern('stat'),
  err: fieldPattern('err'),
  'submit date': fieldPattern('submit[ _]?date'),
  'done date': fieldPattern('done[ _]?date'),
}

function fieldPattern(name: string): RegExp {
  return new RegExp(`(?:^|[^a-z])${name} ?: ?(?! ?${NEXT_FIELD})([^\\s,;]+)`, 'i')
}

// The message text after `text:` may look like fields; it is used only if the carrier gave none.
function fieldOf(body: string, field: keyof typeof patterns): string | undefined {
  const textAt = body.search(/\btext ?:/i)
  const beforeText = textAt < 0 ? body : body.slice(0, textAt)
  return (patterns[field].exec(beforeText) ?? patterns[field].exec(body))?.[1]
}

// SMPP 3.4 §5.3.2.31: one octet of network type, two of error code.
function networkError(code: Buffer | undefined): string | undefined {
  return code?.length === 3 ? String(code.readUInt16BE(1)) : undefined
}

/** The notation of message IDs. Some carriers respond in hex and send receipts in decimal, or the reverse. */
export type IdNotation = 'opaque' | 'hex' | 'decimal'

/** SMPP 3.4 §5.2.23. Longer IDs are always cut here, so that they still match. */
export const MAX_MESSAGE_ID_LENGTH = 65

/**
 * Makes different notations of one ID equal: lower case, without leading zeros and 0x, hex converted to decimal. In a numeric notation, 0x
 * always means hex.
 */
export function normaliseMessageId(id: string, notation: IdNotation): string {
  const folded = id.trim().slice(0, MAX_MESSAGE_ID_LENGTH).toLowerCase()
  const hex = /^0x([0-9a-f]+)$/.exec(folded)?.[1]
  const digits = hex ?? folded
  const isHex = notation === 'hex' || (notation === 'decimal' && hex !== undefined)
  if (isHex && /^[0-9a-f]+$/.test(digits)) return BigInt(`0x${digits}`).toString()
  // An ID that is not a number is compared as text.
  return digits.replace(/^0+(?=.)/, '')
}
