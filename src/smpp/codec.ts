// Encodes and decodes PDUs (SMPP 3.4 §3.2), without sockets or a clock. UnrecoverableFrameError requires closing the link,
// RecoverablePduError loses one PDU, and UnwritablePduError means that nothing was written.
import assert from 'node:assert/strict'
import {
  type CommandName,
  commands,
  type OutgoingPdu,
  type Pdu,
  type RequestName,
  type Tlvs,
  tlvs,
} from './commands.ts'
import type { PduField } from './fields.ts'
import { commandStatus } from './status.ts'

export const HEADER_BYTES = 16
const TLV_HEADER_BYTES = 4
/** SMPP 3.4 §4.12: the only request without a response; ignored. */
const ALERT_NOTIFICATION = 0x00000102

type Layout = { command: CommandName; id: number; isResponse: boolean; bodyless: boolean; fields: NamedField[] }
type NamedField = { name: string; field: PduField<unknown> }
type TlvLayout = NamedField & { tag: number }

const layouts: Layout[] = Object.entries(commands).map(([name, command]) => ({
  command: name as CommandName,
  id: command.id,
  isResponse: command.id >= 0x80000000,
  bodyless: 'bodyless' in command,
  fields: Object.entries(command.fields).map(([name, field]) => ({ name, field: field as PduField<unknown> })),
}))
const layoutByName = new Map<string, Layout>(layouts.map((layout) => [layout.command, layout]))
const layoutById = new Map(layouts.map((layout) => [layout.id, layout]))

const tlvLayouts: TlvLayout[] = Object.entries(tlvs).map(([name, tlv]) => ({
  name,
  tag: tlv.tag,
  field: tlv.field as PduField<unknown>,
}))
const tlvByName = new Map(tlvLayouts.map((layout) => [layout.name, layout]))
const tlvByTag = new Map(tlvLayouts.map((layout) => [layout.tag, layout]))

/** A value that cannot be encoded. */
export class UnwritablePduError extends Error {
  override readonly name = 'UnwritablePduError'
}

/** An invalid PDU in a valid frame: respond with `status` and continue. */
export class RecoverablePduError extends Error {
  override readonly name = 'RecoverablePduError'
  readonly sequence: number
  readonly status: number
  /** undefined: unknown command. */
  readonly command: RequestName | undefined
  readonly needsNoResponse: boolean

  constructor(message: string, pdu: { id: number; sequence: number; status: number; command?: RequestName }) {
    super(message)
    this.sequence = pdu.sequence
    this.status = pdu.status
    this.command = pdu.command
    this.needsNoResponse = pdu.id >= 0x80000000 || pdu.id === ALERT_NOTIFICATION
  }
}

export function encode(pdu: OutgoingPdu): Buffer {
  const layout = layoutByName.get(pdu.command)
  assert(layout, `unknown command: ${pdu.command}`)
  const status = pdu.status ?? commandStatus.ESME_ROK
  const isBodyless = layout.bodyless && status !== commandStatus.ESME_ROK
  const values = pdu as Record<string, unknown>
  const optional = isBodyless ? [] : listTlvs(pdu)
  const fields = isBodyless ? [] : layout.fields

  let length = HEADER_BYTES
  for (const { name, field } of fields) length += sizeOf(pdu.command, name, field, values[name] ?? field.zero)
  for (const { name, field, value } of optional) length += TLV_HEADER_BYTES + sizeOf(pdu.command, name, field, value)

  const bytes = Buffer.allocUnsafe(length)
  bytes.writeUInt32BE(length, 0)
  bytes.writeUInt32BE(layout.id, 4)
  bytes.writeUInt32BE(status, 8)
  bytes.writeUInt32BE(pdu.sequence, 12)
  let at = HEADER_BYTES
  for (const { name, field } of fields) {
    const value = values[name] ?? field.zero
    field.write(value, bytes, at)
    at += field.size(value)
  }
  for (const { tag, field, value } of optional) {
    const size = field.size(value)
    bytes.writeUInt16BE(tag, at)
    bytes.writeUInt16BE(size, at + 2)
    field.write(value, bytes, at + TLV_HEADER_BYTES)
    at += TLV_HEADER_BYTES + size
  }
  return bytes
}

