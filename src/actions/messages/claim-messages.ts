// A carrier's next messages: locked, judged, and written down as submissions before any of them reaches the wire. In two trips: what is
// due with all that is known of it, and what was decided with its commit.
import { type PriceList, submissionCostE4 } from '../../domain/carriers/carrier-price.ts'
import type { Load, Room } from '../../domain/carriers/room.ts'
import { type Place, priorityOf } from '../../domain/carriers/routing.ts'
import { type SenderAddress, type SenderRules, senderAddress } from '../../domain/carriers/sender-address.ts'
import type { CarrierFields } from '../../domain/carriers/smpp/smpp-settings.ts'
import { isFinal } from '../../domain/message-status.ts'
import { expiresAt } from '../../domain/messages/lifetime.ts'
import { cutOf, holdsUnknown, missingSegments } from '../../domain/messages/progress.ts'
import type { Receipts } from '../../domain/messages/report.ts'
import { type Transition, transition } from '../../domain/messages/transition.ts'
import { quietUntil } from '../../domain/workspaces/quiet-hours.ts'
import { type Country, listCountries } from '../../store/carriers/countries.ts'
import type { Tx } from '../../store/database/db.ts'
import { type DueMessage, loadCarrierFields, lockDue } from '../../store/messages/claiming.ts'
import {
  type ClaimName,
  leaveQueue,
  lockClaims,
  nextDue,
  type Return,
  returnToQueue,
  storeClaims,
} from '../../store/messages/delivery-queue.ts'
import { insertSubmissions } from '../../store/messages/submissions.ts'
import { readRoutingRevision } from '../../store/service/service.ts'
import { confirmStored } from '../confirm-stored.ts'
import type { Ports } from '../ports.ts'
import { storeChanges } from './progress.ts'

const MOST_AT_ONCE = 500
const BEFORE_ALL_WORKSPACES = '00000000-0000-0000-0000-000000000000'

