// Our messages as PDUs, and a carrier's PDUs as our reports and replies: alphabets, parts, addresses, validity.
import type { ClaimedMessage } from '../actions/claim-messages.ts'
import type { InboundPart } from '../domain/inbound.ts'
import { readPhoneNumber } from '../domain/phone-number.ts'
import { judgeReport } from '../domain/report.ts'
import type { SenderAddress } from '../domain/sender-address.ts'
import { splitText } from '../domain/text-encoding.ts'
import { alphabetOf, decodeText, encodeText } from '../smpp/alphabets.ts'
import type { Body, Pdu } from '../smpp/commands.ts'
import { normaliseMessageId } from '../smpp/message-id.ts'
import { isReceipt, readReceipt, readsLikeReceipt } from '../smpp/receipt.ts'
import { formatRelativeTime } from '../smpp/time.ts'
import { ESM_CLASS_UDHI, encodeConcatenation, readUserData } from '../smpp/udh.ts'
import type { Carrier } from '../store/carriers.ts'
import type { Report } from '../store/reports.ts'

type Delivery = Pdu<'deliver_sm' | 'data_sm'>
type Submission = Body<'submit_sm'>

const UCS2 = 8
const INTERNATIONAL = { ton: 1, npi: 1 }
const SOURCES = { number: INTERNATIONAL, shortCode: { ton: 0, npi: 0 }, word: { ton: 5, npi: 0 } }

/** The PDU of one segment, or null when this carrier's alphabet cannot say it. */
export function submitPdu(
  message: ClaimedMessage,
  { segment, text, carrier, now }: { segment: number; text: string; carrier: Carrier; now: Date },
): Submission | null {
  const { encoding, segments } = splitText(text)
  const inOnePiece = message.ofSegments === 1
  const alphabet = encoding === 'UCS2' ? 'ucs2' : carrier.alphabet
  const bytes = encodeText(inOnePiece ? text : (segments[segment - 1] ?? ''), alphabet)
  if (!bytes) return null
  return {
    ...sourceOf(message.source, carrier),
    dest_addr_ton: INTERNATIONAL.ton,
    dest_addr_npi: INTERNATIONAL.npi,
    destination_addr: message.to.slice(1),
    // A carrier shall not deliver what has lost its use: a code lives five minutes (D14).
    validity_period: formatRelativeTime((message.expiresAt.getTime() - now.getTime()) / 1000),
    registered_delivery: 1,
    data_coding: encoding === 'UCS2' ? UCS2 : 0,
    ...(inOnePiece ? whole(bytes, segments.length) : part(bytes, { message, segment, carrier })),
  }
}

/** Short enough, it is the short message; a long one that goes in one piece is the payload. */
function whole(bytes: Buffer, segments: number): Submission {
  return segments === 1 ? { short_message: bytes } : { tlvs: { message_payload: bytes } }
}

function part(
  bytes: Buffer,
  { message, segment, carrier }: { message: ClaimedMessage; segment: number; carrier: Carrier },
): Submission {
  const total = message.ofSegments
  // From the id, so that a segment that is submitted later than the others still joins them on the handset.
  const reference = Number.parseInt(message.id.slice(-4), 16)
  if (carrier.longMessages === 'sar') {
    const tlvs = { sar_msg_ref_num: reference, sar_total_segments: total, sar_segment_seqnum: segment }
    return { short_message: bytes, tlvs }
  }
  const header = encodeConcatenation({ reference, total, number: segment })
  return { esm_class: ESM_CLASS_UDHI, short_message: Buffer.concat([header, bytes]) }
}

function sourceOf({ kind, address }: SenderAddress, { sourceTon, sourceNpi }: Carrier): Submission {
  const { ton, npi } = SOURCES[kind]
  return { source_addr_ton: sourceTon ?? ton, source_addr_npi: sourceNpi ?? npi, source_addr: address }
}

export function referenceOf(messageId: string, carrier: Carrier): string | null {
  return messageId === '' ? null : normaliseMessageId(messageId, carrier.answerIdFormat)
}

/** Who speaks, which countries it serves, and when. */
interface Hearing {
  carrier: Carrier
  homes: readonly string[]
  now: Date
}

