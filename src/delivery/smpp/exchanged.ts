// A PDU for captures: redacted bytes and fields by their names in the specification.
import { alphabetOf, decodeText } from '../../smpp/alphabets.ts'
import type { Pdu } from '../../smpp/commands.ts'
import { redact } from '../../smpp/redact.ts'
import { statusName } from '../../smpp/status.ts'
import { readUserData } from '../../smpp/udh.ts'
import type { ConnectionFrame } from '../connection.ts'

export function frameOf(frame: Buffer, way: 'in' | 'out'): ConnectionFrame {
  const { bytes, pdu } = redact(frame)
  return { outgoing: way === 'out', bytes, decoded: pdu ? decodedOf(pdu) : { unreadable: true, length: bytes.length } }
}

function decodedOf({ command, status, sequence, tlvs, ...fields }: Pdu): Record<string, unknown> {
  const { unknown = [], ...known } = tlvs
  const others = unknown.map(({ tag, value }) => [`tlv_0x${tag.toString(16).padStart(4, '0')}`, value])
  const all = { ...fields, ...known, ...Object.fromEntries(others) }
  const shown = Object.entries(all).map(([name, value]) => [name, shownValue(value)])
  const pdu = { command, status, sequence, tlvs, ...fields } as Pdu
  const text = 'data_coding' in pdu ? { text: textOf(pdu) } : {}
  return { command, status: statusName(status), sequence, ...Object.fromEntries(shown), ...text }
}

/** Buffers become hex, and NUL is removed, which PostgreSQL cannot store in JSON. */
function shownValue(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return value.toString('hex')
  return typeof value === 'string' ? value.replaceAll('\u0000', '') : value
}

function textOf(pdu: Pdu<'submit_sm' | 'deliver_sm' | 'data_sm'>): string {
  const alphabet = alphabetOf(pdu.data_coding, 'gsm') === 'ucs2' ? 'ucs2' : 'gsm'
  return decodeText(readUserData(pdu).body, alphabet).replaceAll('\u0000', '').toWellFormed()
}
