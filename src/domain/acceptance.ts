// Decides a batch of sends (§4.1, §4.2) in the order of D6: each request is accepted, replayed or refused on its own, and
// sees what those before it took. Pure: everything known was loaded before, everything decided is stored after.
import type { Account } from './account.ts'
import { type Destinations, OUT_OF_REACH_SECONDS } from './destinations.ts'
import { type Idempotency, judgeRepeat, type KnownAnswers, scopeOf } from './idempotency.ts'
import { type BatchHits, countLimits, type Hit, judgeLimits, type LimitFacts } from './limits.ts'
import type { MessageType } from './message-type.ts'
import { costE4, fromE4 } from './money.ts'
import { OTP_LIFETIME_SECONDS } from './otp.ts'
import type { ReadPhoneNumber } from './phone-number.ts'
import { type NewHold, type PumpingGuardMode, type PumpingLook, PumpingWatch } from './pumping.ts'
import { Refusal, refuse } from './refusals.ts'
import { type ParsedTemplate, renderTemplate } from './template.ts'
import { matchText, type TemplateIndex } from './template-index.ts'
import { type Encoding, MAX_SEGMENTS, measureText } from './text-encoding.ts'
import { refuseInactive, type WorkspaceStatus } from './workspace-status.ts'

/** The client a request came from, as its key was looked up. */
export interface SendingClient {
  id: string
  workspaceId: string
  mode: 'live' | 'test'
  defaultSender: string
  onlyTypes: MessageType[] | null
  onlyPrefixes: string[] | null
  dailyCap: number | null
  hourlyCapPerNumber: number | null
  /** When that cap was set. */
  hourlyCapSince: Date | null
  pumpingGuard: PumpingGuardMode
  workspaceStatus: WorkspaceStatus
}

interface CommonRequest {
  client: SendingClient
  messageId: string
  number: ReadPhoneNumber
  senderId: string | null
  /** null without an Idempotency-Key. */
  idempotency: Idempotency | null
}

export interface TextRequest extends CommonRequest {
  kind: 'text'
  type: MessageType | null
  content: { text: string } | TemplateContent
}

interface TemplateContent {
  templateId: string
  variables: Record<string, string | number>
}

export interface OtpRequest extends CommonRequest {
  kind: 'otp'
  otpId: string
  purpose: string
  /** The text with the code in it; it is measured here and kept sealed, never readable (D21). */
  text: string
  endUserScope: string | null
  /** How long the calling address has to wait, as the door counted it; 0 when it need not. */
  callerWaitSeconds: number
}

export type SendRequest = TextRequest | OtpRequest

export interface ApprovedTemplate {
  name: string
  type: MessageType
  template: ParsedTemplate
}

export interface WorkspaceFacts {
  account: Account
  priceE4: Record<MessageType, number>
  allowedTypes: MessageType[]
  allowedCountries: string[]
  templatesRequired: boolean
  templates: ReadonlyMap<string, ApprovedTemplate>
  templateIndex: Record<MessageType, TemplateIndex>
}

export interface AcceptFacts extends LimitFacts {
  smsEnabled: boolean
  workspaces: ReadonlyMap<string, WorkspaceFacts>
  knownAnswers: KnownAnswers
  /** By message: what the pumping guard judges by; absent for what it does not watch. */
  pumping: ReadonlyMap<string, PumpingLook>
  destinations: Destinations
}

export interface AcceptedMessage {
  request: SendRequest
  to: string
  country: string
  sender: string
  /** null for a message with a code: its text is never kept readable. */
  text: string | null
  type: MessageType
  encoding: Encoding
  segments: number
  costE4: number
  /** Where it is queued for; null in test mode, where nothing is sent (D19). */
  destination: string | null
}

export type Decision =
  | { kind: 'accepted'; message: AcceptedMessage; answer: string }
  | { kind: 'replayed'; answer: string }
  | { kind: 'refused'; refusal: Refusal }

export interface Decided {
  /** In the order of the requests. */
  decisions: Decision[]
  /** What counts toward windows from now on. */
  hits: Hit[]
  /** What the pumping guard has seen, also where it only watches. */
  holds: NewHold[]
  outages: { clientId: string; reason: string }[]
}

/** What is noted while a batch is decided. */
interface Notes extends BatchHits, Omit<Decided, 'decisions' | 'hits'> {
  watch: PumpingWatch
}

