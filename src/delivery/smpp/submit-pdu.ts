// One segment of a message as the PDU that submits it: alphabet, parts, addresses, validity.
import type { SenderAddress } from '../../domain/sender-address.ts'
import { splitText } from '../../domain/text-encoding.ts'
import { encodeText } from '../../smpp/alphabets.ts'
import type { Body } from '../../smpp/commands.ts'
import { formatRelativeTime } from '../../smpp/time.ts'
import { ESM_CLASS_UDHI, encodeConcatenation } from '../../smpp/udh.ts'
import type { Carrier } from '../../store/carriers.ts'
import type { OutgoingSegment } from '../connection.ts'

type SubmitSm = Body<'submit_sm'>

const UCS2 = 8
const INTERNATIONAL = { ton: 1, npi: 1 }
const SOURCES = { number: INTERNATIONAL, shortCode: { ton: 0, npi: 0 }, word: { ton: 5, npi: 0 } }

/** The PDU of one segment, or null when this carrier's alphabet cannot say it. */
export function submitPdu(
  { messageId, to, source, text, segment, ofSegments, expiresAt }: OutgoingSegment,
  { carrier, now }: { carrier: Carrier; now: Date },
): SubmitSm | null {
  const { encoding, segments } = splitText(text)
  const inOnePiece = ofSegments === 1
  const alphabet = encoding === 'UCS2' ? 'ucs2' : carrier.alphabet
  const bytes = encodeText(inOnePiece ? text : (segments[segment - 1] ?? ''), alphabet)
  if (!bytes) return null
  return {
    ...sourceOf(source, carrier),
    dest_addr_ton: INTERNATIONAL.ton,
    dest_addr_npi: INTERNATIONAL.npi,
    destination_addr: to.slice(1),
    // A carrier shall not deliver what has lost its use: a code lives five minutes (D14).
    validity_period: formatRelativeTime((expiresAt.getTime() - now.getTime()) / 1000),
    registered_delivery: 1,
    data_coding: encoding === 'UCS2' ? UCS2 : 0,
    ...(inOnePiece ? whole(bytes, segments.length) : part(bytes, { messageId, segment, ofSegments, carrier })),
  }
}

/** Short enough, it is the short message; a long one that goes in one piece is the payload. */
function whole(bytes: Buffer, segments: number): SubmitSm {
  return segments === 1 ? { short_message: bytes } : { tlvs: { message_payload: bytes } }
}

function part(
  bytes: Buffer,
  of: Pick<OutgoingSegment, 'messageId' | 'segment' | 'ofSegments'> & { carrier: Carrier },
): SubmitSm {
  const { messageId, segment, ofSegments: total, carrier } = of
  // From the id, so that a segment that is submitted later than the others still joins them on the handset.
  const reference = Number.parseInt(messageId.slice(-4), 16)
  if (carrier.longMessages === 'sar') {
    const tlvs = { sar_msg_ref_num: reference, sar_total_segments: total, sar_segment_seqnum: segment }
    return { short_message: bytes, tlvs }
  }
  const header = encodeConcatenation({ reference, total, number: segment })
  return { esm_class: ESM_CLASS_UDHI, short_message: Buffer.concat([header, bytes]) }
}

function sourceOf({ kind, address }: SenderAddress, { sourceTon, sourceNpi }: Carrier): SubmitSm {
  const { ton, npi } = SOURCES[kind]
  return { source_addr_ton: sourceTon ?? ton, source_addr_npi: sourceNpi ?? npi, source_addr: address }
}
