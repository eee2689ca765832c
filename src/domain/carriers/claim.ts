// Which messages of the queue a carrier claims: how many to look for, and which due messages to submit now.
import { isFinal } from '../message-status.ts'
import { expiresAt } from '../messages/lifetime.ts'
import { holdsUnknown, missingSegments, type Submission, segmentCountOf } from '../messages/progress.ts'
import type { Receipts } from '../messages/report.ts'
import { type MessageState, type Transition, transition } from '../messages/transition.ts'
import type { Encoding } from '../text-encoding.ts'
import { type QuietHours, quietUntil } from '../workspaces/quiet-hours.ts'
import type { CarrierFields, SubmissionRules } from './carrier.ts'
import { type PriceList, submissionCostE4 } from './carrier-price.ts'
import type { Load, Room } from './room.ts'
import { priorityOf, type QueueGroup } from './routing.ts'
import { type SenderAddress, senderAddress } from './sender-address.ts'

const MAX_AT_ONCE = 500

/** A message in the queue that is due. */
export interface DueMessage extends MessageState {
  country: string
  sender: string
  /** null for an OTP message, whose text is encrypted. */
  text: string | null
  sealedText: Buffer | null
  encoding: Encoding
  /** The currency of its workspace. */
  currency: string
  /** Its queue group. */
  place: QueueGroup
  /** The first message of its queue row. */
  firstMessageId: string
  /** Earlier submissions of the message. */
  attempts: number
  /** From earlier claims. */
  submissions: (Submission & { resendUnknown: boolean })[]
}

/** A message to submit now: which segments, and with which number the submission is stored. */
export interface ClaimedMessage extends DueMessage {
  ordinal: number
  submitting: number[]
  ofSegments: number
  /** D34: the sender for the carrier. */
  source: SenderAddress
  /** D56 */
  receipts: Receipts
  /** D57 */
  fields: CarrierFields
  /** D61: the carrier's price of each segment, if the carrier accepts it. */
  carrierCostE4: number | null
  load: Load
  claimedAt: Date
  expiresAt: Date
}

/** OTPs first (D16). Capacity reserved for OTPs is not available to other messages. */
export function planClaim(places: readonly QueueGroup[], room: Room): { places: QueueGroup[]; limit: number }[] {
  const isCode = ({ priority }: QueueGroup) => priority === priorityOf('otp')
  return [
    { places: places.filter(isCode), limit: Math.min(room.availableFor('otp'), MAX_AT_ONCE) },
    { places: places.filter((it) => !isCode(it)), limit: Math.min(room.availableFor('transactional'), MAX_AT_ONCE) },
  ].filter((it) => it.places.length > 0 && it.limit > 0)
}

export interface ClaimRules extends SubmissionRules {
  /** D61: undefined if the prices are unknown. */
  prices: PriceList | undefined
}

export interface ClaimFacts {
  rules: ClaimRules
  room: Room
  countries: readonly (QuietHours & { code: string })[]
  /** D57: by message. */
  fieldsOf: ReadonlyMap<string, CarrierFields>
  now: Date
}

export interface ClaimDecision {
  messages: ClaimedMessage[]
  /** Too old to submit. */
  expired: string[]
  /** Back in the queue until a later time. */
  deferred: { message: DueMessage; dueAt: Date }[]
  /** Nothing left to submit; they leave the queue. */
  done: DueMessage[]
  transitions: Transition[]
  /** Capacity is left for messages other than OTPs. */
  hasRoom: boolean
}

/** Messages get capacity in the order in which they were found. */
export function decideClaims(due: readonly DueMessage[], facts: ClaimFacts): ClaimDecision {
  const decided: Omit<ClaimDecision, 'hasRoom'> = {
    messages: [],
    expired: [],
    deferred: [],
    done: [],
    transitions: [],
  }
  const room = facts.room.copy()
  const zones = new Map(facts.countries.map((country) => [country.code, country]))
  for (const message of due) {
    const claim = decideClaim(message, { ...facts, zone: zones.get(message.country) })
    switch (claim.kind) {
      case 'done':
        decided.done.push(message)
        break
      case 'expired':
        decided.expired.push(message.id)
        break
      case 'deferred':
        decided.deferred.push({ message, dueAt: claim.until })
        decided.transitions.push(...claim.transitions)
        break
      case 'submit':
        if (room.take(message.type, claim.message.load)) decided.messages.push(claim.message)
        break
      default:
        throw claim satisfies never
    }
  }
  return { ...decided, hasRoom: room.availableFor('transactional') > 0 }
}

/** False if every due message is too long for the free capacity; the next answer frees more. */
export function hasMoved({ messages, expired, deferred, done }: ClaimDecision): boolean {
  return [messages, expired, deferred, done].some((some) => some.length > 0)
}

type MessageClaim =
  | { kind: 'done' }
  | { kind: 'expired' }
  | { kind: 'deferred'; until: Date; transitions: Transition[] }
  /** Submitted if capacity is left. */
  | { kind: 'submit'; message: ClaimedMessage }

export function decideClaim(
  message: DueMessage,
  { rules, zone, fieldsOf, now }: Pick<ClaimFacts, 'rules' | 'fieldsOf' | 'now'> & { zone: QuietHours | undefined },
): MessageClaim {
  if (isFinal(message.status)) return { kind: 'done' }
  // D14: a code that expired is never submitted.
  const lifeEndsAt = expiresAt(message)
  if (lifeEndsAt <= now) return { kind: 'expired' }
  const quietEndsAt = message.type === 'promotional' && zone ? quietUntil(now, zone) : null
  if (quietEndsAt) {
    // D16: back to the queue until morning; the event is sent once.
    const transitions = message.status === 'submitted' ? [] : [transition(message, 'queued', { at: now })]
    return { kind: 'deferred', until: quietEndsAt, transitions }
  }
  const { submissions } = message
  const isHeld = holdsUnknown(message, { resendUnknown: submissions.at(-1)?.resendUnknown ?? false })
  const ofSegments = segmentCountOf(submissions, isHeld) ?? (rules.inOnePiece ? 1 : message.segments)
  const submitting = missingSegments(submissions, { ofSegments, isHeld })
  if (submitting.length === 0) return { kind: 'done' }
  const claimed: ClaimedMessage = {
    ...message,
    ordinal: message.attempts + 1,
    submitting,
    ofSegments,
    source: senderAddress(message.sender, rules.senderRules),
    receipts: rules.receipts,
    fields: fieldsOf.get(message.id) ?? {},
    carrierCostE4: submissionCostE4(rules.prices, { ...message, segments: ofSegments === 1 ? message.segments : 1 }),
    load: { submissions: submitting.length, segments: ofSegments === 1 ? message.segments : submitting.length },
    claimedAt: now,
    expiresAt: lifeEndsAt,
  }
  return { kind: 'submit', message: claimed }
}