export function decideAcceptance(requests: SendRequest[], facts: AcceptFacts, now: Date): Decided {
  const notes: Notes = { now, hits: [], holds: [], outages: [], watch: new PumpingWatch() }
  const decisions = requests.map((request) => {
    const decision = decideOne(request, facts, notes)
    // Only an effect marks the key as used (D25); a known further down the same batch came while this one was running.
    if (request.idempotency && decision.kind === 'accepted')
      facts.knownAnswers.set(scopeOf(request.idempotency), 'running')
    return decision
  })
  const { hits, holds, outages } = notes
  return { decisions, hits, holds, outages }
}

function decideOne(request: SendRequest, facts: AcceptFacts, notes: Notes): Decision {
  const before = judgeRepeat(facts.knownAnswers, request.idempotency, refuseInactive(request.client.workspaceStatus))
  if (before) return before instanceof Refusal ? refused(before) : { kind: 'replayed', answer: before.answer }
  const workspace = facts.workspaces.get(request.client.workspaceId)
  if (!workspace) return refused(refuse('unauthorized'))
  const drafted = draft(request, workspace, facts)
  if (drafted instanceof Refusal) return refused(drafted)
  const look = facts.pumping.get(request.messageId)
  const limited = judgeLimits(request, drafted, facts, notes.now) ?? (look ? judgePumping(request, look, notes) : null)
  if (limited) return refused(limited)
  const unpaid = takeMoney(drafted, workspace, facts)
  if (unpaid) return refused(unpaid)
  countLimits(request, drafted, facts, notes)
  if (look) notes.watch.noteSent(look)
  return { kind: 'accepted', message: drafted, answer: answerOf(drafted) }
}

function refused(refusal: Refusal): Decision {
  return { kind: 'refused', refusal }
}

/** The message as it would be, or the first reason why it cannot be: service, type, number, template, segments. */
function draft(request: SendRequest, workspace: WorkspaceFacts, facts: AcceptFacts): AcceptedMessage | Refusal {
  if (!facts.smsEnabled) return refuse('sms_disabled')
  const { client } = request
  const type = typeOf(request, workspace)
  if (!workspace.allowedTypes.includes(type)) return refuse('forbidden')
  if (client.onlyTypes && !client.onlyTypes.includes(type)) return refuse('type_not_allowed')
  const number = judgeNumber(request, workspace)
  if (number instanceof Refusal) return number
  const measured = textOf(request, type, workspace)
  if (measured instanceof Refusal) return measured
  const { text, encoding, segments } = measured
  return {
    request,
    to: number.e164,
    country: number.country,
    sender: request.senderId ?? client.defaultSender,
    text: request.kind === 'otp' ? null : text,
    type,
    encoding,
    segments,
    costE4: costE4(workspace.priceE4[type], segments),
    destination: client.mode === 'test' ? null : facts.destinations.of(number.country, number.e164),
  }
}

/** §4.1: with a template and no type, the template's type. */
function typeOf(request: SendRequest, workspace: WorkspaceFacts): MessageType {
  if (request.kind === 'otp') return 'otp'
  const ofTemplate =
    'templateId' in request.content ? workspace.templates.get(request.content.templateId)?.type : undefined
  return request.type ?? ofTemplate ?? 'transactional'
}

/** D2: not a mobile anywhere is 400; a mobile where the workspace cannot send is 422; then the key's own prefixes. */
function judgeNumber({ number, client }: SendRequest, { allowedCountries }: WorkspaceFacts) {
  if (!number.ok) return refuse('invalid_number')
  if (!allowedCountries.includes(number.country)) {
    return refuse('destination_not_supported', { details: { country: number.country, allowed: allowedCountries } })
  }
  const { onlyPrefixes } = client
  if (onlyPrefixes && !onlyPrefixes.some((prefix) => number.e164.startsWith(prefix)))
    return refuse('prefix_not_allowed')
  return number
}

interface MeasuredText {
  text: string
  encoding: Encoding
  segments: number
}

function textOf(request: SendRequest, type: MessageType, workspace: WorkspaceFacts): MeasuredText | Refusal {
  if (request.kind === 'otp') return measure(request.text, 'text')
  const { content } = request
  return 'text' in content ? freeText(content.text, type, workspace) : rendered(content, type, workspace)
}

