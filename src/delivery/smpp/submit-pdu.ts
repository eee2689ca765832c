// Builds the submit_sm of one segment: encoding, concatenation, addresses, validity and vendor TLVs.

import type { SmppCarrier } from '../../domain/carriers/carrier.ts'
import type { SenderAddress } from '../../domain/carriers/sender-address.ts'
import { type SmppSettings, tlvBytes } from '../../domain/carriers/smpp/smpp-settings.ts'
import { encodeText } from '../../smpp/alphabets.ts'
import type { Body, UnknownTlv } from '../../smpp/commands.ts'
import { formatAbsoluteTime, formatRelativeTime } from '../../smpp/time.ts'
import { ESM_CLASS_UDHI, encodeConcatenation } from '../../smpp/udh.ts'
import type { OutgoingSegment } from '../connection.ts'
import { destinationFields } from './destination.ts'
import { type WireText, wireText } from './wire-text.ts'

type SubmitSm = Body<'submit_sm'>

const SOURCES = { number: { ton: 1, npi: 1 }, shortCode: { ton: 0, npi: 0 }, word: { ton: 5, npi: 0 } }

/** Returns null if the text cannot be encoded. */
export function submitPdu(
  outgoing: OutgoingSegment,
  { carrier, now }: { carrier: SmppCarrier; now: Date },
): SubmitSm | null {
  const { type, to, source, text, segment, ofSegments, expiresAt, requestsReceipt, fields } = outgoing
  const { smpp } = carrier
  const wire = wireText(text, carrier)
  const inOnePiece = ofSegments === 1
  const bytes = encodeText(inOnePiece ? wire.segments.join('') : (wire.segments[segment - 1] ?? ''), wire.alphabet)
  if (!bytes) return null
  const { tlvs, ...body } = inOnePiece ? wholeOf(bytes, wire) : partOf(bytes, outgoing, { carrier, wire })
  const vendor = vendorTlvs(smpp, fields)
  return {
    service_type: smpp.serviceType,
    ...sourceOf(source, carrier),
    ...destinationFields(to, smpp),
    priority_flag: smpp.priorities[type],
    validity_period: validityOf(expiresAt, smpp, now),
    registered_delivery: requestsReceipt ? 1 : 0,
    data_coding: smpp.dataCodings[wire.alphabet],
    ...body,
    ...((tlvs || vendor.length > 0) && { tlvs: { ...tlvs, unknown: vendor } }),
  }
}

/** Carriers must not deliver expired messages; an OTP is valid for five minutes (D14). */
function validityOf(expiresAt: Date, { validity, validityMaxSeconds }: SmppSettings, now: Date): string {
  const left = Math.floor((expiresAt.getTime() - now.getTime()) / 1000)
  const seconds = Math.min(left, validityMaxSeconds ?? left)
  switch (validity) {
    case 'relative':
      return formatRelativeTime(seconds)
    case 'absolute':
      return formatAbsoluteTime(new Date(now.getTime() + seconds * 1000))
    case 'none':
      return ''
    default:
      throw validity satisfies never
  }
}

/** A short text goes into short_message, a long one into message_payload. */
function wholeOf(bytes: Buffer, { segments }: WireText): SubmitSm {
  return segments.length === 1 ? { short_message: bytes } : { tlvs: { message_payload: bytes } }
}

function partOf(
  bytes: Buffer,
  { messageId, segment: number, ofSegments: total }: OutgoingSegment,
  { carrier, wire: { referenceBits } }: { carrier: SmppCarrier; wire: WireText },
): SubmitSm {
  // Derived from the message ID, so that a resubmitted segment joins the others on the handset.
  const reference = Number.parseInt(messageId.slice(-4), 16)
  if (carrier.smpp.longMessages === 'sar') {
    const tlvs = { sar_msg_ref_num: reference, sar_total_segments: total, sar_segment_seqnum: number }
    return { short_message: bytes, tlvs }
  }
  const header = encodeConcatenation({ reference, referenceBits, total, number })
  return { esm_class: ESM_CLASS_UDHI, short_message: Buffer.concat([header, bytes]) }
}

/** D55: the setting for the kind of sender, then the general setting, then the SMPP default of the kind. */
function sourceOf({ kind, address }: SenderAddress, { smpp }: SmppCarrier): SubmitSm {
  const { ton, npi } = SOURCES[kind]
  const own = smpp.senderTypes[kind]
  return {
    source_addr_ton: own.ton ?? smpp.sourceTon ?? ton,
    source_addr_npi: own.npi ?? smpp.sourceNpi ?? npi,
    source_addr: address,
  }
}

/** D57: missing and invalid values are left out. */
function vendorTlvs({ tlvs }: SmppSettings, fields: OutgoingSegment['fields']): UnknownTlv[] {
  return tlvs.flatMap(({ tag, form, field, value }) => {
    const text = (field === null ? undefined : fields[field]) ?? value
    const bytes = text === null ? null : tlvBytes(form, text)
    return bytes ? [{ tag, value: bytes }] : []
  })
}
