// Accepts a batch of sends of all clients in one transaction (§4.1, §4.2).
import { Destinations } from '../../domain/carriers/destinations.ts'
import { codeExpiresAt } from '../../domain/codes/otp.ts'
import {
  type AcceptedMessage,
  type AcceptFacts,
  type BatchDecision,
  type Decision,
  decideAcceptance,
} from '../../domain/messages/acceptance.ts'
import { cooldownScope, windowLimits } from '../../domain/messages/limits.ts'
import { sendableCountries } from '../../domain/messages/restrictions.ts'
import type { OtpRequest, SendRequest, WorkspaceFacts } from '../../domain/messages/send-request.ts'
import type { Refusal } from '../../domain/refusals.ts'
import { type KnownWindow, windowReadsOf } from '../../domain/sliding-window.ts'
import type { Account } from '../../domain/workspaces/account.ts'
import { dayOf } from '../../domain/workspaces/billing-period.ts'
import { chargedDay, type Usage, UsageSum } from '../../domain/workspaces/usage.ts'
import type { Log } from '../../runtime/log.ts'
import { listWorkingRoutes } from '../../store/carriers/routes.ts'
import type { ChangedMessage } from '../../store/change-feed.ts'
import { addSentCodes } from '../../store/codes/code-days.ts'
import { loadCodeTimes, type NewCode, storeCodes } from '../../store/codes/one-time-codes.ts'
import { insertOtpStats, storeFindings, storeHolds } from '../../store/codes/pumping.ts'
import type { Db, Tx } from '../../store/database/db.ts'
import { insertAnswers } from '../../store/idempotent-answers.ts'
import { countAccepted } from '../../store/messages/message-counts.ts'
import { findStoredIds, insertMessages } from '../../store/messages/messages.ts'
import { readSwitches } from '../../store/service/service.ts'
import { insertHits, loadWindows, lockScopes, tryLockScopes } from '../../store/sliding-windows.ts'
import type { KnownClient } from '../../store/workspaces/admission.ts'
import { numberEntries, storeEntries } from '../../store/workspaces/ledger.ts'
import { addUsage, countClientMessages } from '../../store/workspaces/usage.ts'
import { type LockedWorkspace, lockWorkspaces, tryLockWorkspaces } from '../../store/workspaces/workspaces.ts'
import { confirmStored } from '../confirm-stored.ts'
import { type Accepted, keptAnswer, loadKnownAnswers } from '../idempotency.ts'
import type { Ports } from '../ports.ts'
import type { TemplateCache } from '../templates/template-cache.ts'
import { checkOtpFraud, otpSend } from './check-otp-fraud.ts'
import type { WatchedBacklog } from './watch-backlog.ts'

export interface SendJob {
  client: KnownClient
  request: SendRequest
  /** Called once; a repeated request with the same idempotency key gets the same bytes (§8.3). */
  answerOf: (message: AcceptedMessage) => string
}

export interface ReadySendJob extends SendJob {
  /** Only for OTPs. */
  code: NewCode | null
}

/** Shared by all batches of a process. */
export interface AcceptContext {
  ports: Ports
  log: Log
  templateCache: TemplateCache
  backlog: WatchedBacklog
  startedAt: Date
  /** Called with the messages of each stored batch, also of test mode. */
  onAccepted: (messages: AcceptedMessage[]) => void
}

/** Another transaction holds the workspace, number or OTP, so the send waits outside the shared batch. */
export const LOCKED = Symbol('locked')

/** Accepts the sends of a batch that need not wait for a lock. `db` must set lock_timeout. */
export async function acceptUnlocked(
  context: AcceptContext,
  db: Db,
  batch: ReadySendJob[],
): Promise<(Accepted | Refusal | typeof LOCKED)[]> {
  const unlocked = await db.transaction((tx) => findUnlocked(tx, batch))
  const isUnlocked = new Set(unlocked)
  const answers = unlocked.length > 0 ? await acceptBatch(context, db, unlocked) : []
  return batch.map((job) => (isUnlocked.has(job) ? (answers.shift() ?? LOCKED) : LOCKED))
}

/** Probes the locks and releases them. If another transaction locks them afterwards, lock_timeout applies. */
async function findUnlocked(tx: Tx, batch: ReadySendJob[]): Promise<ReadySendJob[]> {
  const scopes = batch.map(({ request }) => listLockScopes(request))
  const [workspaces, numbers] = await Promise.all([
    tryLockWorkspaces(tx, [...new Set(batch.map(({ client }) => client.workspaceId))]),
    tryLockScopes(tx, scopes.flat()),
  ])
  return batch.filter(
    ({ client }, index) => workspaces.has(client.workspaceId) && scopes[index]?.every((scope) => numbers.has(scope)),
  )
}

