// The judges: each reads the logs of the processes outside the service, and the database at the end, and returns what is wrong.
import type { Accepted, CarrierLine, Evidence, LedgerEntry, Post, StoredMessage } from './evidence.ts'
import { networkOutcomeOf, OPEN_WINDOW, routeOf } from './schedule.ts'

type Judge = (evidence: Evidence) => string[]
/** Also judges the databases of other tests. */
type DatabaseJudge = (evidence: Pick<Evidence, 'database'>) => string[]

const FINAL = ['delivered', 'undelivered', 'failed', 'rejected']
/** What a webhook calls them (§6.2). */
const FINAL_EVENTS = ['delivered', 'undelivered', 'failed']

/** Every 200 has one message, every message has a 200, and every message has a final status that never changed. */
const lost: Judge = ({ accepted, observed, database }) => {
  const stored = new Map(database.messages.map((it) => [it.id, it]))
  const known = new Set(accepted.map((it) => it.messageId))
  return [
    ...accepted
      .filter(({ messageId, to }) => stored.get(messageId)?.to !== to)
      .map((it) => `${it.messageId} to ${it.to} got a 200 and is not in the database`),
    ...database.messages.filter(({ id }) => !known.has(id)).map(({ id }) => `${id} is stored without a 200`),
    ...database.messages.filter(({ status }) => !FINAL.includes(status)).map((it) => `${it.id} ended as ${it.status}`),
    ...observed
      .filter(({ messageId, status }) => FINAL.includes(status) && stored.get(messageId)?.status !== status)
      .map(({ messageId, status }) => `${messageId} was ${status}, then ${stored.get(messageId)?.status}`),
    ...Object.entries(database.leftOver)
      .filter(([, rows]) => rows > 0)
      .map(([queue, rows]) => `${queue} has ${rows} rows`),
  ]
}

/** One key is one message with one charge and the same response. */
const keys: Judge = ({ accepted, unexpected, database }) => {
  const costs = new Map(database.messages.map((it) => [it.id, it.costE4]))
  const perNumber = Map.groupBy(database.messages, (it) => it.to)
  return [
    ...unexpected,
    ...[...Map.groupBy(accepted, (it) => it.key)]
      .filter(([, all]) => new Set(all.map((it) => it.body + it.messageId)).size > 1)
      .map(([key]) => `${key} got different responses`),
    ...[...perNumber].filter(([, all]) => all.length > 1).map(([to, all]) => `${to} has ${all.length} messages`),
    ...accepted.filter(isChargedOtherwise(costs)).map((it) => `${it.messageId} costs other than ${it.cost}`),
  ]
}

function isChargedOtherwise(costs: ReadonlyMap<string, number>): (it: Accepted) => boolean {
  return ({ cost, messageId }) => cost !== null && Math.round(cost * 10_000) !== (costs.get(messageId) ?? 0)
}

/** Only OTPs, and messages of the carrier that resends, reach a carrier twice (D15). */
const resubmitted: Judge = (evidence) =>
  repeatsOf(evidence)
    .filter(({ isAllowed }) => !isAllowed)
    .map(({ to }) => `${to} was submitted again`)

/** A carrier on a busy machine reads a submission this long after its process was killed, at most. */
const READ_LATE_MS = 2_000

/** A repeat belongs to the first kill after the submission before it, and a kill leaves at most the open windows in doubt. A stop none. */
const openWindow: Judge = (evidence) => {
  const { kills } = evidence
  const perKill = Map.groupBy(
    repeatsOf(evidence).filter(({ isAllowed }) => isAllowed),
    ({ firstAt, againAt }) => kills.find(({ at }) => at >= firstAt - READ_LATE_MS && at < againAt),
  )
  return [...perKill].flatMap(([kill, all]) => {
    if (kill === undefined) return all.map(({ to }) => `${to} was submitted again without a kill`)
    const limit = kill.victim === 'service, SIGTERM' ? 0 : OPEN_WINDOW
    return all.length > limit ? [`${all.length} messages were submitted again after kill ${kill.number}`] : []
  })
}

export interface Repeat {
  to: string
  isAllowed: boolean
  firstAt: number
  againAt: number
}

/** Each submission of a number after its first. */
export function repeatsOf({ accepted, carriers }: Evidence): Repeat[] {
  const otps = new Set(accepted.filter((it) => it.isOtp).map((it) => it.to))
  const submitted = carriers.filter((it) => it.kind === 'submitted')
  return [...Map.groupBy(submitted, (it) => it.to)].flatMap(([to, all]) =>
    all.slice(1).map((again, index) => {
      const isAllowed = otps.has(to) || routeOf(to) === 'resending'
      return { to, isAllowed, firstAt: (all[index] as CarrierLine).at, againAt: again.at }
    }),
  )
}

/** The carriers have every message that did not fail, and a receipt that they got acknowledged decided its message. */
const carriers: Judge = ({ carriers, database }) => {
  const having = (kind: CarrierLine['kind']) => new Set(carriers.filter((it) => it.kind === kind).map((it) => it.to))
  const submitted = having('submitted')
  const acknowledged = having('acknowledged')
  return [
    ...database.messages
      .filter(({ to, status }) => status !== 'failed' && !submitted.has(to))
      .map(({ to, status }) => `${to} is ${status}, and no carrier has it`),
    ...database.messages
      .filter(({ to, status }) => acknowledged.has(to) && status !== networkOutcomeOf(to))
      .map(({ id, to, status }) => `${id} is ${status}, and its receipt said ${networkOutcomeOf(to)}`),
  ]
}

