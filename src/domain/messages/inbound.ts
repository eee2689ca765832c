// Replies: parts that make a whole (in any order), and whose reply it is (D18).
import { hash } from 'node:crypto'

export interface InboundPart {
  carrierId: string
  /** The handset, in E.164 where that is what the carrier gave. */
  from: string
  /** What it wrote to. */
  to: string
  text: string
  /** Set on one part of a long reply. */
  part: { reference: number; referenceBits: 8 | 16; total: number; number: number } | null
  /** When the last one that said the same was answered, if the carrier has that answer: this is no repetition of it. */
  answeredAt: Date | null
  receivedAt: Date
}

/**
 * A carrier that missed our acknowledgement delivers again, under a new sequence number: only what it says tells that it
 * is the same. Within this time a word that is repeated is taken for one, unless we know that the carrier was answered.
 */
export const SAME_REPLY_MS = 10 * 60 * 1000
/** Parts that have waited so long for the rest wait no more: references repeat. So long a part is known again, too. */
export const OLDEST_PART_MS = 24 * 3600 * 1000

/** Parts that came so long before another are none of its reply, unless they are delivered again. */
const PARTS_WITHIN_MS = 10 * 60 * 1000
/** Where a reference has been used again, only what came so shortly before is of the newer reply. */
const PARTS_TOGETHER_MS = 30 * 1000

export interface KnownPart {
  number: number
  text: string
  receivedAt: Date
}

/**
 * What a part makes of those that wait under its reference: the whole text, once all are there. Handsets use references again, some
 * the same one always: other words in a part's own place say that, and so does time. `over` are parts of a reply that will never
 * be whole.
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

/** The same for a reply, or a part of one, that is delivered again. */
export function fingerprintOf({ carrierId, from, to, text, part }: Omit<InboundPart, 'answeredAt'>): string {
  const which = part && [part.reference, part.referenceBits, part.total, part.number]
  return hash('sha256', JSON.stringify([carrierId, from, to, text, which]))
}

/** Seen after that, it is the same again: also where one that came since the last answer is still without its own. */
export function sameAfter({ part, answeredAt, receivedAt }: InboundPart, now: Date): Date {
  if (part) return new Date(now.getTime() - OLDEST_PART_MS)
  return answeredAt && answeredAt < receivedAt ? answeredAt : new Date(now.getTime() - SAME_REPLY_MS)
}

/** D18: how far back a message may lie that a reply answers. */
export const REPLY_DAYS = 30

/** D18: of the messages to one number so many are looked at, for how many there are is up to customers. */
export const MOST_ANSWERABLE = 5_000

/** The last message of a workspace that went to a number from a sender. */
export interface SentMessage {
  id: string
  workspaceId: string
  clientId: string
}

/** The messages that a reply may answer: the last of each workspace, and whether all there are were looked at. */
export interface Answerable {
  lastOfEach: readonly SentMessage[]
  areAll: boolean
}

/**
 * The message that a reply answers (D18), or null: it is nobody's. A `senderId` is not validated, so where two workspaces wrote to
 * the number from the sender that the reply is addressed to, a guess would hand one customer's replies to another.
 */
export function answeredMessage({ lastOfEach, areAll }: Answerable): SentMessage | null {
  const [only, another] = lastOfEach
  return areAll && !another ? (only ?? null) : null
}
