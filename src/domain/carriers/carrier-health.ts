// Decides whether a carrier works: per process from the outcomes of submissions, and for people from the binds of all processes. A carrier
// that is connected but accepts nothing counts as down.
import type { CarrierSign } from '../messages/submission.ts'
import type { BreakAfter } from './common-settings.ts'

/** This long without any answer, while submissions wait, counts like timeouts. */
const SILENCE_MS = 10_000
const FIRST_PROBE_MS = 5_000
const MAX_PROBE_MS = 60_000

interface SubmissionFacts extends BreakAfter {
  to: string
  /** The status or text of the carrier's answer; null without one. */
  said: string | null
  now: Date
}

interface SilenceFacts {
  /** Whether more messages could be submitted. */
  hasRoom: boolean
  now: Date
}

interface Breakdown {
  reason: string
  isSilent: boolean
  /** Failed probes. */
  failed: number
  probeAt: Date
  isProbing: boolean
}

/**
 * The circuit breaker of one carrier. It opens after a streak of submissions that were unanswered, or rejected for a reason that lies with
 * the carrier. Rejected numbers and texts do not count, so no client can open it. While it is open, single messages probe the carrier at
 * growing intervals. The first accepted message closes it.
 */
export class Circuit {
  /** Distinct numbers, so that one unreachable number cannot open the circuit. */
  readonly #unanswered = new Set<string>()
  readonly #refused = new Set<string>()
  /** Submissions in flight, by number. */
  readonly #underWay = new Map<string, number>()
  /** The last answer, or when the first submission in flight began to wait. */
  #lastAnswerAt: Date
  #since: Date
  #broken: Breakdown | null = null

  constructor(now: Date) {
    this.#lastAnswerAt = now
    this.#since = now
  }

  get isBroken(): boolean {
    return this.#broken !== null
  }

  /** True if the carrier does not answer although it is connected; reconnecting may help. */
  get isSilent(): boolean {
    return this.#broken?.isSilent ?? false
  }

  /** null while the circuit is closed. */
  get reason(): string | null {
    return this.#broken?.reason ?? null
  }

  /** When the current state began. */
  get since(): Date {
    return this.#since
  }

  /** When the next probe may start; null during a probe, and while the circuit is closed. */
  get probeAt(): Date | null {
    return this.#broken && !this.#broken.isProbing ? this.#broken.probeAt : null
  }

  /** D40: true if the carrier works or a probe is due; only an accepted message can show that the carrier works again. */
  isWorthTrying(now: Date): boolean {
    return this.#broken === null || this.#broken.probeAt <= now
  }

