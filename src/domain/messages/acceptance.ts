// Decides a batch of sends (§4.1, §4.2) in the order of D6: each request is accepted, replayed or rejected, and sees the effects of earlier
// ones. Pure: the facts are loaded before, the decisions are stored after.
import { addFinding, type NewHold, type PumpingCase, type PumpingFinding, PumpingWatch } from '../codes/pumping.ts'
import type { MessageStatus } from '../message-status.ts'
import type { MessageType } from '../message-type.ts'
import { costE4, fromE4 } from '../money.ts'
import type { ReadPhoneNumber } from '../phone-number.ts'
import { Refusal, refuse } from '../refusals.ts'
import type { Encoding } from '../text-encoding.ts'
import { Account } from '../workspaces/account.ts'
import { refuseInactive } from '../workspaces/workspace.ts'
import { answerScopeKey, checkIdempotency, type KnownAnswer, type KnownAnswers } from './idempotency.ts'
import { Intake, type Reach, UNAVAILABLE_RETRY_SECONDS } from './intake.ts'
import { type Hit, type LimitFacts, LimitWatch } from './limits.ts'
import { messageTextOf } from './request-text.ts'
import { allowedCountries } from './restrictions.ts'
import type { SendingClient, SendRequest, TextRequest, WorkspaceFacts } from './send-request.ts'

export interface AcceptFacts extends LimitFacts {
  smsEnabled: boolean
  workspaces: ReadonlyMap<string, WorkspaceFacts>
  knownAnswers: KnownAnswers
  /** By message: the facts for the fraud guard; absent for messages that it does not check. */
  pumping: ReadonlyMap<string, PumpingCase>
  destinations: Reach
  /** Messages that wait for a destination without a working carrier. */
  waiting: ReadonlyMap<string, number>
}

/** A message before the last checks. */
interface Draft {
  request: SendRequest
  to: string
  country: string
  sender: string
  /** null for an OTP message, whose text is never stored in plain form (D21). */
  text: string | null
  /** The template it was rendered from, or matches. */
  templateId: string | null
  type: MessageType
  encoding: Encoding
  segments: number
  costE4: number
  /** null in test mode, where nothing is sent (D19). */
  destination: string | null
}

export interface AcceptedMessage extends Draft {
  status: Extract<MessageStatus, 'queued' | 'test'>
  /** The amount taken from the balance; zero in test mode, although the response shows a cost (D19). */
  reservedE4: number
}

export type Decision =
  | { kind: 'accepted'; message: AcceptedMessage }
  | { kind: 'replayed'; answer: string }
  | { kind: 'refused'; refusal: Refusal }

export interface BatchDecision {
  /** In the order of the requests. */
  decisions: Decision[]
  /** New entries of windows. */
  hits: Hit[]
  /** New holds of the fraud guard, also in monitor mode. */
  holds: NewHold[]
  /** How many OTPs each hold affected. */
  findings: PumpingFinding[]
  suspectedOutages: { clientId: string; reason: string }[]
  /** With their new entries: reservations and closed months. */
  accounts: Account[]
  /** Messages that the batch adds to destinations without a working carrier. */
  withoutCarrier: ReadonlyMap<string, number>
}

/** State that the requests of a batch share. The loaded facts do not change. */
interface Batch {
  knownAnswers: Map<string, KnownAnswer | 'running'>
  limits: LimitWatch
  pumping: PumpingWatch
  holds: BatchDecision['holds']
  /** By client and scope. */
  findings: Map<string, PumpingFinding>
  suspectedOutages: BatchDecision['suspectedOutages']
  /** By workspace. */
  accounts: ReadonlyMap<string, Account>
  intake: Intake
}

export function decideAcceptance(requests: SendRequest[], facts: AcceptFacts, now: Date): BatchDecision {
  const batch: Batch = {
    knownAnswers: new Map(facts.knownAnswers),
    limits: new LimitWatch(facts, now),
    pumping: new PumpingWatch(),
    holds: [],
    findings: new Map(),
    suspectedOutages: [],
    accounts: new Map(Array.from(facts.workspaces, ([id, { account }]) => [id, Account.at(now, account)])),
    intake: new Intake(facts.destinations, facts.waiting),
  }
  const decisions = requests.map((request) => decideOne(request, facts, batch))
  const { limits, holds, suspectedOutages, intake } = batch
  const findings = [...batch.findings.values()]
  const accounts = [...batch.accounts.values()]
  return {
    decisions,
    hits: limits.hits,
    holds,
    findings,
    suspectedOutages,
    accounts,
    withoutCarrier: intake.withoutCarrier,
  }
}

function decideOne(request: SendRequest, facts: AcceptFacts, batch: Batch): Decision {
  const { client, idempotency } = request
  const before = checkIdempotency(batch.knownAnswers, idempotency, refuseInactive(client.workspaceStatus))
  if (before) return before instanceof Refusal ? refused(before) : { kind: 'replayed', answer: before.answer }
  const workspace = facts.workspaces.get(client.workspaceId)
  const account = batch.accounts.get(client.workspaceId)
  if (!workspace || !account) return refused(refuse('unauthorized'))
  const draft = draftOf(request, workspace, facts)
  if (draft instanceof Refusal) return refused(draft)
  const pumpingCase = facts.pumping.get(request.messageId)
  const limited =
    batch.limits.check(request, draft.to) ?? (pumpingCase ? checkPumping(request, pumpingCase, batch) : null)
  if (limited) return refused(limited)
  const reservedE4 = reserve(draft, { account, destinations: facts.destinations, intake: batch.intake })
  if (reservedE4 instanceof Refusal) return refused(reservedE4)
  batch.limits.count(request, draft.to)
  if (pumpingCase) batch.pumping.noteSent(pumpingCase)
  // Only an accepted request uses the key (D25). A request with the same key later in the batch arrived while this one was running.
  if (idempotency) batch.knownAnswers.set(answerScopeKey(idempotency), 'running')
  return { kind: 'accepted', message: { ...draft, status: draft.destination === null ? 'test' : 'queued', reservedE4 } }
}

