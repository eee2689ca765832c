// Converts between the JSON of the simulator's HTTP API and PDUs.
import { isIP } from 'node:net'
import { measureText } from '../domain/text-encoding.ts'
import { alphabetOf, decodeText, encodeText } from '../smpp/alphabets.ts'
import { decode, encode } from '../smpp/codec.ts'
import type { Body, Pdu } from '../smpp/commands.ts'
import { isReceipt, readReceipt } from '../smpp/receipt.ts'
import { messageBytes } from '../smpp/udh.ts'

export interface HttpMessage {
  to: string
  from: string
  text: string
  /** The URL for receipts and replies; null: none. */
  callback: string | null
}

const MAX_TEXT_LENGTH = 2_000
const MAX_SHORT_MESSAGE_LENGTH = 254
const UCS2 = 8
const INTERNATIONAL = 1

/** null: invalid. */
export function readHttpMessage(body: unknown): HttpMessage | null {
  if (typeof body !== 'object' || body === null) return null
  const { to, from, text, callback = null } = body as Record<string, unknown>
  if (typeof to !== 'string' || typeof from !== 'string' || typeof text !== 'string') return null
  if (callback !== null && typeof callback !== 'string') return null
  const isValid = /^[ -~]{1,20}$/.test(to) && /^[ -~]{0,20}$/.test(from) && text.length <= MAX_TEXT_LENGTH
  return isValid ? { to, from, text, callback } : null
}

/** Callbacks must stay on this machine. */
export function isLoopback(callback: string): boolean {
  const url = URL.parse(callback)
  return url?.protocol === 'http:' && isIP(url.hostname) === 4 && url.hostname.startsWith('127.')
}

export function asSubmitted({ to, from, text, callback }: HttpMessage): Pdu<'submit_sm'> {
  const isUcs2 = measureText(text).encoding === 'UCS2'
  const bytes = encodeText(text, isUcs2 ? 'ucs2' : 'gsm') ?? Buffer.alloc(0)
  const body: Body<'submit_sm'> = {
    dest_addr_ton: INTERNATIONAL,
    destination_addr: to.replace(/^\+/, ''),
    source_addr: from,
    data_coding: isUcs2 ? UCS2 : 0,
    registered_delivery: callback === null ? 0 : 1,
    ...(bytes.length > MAX_SHORT_MESSAGE_LENGTH ? { tlvs: { message_payload: bytes } } : { short_message: bytes }),
  }
  return decode(encode({ command: 'submit_sm', sequence: 1, ...body })) as Pdu<'submit_sm'>
}

/** Converts a receipt or a reply. */
export function asDelivered(message: Body<'deliver_sm'>) {
  const pdu = decode(encode({ command: 'deliver_sm', sequence: 1, ...message })) as Pdu<'deliver_sm'>
  const number = pdu.source_addr.startsWith('+') ? pdu.source_addr : `+${pdu.source_addr}`
  if (!isReceipt(pdu)) {
    const text = decodeText(messageBytes(pdu), alphabetOf(pdu.data_coding, 'gsm') ?? 'latin1')
    return { kind: 'reply', from: number, to: pdu.destination_addr, text }
  }
  const { id, state, err } = readReceipt(pdu)
  return { kind: 'receipt', id, to: number, state: state ?? '', code: err ?? '' }
}
