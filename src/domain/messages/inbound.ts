// Replies: joins parts in any order, and finds the message that a reply answers (D18).
import { hash } from 'node:crypto'
import { DAY_MS } from '../durations.ts'

export interface InboundPart {
  carrierId: string
  /** The handset's number, in E.164 if the carrier gives that. */
  from: string
  /** The number or sender that the handset wrote to. */
  to: string
  text: string
  /** Set for one part of a long reply. */
  part: { reference: number; referenceBits: 8 | 16; total: number; number: number } | null
  /** When the last equal reply was acknowledged, if the carrier received that acknowledgement: then this one is new. */
  answeredAt: Date | null
  receivedAt: Date
}

/**
 * A carrier that missed our acknowledgement delivers again with a new sequence number, so only the content shows a repetition. Within this
 * time an equal reply counts as a repetition, unless the carrier received the acknowledgement.
 */
export const SAME_REPLY_MS = 10 * 60 * 1000
/** Parts wait this long for the rest, because references repeat. Repeated parts are recognised for the same time. */
export const OLDEST_PART_MS = DAY_MS

/** Older parts do not belong to the reply, unless they are delivered again. */
const PARTS_WITHIN_MS = 10 * 60 * 1000
/** After a reference was reused, only parts this recent belong to the newer reply. */
const PARTS_TOGETHER_MS = 30 * 1000

export interface KnownPart {
  number: number
  text: string
  receivedAt: Date
}

/**
 * Joins a part with the parts that wait under its reference, once all are there. Handsets reuse references, some of them always the same one:
 * another text in the same position, or a long time, shows it. `over` are parts of a reply that will never be complete.
 */
export function joinParts(
  known: readonly KnownPart[],
  { part, total }: { part: KnownPart; total: number },
): { text: string | null; over: number[] } {
  const isReused = known.some((it) => it.number === part.number && it.text !== part.text)
  const since = part.receivedAt.getTime() - (isReused ? PARTS_TOGETHER_MS : PARTS_WITHIN_MS)
  const others = known.filter((it) => it.number !== part.number)
  const joined = [part, ...others.filter((it) => it.receivedAt.getTime() >= since)]
  const over = isReused ? others.filter((it) => !joined.includes(it)).map((it) => it.number) : []
  if (joined.length < total) return { text: null, over }
  const inOrder = joined.sort((one, other) => one.number - other.number)
  const text = inOrder.map((it) => it.text).join('')
  return { text: text.toWellFormed(), over }
}

/** Equal for a reply, or a part of one, that is delivered again. */
export function fingerprintOf({ carrierId, from, to, text, part }: Omit<InboundPart, 'answeredAt'>): string {
  const which = part && [part.reference, part.referenceBits, part.total, part.number]
  return hash('sha256', JSON.stringify([carrierId, from, to, text, which]))
}

/** A reply seen after this time is a repetition, also if the earlier one is not acknowledged yet. */
export function repetitionSince({ part, answeredAt, receivedAt }: InboundPart, now: Date): Date {
  if (part) return new Date(now.getTime() - OLDEST_PART_MS)
  return answeredAt && answeredAt < receivedAt ? answeredAt : new Date(now.getTime() - SAME_REPLY_MS)
}

/** D18: the age of the oldest message that a reply may answer. */
export const REPLY_DAYS = 30

/** D18: how many messages to one number are searched, because customers control their count. */
export const MAX_ANSWERABLE = 5_000

/** The last message of a workspace to a number from a sender. */
export interface SentMessage {
  id: string
  workspaceId: string
  clientId: string
}

/** The messages that a reply may answer: the last of each workspace, and whether the search was complete. */
export interface ReplyCandidates {
  lastOfEach: readonly SentMessage[]
  areAll: boolean
}

/**
 * The message that a reply answers (D18), or null. Senders are not verified: if two workspaces wrote to the number from the same sender, a
 * guess could deliver one customer's replies to another.
 */
export function answeredMessage({ lastOfEach, areAll }: ReplyCandidates): SentMessage | null {
  const [only, another] = lastOfEach
  return areAll && !another ? (only ?? null) : null
}