  begin(to: string, now: Date): void {
    if (this.#underWay.size === 0) this.#lastAnswerAt = now
    this.#underWay.set(to, (this.#underWay.get(to) ?? 0) + 1)
  }

  end(to: string): void {
    const others = (this.#underWay.get(to) ?? 0) - 1
    if (others > 0) this.#underWay.set(to, others)
    else this.#underWay.delete(to)
  }

  /** Records the outcome of a submission, in time or late. */
  recordOutcome(sign: CarrierSign, facts: SubmissionFacts): void {
    if (sign === 'nothing') return
    if (sign === 'silent') {
      this.#recordSilence(facts)
      return
    }
    this.#lastAnswerAt = facts.now
    this.#unanswered.clear()
    if (sign === 'refuses') this.#recordRejection(facts)
    else if (sign === 'takes' || this.isSilent) this.#heal(facts.now)
  }

  /** Runs periodically, because silence causes no event. */
  checkSilence({ hasRoom, now, breakAfterUnanswered }: Pick<BreakAfter, 'breakAfterUnanswered'> & SilenceFacts): void {
    const waiting = this.#underWay.size
    if (waiting === 0 || breakAfterUnanswered === null) return
    if (now.getTime() - this.#lastAnswerAt.getTime() < SILENCE_MS) return
    // With full windows no more submissions can wait, so the count cannot reach the limit.
    if (hasRoom && waiting < breakAfterUnanswered) return
    this.#break(`no response for ${SILENCE_MS / 1000} s`, { isSilent: true, now })
  }

  beginProbe(): void {
    if (this.#broken) this.#broken.isProbing = true
  }

  /** All segments of the probe have an outcome; one of them may have closed the circuit already. */
  endProbe(now: Date): void {
    if (!this.#broken?.isProbing) return
    const { failed } = this.#broken
    const waitMs = Math.min(MAX_PROBE_MS, FIRST_PROBE_MS * 2 ** (failed + 1))
    this.#broken = { ...this.#broken, failed: failed + 1, probeAt: after(now, waitMs), isProbing: false }
  }

  #recordSilence({ to, now, breakAfterUnanswered: most }: SubmissionFacts): void {
    if (!reaches(this.#unanswered, to, most)) return
    this.#break(`no response to ${this.#unanswered.size} submissions in a row`, { isSilent: true, now })
  }

  #recordRejection({ to, said, now, breakAfterRefused: most }: SubmissionFacts): void {
    // The carrier answers again, so the connection is not the problem.
    if (this.#broken?.isSilent) this.#broken = { ...this.#broken, isSilent: false, reason: `rejecting: ${said}` }
    if (!reaches(this.#refused, to, most)) return
    const reason = `${this.#refused.size} submissions in a row rejected, last status ${said}`
    this.#break(reason, { isSilent: false, now })
  }

  #break(reason: string, { isSilent, now }: { isSilent: boolean; now: Date }): void {
    if (this.#broken) return
    this.#broken = { reason, isSilent, failed: 0, probeAt: after(now, FIRST_PROBE_MS), isProbing: false }
    this.#since = now
  }

  #heal(now: Date): void {
    this.#refused.clear()
    if (!this.#broken) return
    this.#broken = null
    this.#since = now
  }
}

/** Adds the number, and returns whether the limit is reached. Stops adding at the limit. */
function reaches(numbers: Set<string>, to: string, most: number | null): boolean {
  if (most === null) return false
  if (numbers.size < most) numbers.add(to)
  return numbers.size >= most
}

function after(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms)
}

/** One bind of a carrier, as its process reports it. */
export interface BindFacts {
  mode: string
  state: string
  /** The bind may submit, and the circuit of its process is closed. */
  isWorking: boolean
  /** Why the circuit is open, and when its current state began. */
  brokenReason: string | null
  healthSince: Date | null
  boundAt: Date | null
  workedAt: Date
  lastError: string | null
  lastErrorAt: Date | null
}

/** The state of a carrier over all processes, for people. */
export interface CarrierHealth {
  state: 'working' | 'broken' | 'down' | 'off'
  reason: string | null
  since: Date | null
}

export function carrierHealth({ enabled, binds }: { enabled: boolean; binds: readonly BindFacts[] }): CarrierHealth {
  if (!enabled) return { state: 'off', reason: null, since: null }
  const submitting = binds.filter((bind) => bind.mode !== 'receiver')
  const working = submitting.filter((bind) => bind.isWorking)
  if (working.length > 0) {
    return {
      state: 'working',
      reason: null,
      since: earliest(working.map((it) => latest([it.boundAt, it.healthSince]))),
    }
  }
  const bound = submitting.filter((bind) => bind.state === 'bound')
  const broken = bound.filter((bind) => bind.brokenReason !== null)
  if (broken.length > 0) {
    const since = latest(broken.map((bind) => bind.healthSince))
    const last = broken.find((bind) => bind.healthSince?.getTime() === since?.getTime())
    return { state: 'broken', reason: last?.brokenReason ?? null, since }
  }
  const failedAt = latest(submitting.map((bind) => bind.lastErrorAt))
  const failed = submitting.find((bind) => failedAt && bind.lastErrorAt?.getTime() === failedAt.getTime())
  return { state: 'down', reason: failed?.lastError ?? null, since: latest(submitting.map((bind) => bind.workedAt)) }
}

function latest(times: (Date | null)[]): Date | null {
  return times.reduce((last, at) => (at && (!last || at > last) ? at : last), null)
}

function earliest(times: (Date | null)[]): Date | null {
  return times.reduce((first, at) => (at && (!first || at < first) ? at : first), null)
}