/** Measured first: too long is wrong whatever it says (§7.1), and only what is short enough is worth holding against templates. */
function freeText(text: string, type: MessageType, workspace: WorkspaceFacts): MeasuredText | Refusal {
  const measured = measure(text, 'text')
  if (measured instanceof Refusal || !workspace.templatesRequired) return measured
  return matchText(workspace.templateIndex[type], text) === null ? refuse('template_required') : measured
}

function rendered(
  { templateId, variables }: TemplateContent,
  type: MessageType,
  { templates }: WorkspaceFacts,
): MeasuredText | Refusal {
  const known = templates.get(templateId)
  if (known?.type !== type)
    return refuse('template_required', { error: 'There is no approved template of this id and type' })
  const result = renderTemplate(known.template, variables)
  if (result.ok) return measure(result.text, 'templateId')
  const details = result.faults.map(({ variable, why }) => ({
    path: ['variables', variable],
    message: VARIABLE_FAULTS[why],
    code: why,
  }))
  return refuse('invalid_variables', { details })
}

/** `field` is what the request gave the text by. */
function measure(text: string, field: 'text' | 'templateId'): MeasuredText | Refusal {
  const { encoding, segments } = measureText(text)
  if (segments <= MAX_SEGMENTS) return { text, encoding, segments }
  const message = `The text takes ${segments} segments; at most ${MAX_SEGMENTS} are possible`
  return refuse('invalid_request', { error: message, details: [{ path: [field], message, code: 'too_big' }] })
}

const VARIABLE_FAULTS = {
  missing: 'The template needs this variable',
  unknown: 'The template has no such variable',
  empty: 'Must not be empty',
  too_long: 'Must have at most 100 characters',
  line_break: 'Must not contain a line break',
  control_character: 'Must not contain control characters',
  lone_surrogate: 'Must not contain broken characters',
  inexact_number: 'JSON does not carry this number exactly; send it as a string',
}

/** D33: only what comes as far as this strikes. A guard that watches remembers it, and lets the message pass. */
function judgePumping({ client }: SendRequest, look: PumpingLook, { watch, holds, outages }: Notes): Refusal | null {
  const { id: clientId, pumpingGuard: mode } = client
  const verdict = watch.judge(look)
  if (verdict.verdict === 'outage') outages.push({ clientId, reason: verdict.reason })
  if (verdict.verdict !== 'suspect' || mode === 'off') return null
  if (verdict.newHold) holds.push({ ...verdict.newHold, clientId, mode })
  return mode === 'block' ? refuse('suspected_pumping', { retryAfterSeconds: verdict.holdSeconds }) : null
}

/** The last two checks, and then the reservation: whatever is refused has cost nothing. */
function takeMoney(
  message: AcceptedMessage,
  { account }: WorkspaceFacts,
  { destinations }: AcceptFacts,
): Refusal | null {
  if (message.destination === null) return null
  if (account.balanceE4 < chargeE4(message)) {
    const details = { balance: fromE4(account.balanceE4), cost: fromE4(chargeE4(message)) }
    return refuse('insufficient_balance', { details })
  }
  const { destination, type, request } = message
  const isReachable =
    destinations.isOpen(destination, type) && (request.kind !== 'otp' || destinations.isWorthACode(destination))
  if (!isReachable) return refuse('unavailable', { retryAfterSeconds: OUT_OF_REACH_SECONDS })
  account.reserve(chargeE4(message))
  destinations.takeIn(destination, type)
  return null
}

/** What a message really takes from the balance: in test mode nothing, whatever its answer says (D19). */
export function chargeE4({ destination, costE4: cost }: AcceptedMessage): number {
  return destination === null ? 0 : cost
}

/** The body that the API answers with (§4.1, §4.2): as ever also in test mode (D19). */
function answerOf({ request, segments, costE4: cost, encoding, sender }: AcceptedMessage): string {
  const { messageId } = request
  const answer =
    request.kind === 'otp'
      ? { success: true, otpId: request.otpId, messageId, expiresInSeconds: OTP_LIFETIME_SECONDS }
      : { success: true, messageId, status: 'queued', segments, cost: fromE4(cost), encoding, from: sender }
  return JSON.stringify(answer)
}
