// What a carrier claims of the messages that wait for it: how many are looked for, and which of those that are due it submits now.
import { isFinal } from '../message-status.ts'
import { expiresAt } from '../messages/lifetime.ts'
import { cutOf, holdsUnknown, missingSegments, type Submission } from '../messages/progress.ts'
import type { Receipts } from '../messages/report.ts'
import { type MessageState, type Transition, transition } from '../messages/transition.ts'
import type { Encoding } from '../text-encoding.ts'
import { type QuietHours, quietUntil } from '../workspaces/quiet-hours.ts'
import type { CarrierFields, SubmissionRules } from './carrier.ts'
import { type PriceList, submissionCostE4 } from './carrier-price.ts'
import type { Load, Room } from './room.ts'
import { type Place, priorityOf } from './routing.ts'
import { type SenderAddress, senderAddress } from './sender-address.ts'

const MOST_AT_ONCE = 500

/** A message in the queue whose time has come. */
export interface DueMessage extends MessageState {
  country: string
  sender: string
  /** null for a message with a one-time code: its text is sealed. */
  text: string | null
  sealedText: Buffer | null
  encoding: Encoding
  /** That its workspace pays in. */
  currency: string
  /** Where it waited. */
  place: Place
  /** How often it was claimed before. */
  claims: number
  /** Set when its last claim was never settled: whoever made it is gone. */
  claimId: string | null
  /** Of earlier claims. */
  submissions: (Submission & { resendUnknown: boolean })[]
}

/** A message to be submitted now: these of its segments, under this number. */
export interface ClaimedMessage extends DueMessage {
  ordinal: number
  submitting: number[]
  ofSegments: number
  /** D34: what the carrier gets as sender. */
  source: SenderAddress
  /** D56 */
  receipts: Receipts
  /** D57 */
  fields: CarrierFields
  /** D61: of each of these segments, should the carrier take it. */
  carrierCostE4: number | null
  load: Load
  claimedAt: Date
  expiresAt: Date
}

/** Codes first (D16). Room that is kept for codes is no room for what else waits. */
export function planClaim(places: readonly Place[], room: Room): { places: Place[]; limit: number }[] {
  const isCode = ({ priority }: Place) => priority === priorityOf('otp')
  return [
    { places: places.filter(isCode), limit: Math.min(room.mostOf('otp'), MOST_AT_ONCE) },
    { places: places.filter((it) => !isCode(it)), limit: Math.min(room.mostOf('transactional'), MOST_AT_ONCE) },
  ].filter((it) => it.places.length > 0 && it.limit > 0)
}

export interface ClaimRules extends SubmissionRules {
  /** D61: what the carrier charges, as it is known. */
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
  /** Claims that were never settled. */
  abandoned: { messageId: string; claimId: string }[]
  /** Too old to be submitted. */
  expired: string[]
  /** Back in the queue until a later time. */
  deferred: { messageId: string; dueAt: Date; avoidCarrierId: null }[]
  /** They have nothing to submit and leave the queue. */
  done: string[]
  transitions: Transition[]
  /** There would be room for more, other than codes. */
  hasRoom: boolean
}

/** Messages get room in the order in which they were found. */
export function decideClaims(due: readonly DueMessage[], facts: ClaimFacts): ClaimDecision {
  const decided: Omit<ClaimDecision, 'hasRoom'> = {
    messages: [],
    abandoned: [],
    expired: [],
    deferred: [],
    done: [],
    transitions: [],
  }
  const room = facts.room.copy()
  const zones = new Map(facts.countries.map((country) => [country.code, country]))
  for (const message of due) {
    const { id } = message
    const claim = decideClaim(message, { ...facts, zone: zones.get(message.country) })
    switch (claim.kind) {
      case 'abandoned':
        decided.abandoned.push({ messageId: id, claimId: claim.claimId })
        break
      case 'done':
        decided.done.push(id)
        break
      case 'expired':
        decided.expired.push(id)
        break
      case 'deferred':
        decided.deferred.push({ messageId: id, dueAt: claim.until, avoidCarrierId: null })
        decided.transitions.push(...claim.transitions)
        break
      case 'submit':
        if (room.take(message.type, claim.message.load)) decided.messages.push(claim.message)
        break
      default:
        throw claim satisfies never
    }
  }
  return { ...decided, hasRoom: room.mostOf('transactional') > 0 }
}

/** Nothing has, when all that is due is too long for the room there is: the next answer makes more. */
export function hasMoved({ messages, abandoned, expired, deferred, done }: ClaimDecision): boolean {
  return [messages, abandoned, expired, deferred, done].some((some) => some.length > 0)
}

export type MessageClaim =
  | { kind: 'abandoned'; claimId: string }
  | { kind: 'done' }
  | { kind: 'expired' }
  | { kind: 'deferred'; until: Date; transitions: Transition[] }
  /** If there is room for it. */
  | { kind: 'submit'; message: ClaimedMessage }

export function decideClaim(
  message: DueMessage,
  { rules, zone, fieldsOf, now }: Pick<ClaimFacts, 'rules' | 'fieldsOf' | 'now'> & { zone: QuietHours | undefined },
): MessageClaim {
  if (message.claimId !== null) return { kind: 'abandoned', claimId: message.claimId }
  if (isFinal(message.status)) return { kind: 'done' }
  // D14: a code that expired is never submitted.
  const lifeEndsAt = expiresAt(message)
  if (lifeEndsAt <= now) return { kind: 'expired' }
  const quietEndsAt = message.type === 'promotional' && zone ? quietUntil(now, zone) : null
  if (quietEndsAt) {
    // D16: back to the queue until morning, and said so once.
    const transitions = message.status === 'submitted' ? [] : [transition(message, 'queued', { at: now })]
    return { kind: 'deferred', until: quietEndsAt, transitions }
  }
  const { submissions } = message
  const isHeld = holdsUnknown(message, { resendUnknown: submissions.at(-1)?.resendUnknown ?? false })
  const ofSegments = cutOf(submissions, isHeld) ?? (rules.inOnePiece ? 1 : message.segments)
  const submitting = missingSegments(submissions, { ofSegments, isHeld })
  if (submitting.length === 0) return { kind: 'done' }
  const claimed: ClaimedMessage = {
    ...message,
    ordinal: message.claims + 1,
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