/** Longer than any state or code has ever been, and than a receipt with all its fields. */
const LONGEST_WORD = 20
const LONGEST_RECEIPT = 1_000

/** Known by its fields, or where the carrier has it so, by its text alone. */
export function isReport(pdu: Delivery, { receiptsByText }: Carrier): boolean {
  return isReceipt(pdu) || (receiptsByText && readsLikeReceipt(pdu))
}

export function readReport(pdu: Delivery, { carrier, homes, now, id }: Hearing & { id: string }): Report {
  const receipt = readReceipt(pdu)
  const state = storable(receipt.state ?? '').slice(0, LONGEST_WORD)
  const code = storable(receipt.err ?? '').slice(0, LONGEST_WORD)
  const verdict = judgeReport({ state, code, isIntermediate: receipt.isIntermediate }, carrier.statusOverrides.reports)
  return {
    id,
    carrierId: carrier.id,
    reference: storable(normaliseMessageId(receipt.id, carrier.reportIdFormat)),
    to: numberOf(pdu, homes),
    byText: !isReceipt(pdu),
    ...verdict,
    state,
    code,
    raw: storable(withoutWords(receipt.text)).slice(0, LONGEST_RECEIPT),
    receivedAt: now,
  }
}

/** A reply, or one part of it. */
export function readReply(pdu: Delivery, { carrier, homes, now }: Hearing): Omit<InboundPart, 'answeredAt'> {
  const { body, part: of } = readUserData(pdu)
  const alphabet = alphabetOf(pdu.data_coding, carrier.alphabet)
  const text = alphabet === undefined ? inHex(body, pdu.data_coding) : decodeText(body, alphabet)
  return {
    carrierId: carrier.id,
    from: numberOf(pdu, homes),
    to: storable(pdu.destination_addr),
    // The other half of a character that a part ends with is in the next.
    text: of ? withoutNul(text) : storable(text),
    part: of ?? null,
    receivedAt: now,
  }
}

export function isReadable(pdu: Delivery, { alphabet }: Carrier): boolean {
  return alphabetOf(pdu.data_coding, alphabet) !== undefined
}

/** More than a short message holds. */
const MOST_BYTES_SHOWN = 140

/** Bytes that are no text we can read are shown for what they are: whoever wrote them did reply. */
function inHex(bytes: Buffer, dataCoding: number): string {
  const rest = bytes.length > MOST_BYTES_SHOWN ? '…' : ''
  return `(data coding ${dataCoding}: ${bytes.subarray(0, MOST_BYTES_SHOWN).toString('hex')}${rest})`
}

/** Carriers repeat the beginning of the message, and that may hold a code (D21). */
function withoutWords(receipt: string): string {
  return receipt.replace(/\btext ?:.*/is, 'text:')
}

const UNKNOWN_KIND = 0
const NATIONAL = 2

/**
 * In E.164 where it can be: carriers write numbers with or without the plus, or with the international prefix. One that they call
 * national is one of a country they serve; one that they say nothing of is, where it can be one.
 */
function numberOf({ source_addr: address, source_addr_ton: ton }: Delivery, homes: readonly string[]): string {
  const isAbroad = /^(\+|00)/.test(address)
  const mayBeNational = ton === NATIONAL || (ton === UNKNOWN_KIND && !isAbroad)
  const atHome = mayBeNational ? homes.map((home) => readAtHome(address, home)).find((it) => it !== null) : undefined
  if (atHome) return atHome
  const digits = ton === NATIONAL ? undefined : /^(?:\+|00)?([1-9]\d{6,14})$/.exec(address)?.[1]
  return digits === undefined ? storable(address) : `+${digits}`
}

/** Networks may put the trunk prefix in front, which a number of its country is not read with everywhere. */
function readAtHome(address: string, home: string): string | null {
  const read = [address, address.replace(/^0/, '')].map((it) => readPhoneNumber(it, home)).find((it) => it.ok)
  return read?.ok ? read.e164 : null
}

/** PostgreSQL holds no NUL; whatever else a carrier sends is kept. */
function storable(text: string): string {
  return withoutNul(text).toWellFormed()
}

function withoutNul(text: string): string {
  return text.replaceAll('\u0000', '\ufffd')
}
