// Converts deliver_sm and data_sm to reports and replies.
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

interface DeliveryContext {
  carrier: SmppCarrier
  homes: readonly string[]
  now: Date
}

/** Upper bounds for the stored text of a carrier. */
const MAX_STATE_LENGTH = 20
const MAX_RECEIPT_LENGTH = 1_000

/** Detects a receipt by its fields or, if the carrier requires it, by its text. */
export function isReport(pdu: Delivery, { smpp: { receiptsByText } }: SmppCarrier): boolean {
  return isReceipt(pdu) || (receiptsByText && readsLikeReceipt(pdu))
}

export function readReport(pdu: Delivery, { carrier, homes, now, id }: DeliveryContext & { id: string }): Report {
  const receipt = readReceipt(pdu)
  const state = storable((receipt.state ?? '').slice(0, MAX_STATE_LENGTH))
  const code = storable((receipt.err ?? '').slice(0, MAX_STATE_LENGTH))
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
    raw: storable(withoutText(receipt.text).slice(0, MAX_RECEIPT_LENGTH)),
    receivedAt: now,
  }
}

/** Reads a reply or one part of a long reply. */
export function readReply(pdu: Delivery, { carrier, homes, now }: DeliveryContext): Omit<InboundPart, 'answeredAt'> {
  const { body, part: of } = readUserData(pdu)
  const alphabet = alphabetFor(pdu, carrier)
  const text = alphabet === undefined ? hexText(body, pdu.data_coding) : decodeText(body, alphabet)
  return {
    carrierId: carrier.id,
    from: numberOf(pdu, homes),
    to: storable(pdu.destination_addr),
    // A part may end in the middle of a surrogate pair.
    text: of ? withoutNul(text) : storable(text),
    part: of ?? null,
    receivedAt: now,
  }
}

export function isReadable(pdu: Delivery, carrier: SmppCarrier): boolean {
  return alphabetFor(pdu, carrier) !== undefined
}

/** The carrier uses the same data codings in both directions. */
function alphabetFor({ data_coding: coding }: Delivery, { smpp: { alphabet, dataCodings } }: SmppCarrier) {
  if (coding === dataCodings.ucs2) return 'ucs2'
  return coding === dataCodings[alphabet] ? alphabet : alphabetOf(coding, alphabet)
}

/** A hash of the delivery without its sequence number, which changes on redelivery. */
export function deliveryFingerprint(carrierId: string, pdu: Delivery): string {
  const { source_addr, destination_addr, esm_class, data_coding, tlvs } = pdu
  const body = messageBytes(pdu).toString('base64')
  const content = [carrierId, source_addr, destination_addr, esm_class, data_coding, body, tlvs.receipted_message_id]
  return hash('sha256', JSON.stringify(content))
}

/** The size of a short message. */
const MAX_BYTES_SHOWN = 140

/** Shows undecodable bytes, because the recipient did reply. */
function hexText(bytes: Buffer, dataCoding: number): string {
  const rest = bytes.length > MAX_BYTES_SHOWN ? '…' : ''
  return `(data coding ${dataCoding}: ${bytes.subarray(0, MAX_BYTES_SHOWN).toString('hex')}${rest})`
}

/** Receipts repeat the start of the message, which may contain an OTP (D21). */
function withoutText(receipt: string): string {
  return receipt.replace(/\btext ?:.*/is, 'text:')
}

const UNKNOWN_KIND = 0
const NATIONAL = 2

/**
 * Converts to E.164 if possible. Carriers write numbers with a plus, with the international prefix or without both. A number of type
 * national or unknown is first read as a number of a country that the carrier serves.
 */
function numberOf({ source_addr: address, source_addr_ton: ton }: Delivery, homes: readonly string[]): string {
  const isInternational = /^(\+|00)/.test(address)
  const mayBeNational = ton === NATIONAL || (ton === UNKNOWN_KIND && !isInternational)
  const national = mayBeNational
    ? homes.map((home) => readNational(address, home)).find((it) => it !== null)
    : undefined
  if (national) return national
  const digits = ton === NATIONAL ? undefined : /^(?:\+|00)?([1-9]\d{6,14})$/.exec(address)?.[1]
  return digits === undefined ? storable(address) : `+${digits}`
}

/** Some networks add the trunk prefix, which is not valid in every country. */
function readNational(address: string, home: string): string | null {
  const read = [address, address.replace(/^0/, '')].map((it) => readPhoneNumber(it, home)).find((it) => it.ok)
  return read?.ok ? read.e164 : null
}

/** PostgreSQL cannot store NUL. */
function storable(text: string): string {
  return withoutNul(text).toWellFormed()
}

function withoutNul(text: string): string {
  return text.replaceAll('\u0000', '\ufffd')
}