function sizeOf(command: CommandName, name: string, field: PduField<unknown>, value: unknown): number {
  const problem = field.problem(value)
  if (problem !== undefined) throw new UnwritablePduError(`${command}: ${name} ${problem}`)
  return field.size(value)
}

function listTlvs(pdu: OutgoingPdu): { tag: number; name: string; field: PduField<unknown>; value: unknown }[] {
  if (pdu.tlvs === undefined) return []
  const { unknown = [], ...known } = pdu.tlvs
  const list = []
  for (const [name, value] of Object.entries(known)) {
    const layout = tlvByName.get(name)
    assert(layout, `unknown TLV: ${name}`)
    if (value !== undefined) list.push({ ...layout, value })
  }
  const rawField = tlvs.message_payload.field as PduField<unknown>
  return [...list, ...unknown.map(({ tag, value }) => ({ tag, name: `TLV ${tag}`, field: rawField, value }))]
}

/** Decodes one complete frame of FrameReader. */
export function decode(frame: Buffer): Pdu {
  assert(frame.length >= HEADER_BYTES && frame.readUInt32BE(0) === frame.length, 'decode requires exactly one frame')
  const id = frame.readUInt32BE(4)
  const sequence = frame.readUInt32BE(12)
  const layout = layoutById.get(id)
  if (layout === undefined) {
    throw new RecoverablePduError(`unknown command 0x${id.toString(16)}`, {
      id,
      sequence,
      status: commandStatus.ESME_RINVCMDID,
    })
  }
  const reject = (what: string, status: number): never => {
    throw new RecoverablePduError(`${layout.command}: ${what}`, {
      id,
      sequence,
      status,
      command: layout.command as RequestName,
    })
  }

  const pdu: Record<string, unknown> = { command: layout.command, status: frame.readUInt32BE(8), sequence }
  let at = HEADER_BYTES
  for (const { name, field } of layout.fields) {
    const value = field.read(frame, at)
    // A response is never rejected: its header is enough, and many errors have no body.
    if (value === undefined && !layout.isResponse) reject(`${name} is cut off`, commandStatus.ESME_RINVCMDLEN)
    pdu[name] = value ?? field.zero
    at += field.size(pdu[name])
  }
  const { found, isComplete } = readTlvs(frame, at)
  // The missing bytes may be the message_payload, so the PDU is rejected instead of losing the text. A delivery with a text is accepted,
  // because a rejected receipt is redelivered forever.
  const hasText = layout.command === 'deliver_sm' && (pdu.short_message as Buffer).length > 0
  if (!isComplete && !layout.isResponse && !hasText) reject('a TLV is cut off', commandStatus.ESME_RINVOPTPARSTREAM)
  pdu.tlvs = found
  return pdu as Pdu
}

function readTlvs(frame: Buffer, start: number): { found: Tlvs; isComplete: boolean } {
  const found: Record<string, unknown> & Tlvs = {}
  let at = start
  // Some SMSCs append padding shorter than a TLV header.
  while (at + TLV_HEADER_BYTES <= frame.length) {
    const tag = frame.readUInt16BE(at)
    const end = at + TLV_HEADER_BYTES + frame.readUInt16BE(at + 2)
    if (end > frame.length) return { found, isComplete: false }
    const raw = frame.subarray(at + TLV_HEADER_BYTES, end)
    const layout = tlvByTag.get(tag)
    // An integer of the wrong width is kept as raw bytes.
    const isReadable = layout && (layout.field.fixedBytes ?? raw.length) === raw.length
    if (isReadable) {
      found[layout.name] = layout.field.read(raw, 0)
    } else {
      found.unknown ??= []
      found.unknown.push({ tag, value: raw })
    }
    at = end
  }
  return { found, isComplete: true }
}
