// Delivery receipts: telling them from replies, reading and writing them (SMPP 3.4 §5.2.12, §5.2.28, appendix B).
// Pure. Carriers agree on little, so each field is looked for on its own, in any order and any case.
import type { Body, Pdu } from './commands.ts'
import { formatReceiptTime, parseReceiptTime } from './time.ts'
import { messageBytes } from './udh.ts'

type Delivery = Pdu<'deliver_sm' | 'data_sm'>

type Receipt = {
  /** The carrier's id of the message as it wrote it; empty where it gave none. */
  id: string
  /** DELIVRD, EXPIRED ... in capitals; undefined where the carrier gave none. */
  state: string | undefined
  err: string | undefined
  submitAt: Date | undefined
  doneAt: Date | undefined
  /** An intermediate notification: the carrier is still trying, whatever its state says. */
  isIntermediate: boolean
  /** The body as it came. */
  text: string
}

const MESSAGE_TYPE_BITS = 0x3c

const MC_DELIVERY_RECEIPT = 0x04

const INTERMEDIATE_NOTIFICATION = 0x20

// SMPP 3.4 §5.2.28; 0 and 9 are SMPP 5's, which carriers send to everybody.
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

/** By the fields that only a carrier can set. */
export function isReceipt(pdu: Delivery): boolean {
  const messageType = pdu.esm_class & MESSAGE_TYPE_BITS
  if (messageType === MC_DELIVERY_RECEIPT || messageType === INTERMEDIATE_NOTIFICATION) return true
  return pdu.tlvs.receipted_message_id !== undefined
}

/** By its words, as some carriers have it; but any handset can write those. */
export function readsLikeReceipt(pdu: Delivery): boolean {
  const text = bodyText(pdu)
  return fieldOf(text, 'id') !== undefined && fieldOf(text, 'stat') !== undefined
}

/** Reads what was recognised. The TLVs have one meaning each, so they win over the body. */
export function readReceipt(pdu: Delivery): Receipt {
  const text = bodyText(pdu)
  const { receipted_message_id, message_state, network_error_code } = pdu.tlvs
  return {
    id: receipted_message_id || fieldOf(text, 'id') || '',
    state: states[message_state ?? -1] ?? fieldOf(text, 'stat')?.toUpperCase(),
    err: fieldOf(text, 'err') ?? networkError(network_error_code),
    // Read when somebody asks, which is seldom: they are most of the work of reading a receipt.
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

/** The fields of a deliver_sm that carry a receipt, as an SMSC sends it. */
export function composeReceipt(receipt: {
  id: string
  state: string
  err?: string
  submitAt: Date
  doneAt: Date
  /** The beginning of the message the receipt is for. */
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

// Whatever data_coding says of it: receipts inherit the coding of the message they are about, and are ASCII all the same; or ASCII
// with a zero before each character, where the SMSC took that coding at its word.
function bodyText(pdu: Delivery): string {
  const bytes = messageBytes(pdu)
  const isWide = bytes.length > 0 && bytes.length % 2 === 0 && bytes.every((byte, at) => at % 2 === 1 || byte === 0)
  return (isWide ? Buffer.from(bytes.filter((_, at) => at % 2 === 1)) : bytes).toString('latin1')
}

// A field that is empty is followed by the next one, which is not its value: behind `err: text:` stand the words of a message (D21).
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

// The customer's own words stand behind `text:` and may look like fields; they count only where the carrier gave none.
function fieldOf(body: string, field: keyof typeof patterns): string | undefined {
  const textAt = body.search(/\btext ?:/i)
  const beforeText = textAt < 0 ? body : body.slice(0, textAt)
  return (patterns[field].exec(beforeText) ?? patterns[field].exec(body))?.[1]
}

// SMPP 3.4 §5.3.2.31: one octet for the kind of network, two for its error.
function networkError(code: Buffer | undefined): string | undefined {
  return code?.length === 3 ? String(code.readUInt16BE(1)) : undefined
}

/** How a carrier writes an id. Some answer a submission in hex and send the receipt in decimal, or the other way round. */
export type IdNotation = 'opaque' | 'hex' | 'decimal'

/** SMPP 3.4 §5.2.23. What a carrier writes beyond that is cut off, wherever it writes it, so that its ids still match. */
export const LONGEST_MESSAGE_ID = 65

/**
 * Equal for two spellings of one id: case folded, leading zeros and 0x stripped, hex and decimal both as decimal. Where numbers
 * are meant, 0x says of itself that the number is in hex.
 */
export function normaliseMessageId(id: string, notation: IdNotation): string {
  const folded = id.trim().slice(0, LONGEST_MESSAGE_ID).toLowerCase()
  const hex = /^0x([0-9a-f]+)$/.exec(folded)?.[1]
  const digits = hex ?? folded
  const isHex = notation === 'hex' || (notation === 'decimal' && hex !== undefined)
  if (isHex && /^[0-9a-f]+$/.test(digits)) return BigInt(`0x${digits}`).toString()
  // What is not a number is no number in any notation: a carrier's odd one out is compared as it is.
  return digits.replace(/^0+(?=.)/, '')
}
