// One submitted segment, and what is said of it on the way back.
import { encodeText } from '../smpp/alphabets.ts'
import type { Body, Pdu } from '../smpp/commands.ts'
import { composeReceipt } from '../smpp/receipt.ts'
import { type Part, readUserData } from '../smpp/udh.ts'

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