/** A failed message has one refund of its cost, another has none. */
const refunds: DatabaseJudge = ({ database: { messages, ledger } }) => {
  const perMessage = Map.groupBy(
    ledger.filter((it) => it.kind === 'refund'),
    (it) => it.messageId,
  )
  return messages.flatMap(({ id, status, costE4 }) => {
    const refunded = (perMessage.get(id) ?? []).map((it) => it.amountE4)
    const expected = status === 'failed' ? [costE4] : []
    return `${refunded}` === `${expected}` ? [] : [`${id} is ${status} and has the refunds [${refunded}]`]
  })
}

/** Every balance is the sum of the entries before it and not negative, and every reservation is that of its messages. */
const ledger: DatabaseJudge = ({ database: { messages, ledger: entries, balances } }) => {
  const perReservation = Map.groupBy(messages, (it) => it.reservationId)
  return [
    ...balances.flatMap(({ workspaceId, balanceE4 }) =>
      faultsOfBalance(
        entries.filter((it) => it.workspaceId === workspaceId),
        balanceE4,
      ),
    ),
    ...entries
      .filter((it) => it.kind === 'reservation' && !isOfMessages(it, perReservation.get(it.id) ?? []))
      .map((it) => `reservation ${it.id} differs from its messages`),
  ]
}

function faultsOfBalance(entries: LedgerEntry[], atEnd: number): string[] {
  let balance = 0
  const wrong = entries.filter(({ kind, amountE4, balanceE4 }) => {
    balance += ['reservation', 'expiry'].includes(kind) ? -amountE4 : amountE4
    return balance !== balanceE4 || balance < 0
  })
  return [
    ...wrong.map((it) => `ledger entry ${it.id} has the balance ${it.balanceE4}`),
    ...(balance === atEnd ? [] : [`a workspace has ${atEnd}, its ledger ${balance}`]),
  ]
}

function isOfMessages({ amountE4, messages }: LedgerEntry, reserved: StoredMessage[]): boolean {
  return messages === reserved.length && amountE4 === reserved.reduce((sum, { costE4 }) => sum + costE4, 0)
}

interface Event {
  id: string
  status: string
  at: string
}

/** The receiver has every event, and of every message the one of its final status. */
const webhooks: Judge = ({ posts, database }) => {
  const stored = new Set(database.events.map((it) => it.deliveryId))
  const received = new Set(posts.filter((it) => it.status < 300).map((it) => it.deliveryId))
  const perMessage = Map.groupBy(posts.map(eventOf), (it) => it.id)
  return [
    ...[...stored.difference(received)].map((id) => `event ${id} did not arrive`),
    ...[...received.difference(stored)].map((id) => `event ${id} is not in the database`),
    ...database.messages.flatMap(({ id, status }) => {
      const statuses = new Set((perMessage.get(id) ?? []).map((it) => it.status))
      const ends = FINAL_EVENTS.filter((it) => statuses.has(it))
      return `${ends}` === (status === 'rejected' ? 'failed' : status)
        ? []
        : [`${id} is ${status}, its events [${ends}]`]
    }),
  ]
}

/** A message and a status are one delivery id, and a delivery id always has the same bytes. */
const bytes: Judge = ({ posts }) => {
  const perStatus = Map.groupBy(posts, (it) => `${eventOf(it).id} ${eventOf(it).status}`)
  return [
    ...[...Map.groupBy(posts, (it) => it.deliveryId)]
      .filter(([, all]) => new Set(all.map((it) => it.body)).size > 1)
      .map(([id]) => `event ${id} arrived with different bytes`),
    ...[...perStatus]
      .filter(([, all]) => new Set(all.map((it) => it.deliveryId)).size > 1)
      .map(([about]) => `${about} has several delivery ids`),
  ]
}

/** By `at`, the final status of a message is its last, and no two statuses have the same time (§6.2 rule 4). */
const order: Judge = ({ posts }) => {
  const events = new Map(posts.map((it) => [it.deliveryId, eventOf(it)]))
  return [...Map.groupBy(events.values(), (it) => it.id)].flatMap(([id, all]) => {
    const sorted = all.toSorted((one, other) => one.at.localeCompare(other.at))
    const isStrict = new Set(sorted.map((it) => it.at)).size === sorted.length
    const early = sorted.slice(0, -1).filter(({ status }) => FINAL_EVENTS.includes(status))
    return isStrict && early.length === 0
      ? []
      : [`${id}: ${sorted.map(({ status, at }) => `${status} ${at}`).join(', ')}`]
  })
}

function eventOf({ body }: Post): Event {
  return JSON.parse(body)
}

/** A stop by SIGTERM ends with exit code 0. */
const stops: Judge = ({ kills }) =>
  kills
    .filter(({ victim, exitCode }) => victim === 'service, SIGTERM' && exitCode !== 0)
    .map(({ number, exitCode }) => `the service exited with ${exitCode} after kill ${number}`)

export const JUDGES = {
  lost,
  keys,
  resubmitted,
  'open-window': openWindow,
  carriers,
  refunds,
  ledger,
  webhooks,
  bytes,
  order,
  stops,
} satisfies Record<string, Judge>
export type JudgeName = keyof typeof JUDGES

export const JUDGE_NAMES = Object.keys(JUDGES) as JudgeName[]

export function judgeAll(evidence: Evidence): Record<JudgeName, string[]> {
  const verdicts = JUDGE_NAMES.map((name) => [name, JUDGES[name](evidence)] as const)
  return Object.fromEntries(verdicts) as Record<JudgeName, string[]>
}