export async function acceptBatch(
  context: AcceptContext,
  db: Db,
  batch: ReadySendJob[],
): Promise<(Accepted | Refusal)[]> {
  const { ports, log, backlog } = context
  const now = ports.clock.now()
  const pumping = await checkOtpFraud(ports, log, { batch, now })
  const requests = batch.map((job) => job.request)
  let outcomes: (Accepted | FirstAnswer | Refusal)[] = []
  try {
    await db.transaction(async (tx) => {
      const facts = { ...(await loadFacts(tx, context, { batch, now })), pumping }
      const { decisions, hits, holds, findings, suspectedOutages, accounts, withoutCarrier } = decideAcceptance(
        requests,
        facts,
        now,
      )
      outcomes = toOutcomes(batch, decisions)
      for (const outage of suspectedOutages)
        log.warn(outage, 'low OTP verification rate looks like an outage, fraud guard skipped')
      backlog.add(withoutCarrier)
      tx.finishWith(
        storeAccepted(tx, ports, { accepted: filterAccepted(outcomes), accounts, now }),
        insertHits(tx, hits),
        storeHolds(tx, holds),
        storeFindings(tx, findings, ports.ids),
      )
    })
  } catch (error) {
    await confirmStored(error, () => areStored(ports.db, filterAccepted(outcomes)))
  }
  context.onAccepted(filterAccepted(outcomes).map(({ message }) => message))
  ports.notifications.notify('delivery')
  ports.changeFeed.publish(() => filterAccepted(outcomes).map(toChangedMessage))
  return outcomes
}

/** The answer to a newly accepted send. */
interface FirstAnswer extends Accepted {
  job: ReadySendJob
  message: AcceptedMessage
}

function toOutcomes(batch: ReadySendJob[], decisions: Decision[]): (Accepted | FirstAnswer | Refusal)[] {
  return decisions.flatMap((decision, index) => {
    const job = batch[index]
    if (!job) return []
    if (decision.kind === 'refused') return decision.refusal
    if (decision.kind === 'replayed') return { answer: decision.answer, replayed: true }
    const { message } = decision
    return { answer: job.answerOf(message), replayed: false, job, message }
  })
}

function toChangedMessage({ job: { client, request } }: FirstAnswer): ChangedMessage {
  return { id: request.messageId, workspaceId: client.workspaceId }
}

function filterAccepted(outcomes: (Accepted | FirstAnswer | Refusal)[]): FirstAnswer[] {
  return outcomes.filter((outcome) => 'message' in outcome)
}

/** Taking the workspace locks waits until a pending COMMIT of these messages has ended. */
async function areStored(db: Db, accepted: FirstAnswer[]): Promise<boolean> {
  const ids = accepted.map(({ job }) => job.request.messageId)
  if (ids.length === 0) return true
  return db.transaction(async (tx) => {
    await lockWorkspaces(tx, [...new Set(accepted.map(({ job }) => job.client.workspaceId))])
    return (await findStoredIds(tx, ids)).size === ids.length
  })
}

interface LoadInput {
  batch: Pick<SendJob, 'client' | 'request'>[]
  now: Date
}

export async function loadFacts(
  tx: Tx,
  { templateCache, backlog, startedAt }: Pick<AcceptContext, 'templateCache' | 'backlog' | 'startedAt'>,
  { batch, now }: LoadInput,
): Promise<Omit<AcceptFacts, 'pumping'>> {
  const workspaceIds = [...new Set(batch.map(({ client }) => client.workspaceId))]
  const limits = batch.flatMap(({ request }) => windowLimits(request))
  const numbers = batch.flatMap(({ request: { number } }) =>
    number.ok ? [{ country: number.country, to: number.e164 }] : [],
  )
  const otp = batch.flatMap(({ request }) =>
    request.kind === 'otp' && request.number.ok ? [otpScope(request, request.number)] : [],
  )
  const scopes = batch.flatMap(({ request }) => listLockScopes(request))
  // Pipelined and executed in this order, so reads after a lock see the state that the previous lock holder committed.
  const [locked, , knownAnswers, switches, windows, codeTimes, today, routes] = await Promise.all([
    lockWorkspaces(tx, workspaceIds),
    scopes.length > 0 && lockScopes(tx, scopes),
    loadKnownAnswers(
      tx,
      batch.map((job) => job.request),
      now,
    ),
    readSwitches(tx),
    limits.length > 0 ? loadWindows(tx, windowReadsOf(limits, now)) : new Map<string, KnownWindow>(),
    otp.length > 0 ? loadCodeTimes(tx, otp) : [],
    loadToday(tx, batch, now),
    listWorkingRoutes(tx, now),
  ])
  const destinations = new Destinations({ routes, now, startedAt })
  const [sets, waiting] = await Promise.all([
    templateCache.getTemplates(tx, locked),
    backlog.getCounts(tx, destinations.withoutCarrier(numbers)),
  ])
  const workspaces = locked.map((workspace) => {
    const set = sets.get(workspace.workspaceId)
    if (!set) throw new Error('templates of a workspace not loaded')
    return [
      workspace.workspaceId,
      workspaceFacts(workspace, { liveCountries: switches.liveCountries, ...set }),
    ] as const
  })
  return {
    smsEnabled: switches.smsEnabled,
    workspaces: new Map(workspaces),
    knownAnswers,
    windows,
    codeSentAt: new Map(codeTimes.map((it) => [cooldownScope(it.clientId, it.to, it.purpose), it.sentAt])),
    today,
    destinations,
    waiting,
  }
}