export interface ClaimRequest {
  carrierId: string
  /** Where to look, the first first. */
  places: Place[]
  /** Whose turn was the last: the workspaces behind it are next (D43). */
  behind: string | null
  room: Room
  leaseMs: number
  /** Whether a long message goes to this carrier in one piece. */
  inOnePiece: boolean
  /** D34, D55: what it makes of senders. */
  senderRules: SenderRules
  /** D56: which segments it is asked to report on. */
  receipts: Receipts
  /** D57: whether it wants what workspaces and templates say to carriers. */
  wantsFields: boolean
  /** D61: what the carrier charges, as it is known. */
  prices: PriceList | undefined
  /** The version of routes by which these places are the carrier's; without one it is not checked. */
  routingRevision?: number
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

export interface Claimed {
  messages: ClaimedMessage[]
  /** Claims of others that were never settled. */
  abandoned: ClaimName[]
  /** Too old to be submitted. */
  expired: string[]
  /** When the next one falls due, asked only if there was nothing. */
  nextAt: Date | null
  /** Something in the queue has moved, if only to a later time. */
  worked: boolean
  /** Routes have changed: nothing was claimed, for the places may be another carrier's now. */
  isOutdated: boolean
}

export async function claimMessages(ports: Ports, request: ClaimRequest): Promise<Claimed> {
  // Room that is kept for codes is no room for what else waits: then the next answer makes some.
  if (!request.places.some((place) => limitFor(place, request) > 0)) return NOTHING
  const claimed = await claimDue(ports, request)
  if (claimed === 'outdated') return { ...NOTHING, isOutdated: true }
  if (!claimed) {
    const nextAt = await nextDue(ports.db, request.places)
    return { ...NOTHING, nextAt }
  }
  if (claimed.transitions.some((it) => it.announces)) ports.notifications.notify('webhooks')
  const { messages, abandoned, expired } = claimed
  return { messages, abandoned, expired, nextAt: null, worked: hasMoved(claimed), isOutdated: false }
}

const NOTHING: Claimed = { messages: [], abandoned: [], expired: [], nextAt: null, worked: false, isOutdated: false }

function isCode({ priority }: Place): boolean {
  return priority === priorityOf('otp')
}

function limitFor(place: Place, { room }: ClaimRequest): number {
  return Math.min(room.mostOf(isCode(place) ? 'otp' : 'transactional'), MOST_AT_ONCE)
}

async function claimDue(ports: Ports, request: ClaimRequest): Promise<Decided | 'outdated' | null> {
  const now = ports.clock.now()
  const claimId = ports.ids.next()
  const last: { decided: Decided | null; isOutdated: boolean } = { decided: null, isOutdated: false }
  try {
    await ports.db.transaction(async (tx) => {
      const [due, countries, revision] = await Promise.all([
        lockDueWithin(tx, request, { claimId, now }),
        listCountries(tx),
        // Behind the messages: a message is accepted by the routes of its time, and these must be known here, too.
        readRoutingRevision(tx),
      ])
      if (due.length === 0) return
      last.isOutdated = revision !== (request.routingRevision ?? revision)
      if (last.isOutdated) return
      const fieldsOf = request.wantsFields ? await loadCarrierFields(tx, idsOf(due)) : NO_FIELDS
      const decided = decideClaims(due, { request, countries, fieldsOf, now })
      tx.finishWith(...storeDecisions(tx, ports, { decided, request, claimId, now }))
      last.decided = decided
    })
  } catch (fault) {
    const ids = last.decided?.messages.map((message) => message.id) ?? []
    // Nothing is on the wire yet, so a claim that is stored after all is worked on: left to lapse, its messages would be unknown
    // (D15) though no carrier ever saw them.
    await confirmStored(fault, async () => {
      const claims = ids.length > 0 ? await lockClaims(ports.db, ids) : []
      return claims.filter((it) => it.claimId === claimId).length === ids.length
    })
  }
  return last.isOutdated ? 'outdated' : last.decided
}

/** Codes first (D16). Some of what is locked may find no room, once it is known how long it is. */
async function lockDueWithin(
  tx: Tx,
  request: ClaimRequest,
  { claimId, now }: { claimId: string; now: Date },
): Promise<DueMessage[]> {
  const common = { behind: request.behind ?? BEFORE_ALL_WORKSPACES, shuffle: claimId, now }
  const { codes = [], others = [] } = Object.groupBy(request.places, (place) => (isCode(place) ? 'codes' : 'others'))
  const due = await Promise.all(
    [codes, others].map((places) => {
      const limit = places[0] ? limitFor(places[0], request) : 0
      return lockDue(tx, { ...common, places, limit })
    }),
  )
  return due.flat()
}

interface Decided {
  messages: ClaimedMessage[]
  abandoned: ClaimName[]
  expired: string[]
  deferred: Return[]
  done: string[]
  transitions: Transition[]
}

interface ClaimFacts {
  request: ClaimRequest
  countries: Country[]
  fieldsOf: ReadonlyMap<string, CarrierFields>
  now: Date
}

const NO_FIELDS: ReadonlyMap<string, CarrierFields> = new Map()

function idsOf(due: DueMessage[]): string[] {
  return due.map((message) => message.id)
}

function decideClaims(due: DueMessage[], facts: ClaimFacts): Decided {
  const decided: Decided = { messages: [], abandoned: [], expired: [], deferred: [], done: [], transitions: [] }
  const zones = new Map(facts.countries.map((country) => [country.code, country]))
  // In the order they were found, since that is the order in which they get room.
  for (const message of due) {
    if (message.claimId === null) decideClaim(decided, message, { ...facts, zone: zones.get(message.country) })
    else decided.abandoned.push({ messageId: message.id, claimId: message.claimId })
  }
  return decided
}

/** Nothing has, when all that is due is too long for the room there is: the next answer makes more. */
function hasMoved({ messages, abandoned, expired, deferred, done }: Decided): boolean {
  return [messages, abandoned, expired, deferred, done].some((some) => some.length > 0)
}

function decideClaim(
  decided: Decided,
  message: DueMessage,
  { request, zone, fieldsOf, now }: ClaimFacts & { zone: Country | undefined },
): void {
  const { submissions } = message
  const lifeEndsAt = expiresAt(message)
  if (isFinal(message.status)) return void decided.done.push(message.id)
  // D14: a code that expired is never submitted.
  if (lifeEndsAt <= now) return void decided.expired.push(message.id)
  const quietEndsAt = message.type === 'promotional' && zone ? quietUntil(now, zone) : null
  if (quietEndsAt) {
    // D16: back to the queue until morning, and said so once.
    decided.deferred.push({ messageId: message.id, dueAt: quietEndsAt, avoidCarrierId: null })
    if (message.status !== 'submitted') decided.transitions.push(transition(message, 'queued', { at: now }))
    return
  }
  const isHeld = holdsUnknown(message, { resendUnknown: submissions.at(-1)?.resendUnknown ?? false })
  const ofSegments = cutOf(submissions, isHeld) ?? (request.inOnePiece ? 1 : message.segments)
  const submitting = missingSegments(submissions, { ofSegments, isHeld })
  if (submitting.length === 0) return void decided.done.push(message.id)
  const load = { pdus: submitting.length, segments: ofSegments === 1 ? message.segments : submitting.length }
  if (!request.room.take(message.type, load)) return
  const source = senderAddress(message.sender, request.senderRules)
  const segments = ofSegments === 1 ? message.segments : 1
  const carrierCostE4 = submissionCostE4(request.prices, { ...message, segments })
  const ordinal = message.claims + 1
  decided.messages.push({
    ...message,
    ordinal,
    submitting,
    ofSegments,
    source,
    receipts: request.receipts,
    fields: fieldsOf.get(message.id) ?? {},
    carrierCostE4,
    load,
    claimedAt: now,
    expiresAt: lifeEndsAt,
  })
}

function storeDecisions(
  tx: Tx,
  ports: Ports,
  { decided, request, claimId, now }: { decided: Decided; request: ClaimRequest; claimId: string; now: Date },
): Promise<unknown>[] {
  const { messages, transitions, deferred, done } = decided
  const leasedUntil = new Date(now.getTime() + request.leaseMs)
  const { carrierId } = request
  const submissions = messages.flatMap(({ id, submitting, source: { address: sender }, ...message }) => {
    const { ordinal, ofSegments, to, receipts, carrierCostE4 } = message
    const same = { messageId: id, ordinal, ofSegments, carrierId, to, sender, receipts, carrierCostE4 }
    return submitting.map((segment) => ({ ...same, segment }))
  })
  return [
    storeClaims(tx, { messageIds: messages.map((message) => message.id), claimId, leasedUntil }),
    insertSubmissions(tx, submissions, now),
    returnToQueue(tx, deferred),
    leaveQueue(tx, done),
    ...storeChanges(tx, ports, { transitions, counterShard: 'answers', now }),
  ]
}