/** D69: why an accepted message may not be resent. It counted toward caps when it was accepted. */
export function checkResend(
  request: SendRequest,
  facts: Pick<AcceptFacts, 'smsEnabled' | 'workspaces' | 'destinations'>,
): Refusal | null {
  const { workspaceId, workspaceStatus } = request.client
  const workspace = facts.workspaces.get(workspaceId)
  if (!workspace) return refuse('unauthorized')
  const draft = refuseInactive(workspaceStatus) ?? draftOf(request, workspace, facts)
  return draft instanceof Refusal ? draft : null
}

function refused(refusal: Refusal): Decision {
  return { kind: 'refused', refusal }
}

/** The draft, or the first rejection: service, type, number, template, segments. */
function draftOf(
  request: SendRequest,
  workspace: WorkspaceFacts,
  facts: Pick<AcceptFacts, 'smsEnabled' | 'destinations'>,
): Draft | Refusal {
  if (!facts.smsEnabled) return refuse('sms_disabled')
  const { client } = request
  const type = request.kind === 'otp' ? 'otp' : typeOf(request, workspace)
  const number = checkType(type, client, workspace) ?? checkNumber(request.number, client, workspace)
  if (number instanceof Refusal) return number
  const measured = messageTextOf(request, type, workspace)
  if (measured instanceof Refusal) return measured
  const { text, encoding, segments, templateId = null } = measured
  return {
    request,
    to: number.e164,
    country: number.country,
    sender: request.senderId ?? client.defaultSender,
    text: request.kind === 'otp' ? null : text,
    templateId,
    type,
    encoding,
    segments,
    costE4: costE4(workspace.priceE4[type], segments),
    destination: client.mode === 'test' ? null : facts.destinations.of(number.country, number.e164),
  }
}

/** §4.1: with a template and no type, the template's type. */
export function typeOf(
  { type, content }: { type: MessageType | null; content: TextRequest['content'] | null },
  { templates }: Pick<WorkspaceFacts, 'templates'>,
): MessageType {
  const ofTemplate = content && 'templateId' in content ? templates.get(content.templateId)?.type : undefined
  return type ?? ofTemplate ?? 'transactional'
}

export function checkType(type: MessageType, { onlyTypes }: SendingClient, workspace: WorkspaceFacts): Refusal | null {
  if (!workspace.allowedTypes.includes(type)) return refuse('forbidden')
  return onlyTypes && !onlyTypes.includes(type) ? refuse('type_not_allowed') : null
}

/** D2, D41: not a mobile number is 400; a country that the key cannot reach is 422; a number outside the key's prefixes is 403. */
export function checkNumber(number: ReadPhoneNumber, { onlyPrefixes }: SendingClient, workspace: WorkspaceFacts) {
  if (!number.ok) return refuse('invalid_number')
  const { e164, country } = number
  const isWithin = onlyPrefixes?.some((prefix) => e164.startsWith(prefix)) ?? true
  // The number itself shows that the key reaches its country, so the list is built only for a rejection.
  if (isWithin && workspace.allowedCountries.includes(country)) return number
  const allowed = allowedCountries(workspace.allowedCountries, onlyPrefixes)
  if (allowed.includes(country)) return refuse('prefix_not_allowed')
  return refuse('destination_not_supported', { details: { country, allowed } })
}

/** D33: only requests that pass all earlier checks count as strikes. A guard in monitor mode records them and lets them pass. */
function checkPumping({ client }: SendRequest, pumpingCase: PumpingCase, batch: Batch): Refusal | null {
  const { id: clientId, workspaceId, pumpingGuard: mode } = client
  const verdict = batch.pumping.check(pumpingCase)
  if (verdict.verdict === 'outage') batch.suspectedOutages.push({ clientId, reason: verdict.reason })
  if (verdict.verdict !== 'suspect' || mode === 'off') return null
  const { hold, isNew, holdSeconds } = verdict
  if (isNew) batch.holds.push({ ...hold, clientId, mode })
  const isRefused = mode === 'block'
  addFinding(batch.findings, { hold, workspaceId, clientId, isRefused })
  return isRefused ? refuse('suspected_pumping', { retryAfterSeconds: holdSeconds }) : null
}

/** The last two checks, then the reservation: a rejected request costs nothing. */
function reserve(
  { destination, type, request, costE4: cost }: Draft,
  { account, destinations, intake }: { account: Account; destinations: Reach; intake: Intake },
): number | Refusal {
  if (destination === null) return 0
  const unpaid = checkBalance(account, cost)
  if (unpaid) return unpaid
  const isReachable =
    intake.isOpen(destination, type) && (request.kind !== 'otp' || destinations.canDeliverOtp(destination))
  if (!isReachable) return refuse('unavailable', { retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS })
  account.reserve(cost)
  intake.count(destination, type)
  return cost
}

export function checkBalance({ balanceE4 }: Account, cost: number): Refusal | null {
  if (balanceE4 >= cost) return null
  return refuse('insufficient_balance', { details: { balance: fromE4(balanceE4), cost: fromE4(cost) } })
}
