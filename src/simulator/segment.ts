// One submitted segment, and what is said of it on the way back.
import { splitText } from '../domain/text-encoding.ts'
import { encodeText } from '../smpp/alphabets.ts'
import type { Body, Pdu } from '../smpp/commands.ts'
import { composeReceipt } from '../smpp/receipt.ts'
import { ESM_CLASS_UDHI, encodeConcatenation, type Part, readUserData } from '../smpp/udh.ts'

export interface Segment {
  pdu: Pdu<'submit_sm'>
  to: string
  from: string
  body: Buffer
  part: Part | undefined
}

export interface Fate {
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

/** SMPP 3.4 §5.2.17: never, of every outcome, or only of a bad one. */
export function wantsReceipt({ registered_delivery }: Pdu<'submit_sm'>, { state }: Fate): boolean {
  const wish = registered_delivery & 0x03
  return wish === 1 || (wish === 2 && state !== 'DELIVRD')
}

export function receiptFor(
  { pdu, body }: Segment,
  { id, takenAt, fate }: { id: string; takenAt: Date; fate: Fate },
): Body<'deliver_sm'> {
  const { state, at: doneAt } = fate
  const err = state === 'DELIVRD' ? '000' : '001'
  const text = body.toString('latin1')
  return { ...backFrom(pdu), ...composeReceipt({ id, state, err, submitAt: takenAt, doneAt, text }) }
}

export function replyTo({ pdu }: Segment, text: string): Body<'deliver_sm'> {
  return { ...backFrom(pdu), short_message: encodeText(text, 'gsm') ?? Buffer.alloc(0) }
}

const ISDN = 1
const ALPHANUMERIC = 5
const UCS2 = 8

/** A text that a handset writes of its own accord: in the parts that it would send. */
export function writtenBy(
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
  return segments.map((words, index) => {
    const bytes = encodeText(words, encoding === 'UCS2' ? 'ucs2' : 'gsm') ?? Buffer.alloc(0)
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
