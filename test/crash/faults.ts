// One fault for each judge, put into the logs after a run: it shows that the judge can fail.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { CarrierLine, Evidence } from './evidence.ts'
import { type JudgeName, repeatsOf } from './judges.ts'
import { OPEN_WINDOW, routeOf } from './schedule.ts'

type Fault = (evidence: Evidence) => void

export const FAULTS: Record<JudgeName, Fault> = {
  /** The client's log has a 200 for a message that was never stored. */
  lost: ({ accepted }) => {
    const number = accepted.length + 1_000_000
    const to = `+9779899999999`
    accepted.push({ number, key: 'invented', to, isOtp: true, messageId: randomUUID(), cost: null, body: '' })
  },
  /** A repeated request got another response. */
  keys: ({ accepted }) => {
    const first = required(accepted[0])
    accepted.push({ ...first, body: `${first.body} ` })
  },
  /** The carrier's log has a submission twice. */
  resubmitted: (evidence) => {
    const otps = new Set(evidence.accepted.filter((it) => it.isOtp).map((it) => it.to))
    repeat(evidence, ({ to }) => !otps.has(to) && routeOf(to) !== 'resending')
  },
  /** The carrier's log has an OTP once more than all windows allow. */
  'open-window': (evidence) => {
    const otps = new Set(evidence.accepted.filter((it) => it.isOtp).map((it) => it.to))
    const repeated = new Set(repeatsOf(evidence).map((it) => it.to))
    for (let times = 0; times <= OPEN_WINDOW; times++) repeat(evidence, ({ to }) => otps.has(to) && !repeated.has(to))
  },
  /** The carriers never saw a message that was delivered. */
  carriers: (evidence) => {
    const { to } = required(evidence.database.messages.find((it) => it.status === 'delivered'))
    evidence.carriers = evidence.carriers.filter((it) => it.to !== to)
  },
  /** A delivered message was refunded; the balances agree with it. */
  refunds: ({ database: { messages, ledger } }) => {
    const failed = required(ledger.find((it) => it.kind === 'refund'))
    failed.messageId = required(messages.find((it) => it.status === 'delivered')).id
  },
  /** One balance is wrong. */
  ledger: ({ database: { ledger } }) => {
    required(ledger.at(-1)).balanceE4 += 1
  },
  /** The receiver's log has lost one event. */
  webhooks: (evidence) => {
    const { deliveryId } = required(evidence.posts[0])
    evidence.posts = evidence.posts.filter((it) => it.deliveryId !== deliveryId)
  },
  /** An event arrived again with another byte. */
  bytes: ({ posts }) => {
    const first = required(posts[0])
    posts.push({ ...first, body: `${first.body} ` })
  },
  /** An event has the time of the next one. */
  order: ({ posts }) => {
    const sorted = required(
      [...Map.groupBy(posts, (it) => idOf(it.body)).values()].find(
        (all) => new Set(all.map((it) => it.deliveryId)).size > 1,
      ),
    ).toSorted((one, other) => atOf(one.body).localeCompare(atOf(other.body)))
    const earlier = required(sorted[0])
    // An event may have been posted several times.
    const later = required(sorted.find((it) => it.deliveryId !== earlier.deliveryId))
    const [from, to] = [atOf(earlier.body), atOf(later.body)]
    for (const post of posts.filter((it) => it.deliveryId === earlier.deliveryId))
      post.body = post.body.replace(from, to)
  },
  /** A stop ended with an error. */
  stops: ({ kills }) => {
    const kill = required(kills[0])
    kills.push({ ...kill, number: kills.length + 1, victim: 'service, SIGTERM', exitCode: 1 })
  },
}

/** The evidence with the fault; the given evidence stays as it is. */
export function withFault(evidence: Evidence, judge: JudgeName): Evidence {
  const changed = structuredClone(evidence)
  FAULTS[judge](changed)
  return changed
}

function repeat({ carriers }: Evidence, isChosen: (line: CarrierLine) => boolean): void {
  carriers.push({ ...required(carriers.find((it) => it.kind === 'submitted' && isChosen(it))) })
}

function idOf(body: string): string {
  return JSON.parse(body).id
}

function atOf(body: string): string {
  return JSON.parse(body).at
}

function required<Value>(value: Value | undefined): Value {
  assert(value !== undefined, 'the run was too short for this fault')
  return value
}