/** Scopes that a request locks: its rate-limit windows and the OTP that it replaces. */
function listLockScopes(request: SendRequest): string[] {
  const scopes = windowLimits(request).map((limit) => limit.scope)
  if (request.kind !== 'otp' || !request.number.ok) return scopes
  return [...scopes, cooldownScope(request.client.id, request.number.e164, request.purpose)]
}

function otpScope({ client, purpose }: OtpRequest, { e164 }: { e164: string }) {
  return { clientId: client.id, to: e164, purpose }
}

export function workspaceFacts(
  workspace: LockedWorkspace,
  { liveCountries, ...set }: Pick<WorkspaceFacts, 'templates' | 'templateIndex'> & { liveCountries: string[] },
): WorkspaceFacts {
  const { priceE4, allowedTypes, allowedCountries, templatesRequired } = workspace
  return {
    account: workspace,
    priceE4,
    allowedTypes,
    allowedCountries: sendableCountries(liveCountries, allowedCountries),
    templatesRequired,
    templates: set.templates,
    templateIndex: set.templateIndex,
  }
}

async function loadToday(tx: Tx, batch: LoadInput['batch'], now: Date): Promise<AcceptFacts['today']> {
  const capped = new Map(
    batch.filter(({ client }) => client.dailyCap !== null).map(({ client }) => [client.id, client]),
  )
  if (capped.size === 0) return new Map()
  const days = [...capped.values()].map(({ id, timeZone }) => ({ clientId: id, ...dayOf(now, timeZone) }))
  const counts = new Map((await countClientMessages(tx, days)).map((it) => [it.clientId, it.messages]))
  return new Map(days.map(({ clientId, endsAt }) => [clientId, { messages: counts.get(clientId) ?? 0, endsAt }]))
}

interface StoreInput extends Pick<BatchDecision, 'accounts'> {
  accepted: AcceptedSend[]
  now: Date
}

interface AcceptedSend {
  job: Pick<ReadySendJob, 'client' | 'request' | 'code'>
  message: AcceptedMessage
  answer: string
}

export async function storeAccepted(tx: Tx, ports: Ports, { accepted, accounts, now }: StoreInput): Promise<void> {
  const changed = accounts.filter((account) => account.entries.length > 0)
  const entries = numberEntries(changed, ports.ids, now)
  const reservations = entries.filter((entry) => entry.kind === 'reservation')
  const idByWorkspace = new Map(reservations.map((entry) => [entry.workspaceId, entry.id]))
  const messages = accepted.map((it) => it.message)
  const reservationIds = messages.map(({ reservedE4, request }) =>
    reservedE4 > 0 ? (idByWorkspace.get(request.client.workspaceId) ?? null) : null,
  )
  const codes = accepted.flatMap(({ job }) => (job.code ? [job.code] : []))
  // Messages that are never sent do not count for the fraud guard.
  const sendable = accepted.filter(({ message }) => message.destination !== null)
  const sends = sendable.flatMap(({ job }) => otpSend(job) ?? [])
  const answers = accepted.flatMap(({ job: { request }, answer }) =>
    request.idempotency ? [keptAnswer(ports, request.idempotency, answer)] : [],
  )
  await Promise.all([
    insertMessages(tx, { messages, reservationIds, now }),
    storeEntries(tx, { accounts: changed, entries }),
    addUsage(tx, sumUsage(accepted, accounts, now)),
    countAccepted(tx, messages, now),
    storeCodes(tx, codes, { now, expiresAt: codeExpiresAt(now) }),
    insertOtpStats(tx, sends, now),
    insertAnswers(tx, answers, now),
    addSentCodes(tx, sends, now),
  ])
}

function sumUsage(accepted: AcceptedSend[], accounts: Account[], now: Date): Usage[] {
  const periods = new Map(accounts.map(({ workspaceId, period }) => [workspaceId, period]))
  const sum = new UsageSum()
  for (const { job, message } of accepted) {
    const { id: clientId, workspaceId, timeZone } = job.client
    const { type, country, segments, reservedE4 } = message
    const day = chargedDay(now, { timeZone, period: periods.get(workspaceId) ?? '' })
    sum.add({ workspaceId, clientId, day, type, country }, { messages: 1, segments, costE4: reservedE4 })
  }
  return sum.rows()
}
