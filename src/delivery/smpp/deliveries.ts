// What a carrier delivers over SMPP, as our reports and replies: alphabets, parts, ids, numbers.
import { hash } from 'node:crypto'
import type { SmppCarrier } from '../../domain/carriers/carrier.ts'
import type { InboundPart } from '../../domain/messages/inbound.ts'
import { interpretReport, type Report } from '../../domain/messages/report.ts'
import { readPhoneNumber } from '../../domain/phone-number.ts'
import { alphabetOf, decodeText } from '../../smpp/alphabets.ts'
import type { Pdu } from '../../smpp/commands.ts'
import { isReceipt, normaliseMessageId, readReceipt, readsLikeReceipt } from '../../smpp/receipt.ts'
import { messageBytes, readUserData } from '../../smpp/udh.ts'

export type Delivery = Pdu<'deliver_sm' | 'data_sm'>

/** Who speaks, which countries it serves, and when. */
export interface Hearing {
  carrier: SmppCarrier
  homes: readonly string[]
  now: Date
}

/** Longer than any state or code has ever been, and than a receipt with all its fields. */
const LONGEST_WORD = 20
const LONGEST_RECEIPT = 1_000

/** Known by its fields, or where the carrier has it so, by its text alone. */
export function isReport(pdu: Delivery, { smpp: { receiptsByText } }: SmppCarrier): boolean {
  return isReceipt(pdu) || (receiptsByText && readsLikeReceipt(pdu))
}

export function readReport(pdu: Delivery, { carrier, homes, now, id }: Hearing & { id: string }): Report {
  const receipt = readReceipt(pdu)
  const state = storable((receipt.state ?? '').slice(0, LONGEST_WORD))
  const code = storable((receipt.err ?? '').slice(0, LONGEST_WORD))
  const verdict = interpretReport({ state, code, isIntermediate: receipt.isIntermediate }, carrier.smpp.statusOverrides)
  return {
    id,
    carrierId: carrier.id,
    reference: storable(normaliseMessageId(receipt.id, carrier.smpp.reportIdFormat)),
    to: numberOf(pdu, homes),
    byText: !isReceipt(pdu),
    ...verdict,
    state,
    code,
    raw: storable(withoutWords(receipt.text).slice(0, LONGEST_RECEIPT)),
    receivedAt: now,
  }
}

/** A reply, or one part of it. */
export function readReply(pdu: Delivery, { carrier, homes, now }: Hearing): Omit<InboundPart, 'answeredAt'> {
  const { body, part: of } = readUserData(pdu)
  const alphabet = alphabetSaid(pdu, carrier)
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

export function isReadable(pdu: Delivery, carrier: SmppCarrier): boolean {
  return alphabetSaid(pdu, carrier) !== undefined
}

/** What the carrier is told of alphabets by, it tells us by, too. */
function alphabetSaid({ data_coding: coding }: Delivery, { smpp: { alphabet, dataCodings } }: SmppCarrier) {
  if (coding === dataCodings.ucs2) return 'ucs2'
  return coding === dataCodings[alphabet] ? alphabet : alphabetOf(coding, alphabet)
}

/** All that a carrier says, without the number it gives a PDU anew each time. */
export function deliveryFingerprint(carrierId: string, pdu: Delivery): string {
  const { source_addr, destination_addr, esm_class, data_coding, tlvs } = pdu
  const body = messageBytes(pdu).toString('base64')
  const said = [carrierId, source_addr, destination_addr, esm_class, data_coding, body, tlvs.receipted_message_id]
  return hash('sha256', JSON.stringify(said))
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
