// One submitted segment, and the receipts and replies to it.
import { splitText } from '../domain/text-encoding.ts'
import { encodeText } from '../smpp/alphabets.ts'
import type { Body, Pdu } from '../smpp/commands.ts'
import { composeReceipt } from '../smpp/receipt.ts'
import { ESM_CLASS_UDHI, encodeConcatenation, type MessagePart, readUserData } from '../smpp/udh.ts'

export interface Segment {
  pdu: Pdu<'submit_sm'>
  to: string
  from: string
  body: Buffer
  part: MessagePart | undefined
}

export interface FinalState {
  state: 'DELIVRD' | 'UNDELIV' | 'REJECTD' | 'EXPIRED'
  at: Date
}

const INTERNATIONAL = 1

export function readSegment(pdu: Pdu<'submit_sm'>): Segment {
  return {
    pdu,
    to: addressOf(pdu.dest_addr_ton, pdu.destination_addr),
    from: addressOf(pdu.source_addr_ton, pdu.source_addr),
    ...readUserData(pdu),
  }
}

/** SMPP 3.4 §5.2.17: never, always, or only on failure. */
export function wantsReceipt({ registered_delivery }: Pdu<'submit_sm'>, { state }: FinalState): boolean {
  const requested = registered_delivery & 0x03
  return requested === 1 || (requested === 2 && state !== 'DELIVRD')
}

export function receiptFor(
  { pdu, body }: Segment,
  { id, acceptedAt, final }: { id: string; acceptedAt: Date; final: FinalState },
): Body<'deliver_sm'> {
  const { state, at: doneAt } = final
  const err = state === 'DELIVRD' ? '000' : '001'
  const text = body.toString('latin1')
  return { ...backFrom(pdu), ...composeReceipt({ id, state, err, submitAt: acceptedAt, doneAt, text }) }
}

export function replyTo({ pdu }: Segment, text: string): Body<'deliver_sm'> {
  return { ...backFrom(pdu), short_message: encodeText(text, 'gsm') ?? Buffer.alloc(0) }
}

const ISDN = 1
const ALPHANUMERIC = 5
const UCS2 = 8

/** Splits an unsolicited text of a handset into parts. */
export function composeReply(
  { from, to, text }: { from: string; to: string; text: string },
  reference: number,
): Body<'deliver_sm'>[] {
  const { encoding, segments } = splitText(text)
  const head: Body<'deliver_sm'> = {
    source_addr_ton: INTERNATIONAL,
    source_addr_npi: ISDN,
    source_addr: from.replace(/^\+/, ''),
    ...(to.startsWith('+')
      ? { dest_addr_ton: INTERNATIONAL, dest_addr_npi: ISDN }
      : { dest_addr_ton: /^\d+$/.test(to) ? 0 : ALPHANUMERIC, dest_addr_npi: 0 }),
    destination_addr: to.replace(/^\+/, ''),
    data_coding: encoding === 'UCS2' ? UCS2 : 0,
  }
  return segments.map((text, index) => {
    const bytes = encodeText(text, encoding === 'UCS2' ? 'ucs2' : 'gsm') ?? Buffer.alloc(0)
    if (segments.length === 1) return { ...head, short_message: bytes }
    const part = encodeConcatenation({ reference, total: segments.length, number: index + 1 })
    return { ...head, esm_class: ESM_CLASS_UDHI, short_message: Buffer.concat([part, bytes]) }
  })
}

function backFrom(pdu: Pdu<'submit_sm'>): Body<'deliver_sm'> {
  return {
    source_addr_ton: pdu.dest_addr_ton,
    source_addr_npi: pdu.dest_addr_npi,
    source_addr: pdu.destination_addr,
    dest_addr_ton: pdu.source_addr_ton,
    dest_addr_npi: pdu.source_addr_npi,
    destination_addr: pdu.source_addr,
  }
}

function addressOf(ton: number, address: string): string {
  return ton === INTERNATIONAL && !address.startsWith('+') ? `+${address}` : address
}
