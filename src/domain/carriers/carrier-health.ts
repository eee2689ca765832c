// Whether a carrier works is decided here, and nowhere else: from how its submissions come out, as one process sees it, and from
// what all processes say of their binds. A carrier that is bound and yet takes nothing is as good as down.
import type { CarrierSign } from '../messages/submission.ts'
import type { BreakAfter } from './common-settings.ts'

/** So long without any answer, while that many wait for one, is as telling as if they had run out of time. */
const SILENCE_MS = 10_000
const FIRST_PROBE_MS = 5_000
const LONGEST_PROBE_MS = 60_000

interface Heard extends BreakAfter {
  to: string
  /** The carrier's word, where it said one. */
  said: string | null
  now: Date
}

interface Look {
  /** Whether more could be submitted. */
  hasRoom: boolean
  now: Date
}

interface Breakdown {
  reason: string
  isSilent: boolean
  /** Probes that failed. */
  failed: number
  probeAt: Date
  isProbing: boolean
}

/**
 * The circuit to one carrier. It breaks after a streak of submissions that were not answered, or refused for a reason that lies with
 * the carrier; numbers and texts that it refuses are no part of that, so nobody breaks it by what he sends. While it is broken one
 * message at a time is a probe, ever more seldom, and the first that is taken heals it.
 */
export class Circuit {
  /** Numbers, each once: one that nobody can reach breaks nothing. */
  readonly #unanswered = new Set<string>()
  readonly #refused = new Set<string>()
  /** How many submissions each number has under way. */
  readonly #underWay = new Map<string, number>()
  /** When something was last heard, or first waited for. */
  #heardAt: Date
  #since: Date
  #broken: Breakdown | null = null

  constructor(now: Date) {
    this.#heardAt = now
    this.#since = now
  }

  get isBroken(): boolean {
    return this.#broken !== null
  }

  /** It answers nothing, be it that the link stands: a new one may do better. */
  get isSilent(): boolean {
    return this.#broken?.isSilent ?? false
  }

  /** Why it is broken, if it is. */
  get reason(): string | null {
    return this.#broken?.reason ?? null
  }

  /** Since when it is as it is. */
  get since(): Date {
    return this.#since
  }

  /** When it may be tried again; null while it is being tried, or works. */
  get probeAt(): Date | null {
    return this.#broken && !this.#broken.isProbing ? this.#broken.probeAt : null
  }

  /** D40: it works, or is about to be tried: only a message that is taken in can tell. */
  isHopeful(now: Date): boolean {
    return this.#broken === null || this.#broken.probeAt <= now
  }

  begin(to: string, now: Date): void {
    if (this.#underWay.size === 0) this.#heardAt = now
    this.#underWay.set(to, (this.#underWay.get(to) ?? 0) + 1)
  }

  end(to: string): void {
    const others = (this.#underWay.get(to) ?? 0) - 1
    if (others > 0) this.#underWay.set(to, others)
    else this.#underWay.delete(to)
  }

  /** What a submission came to, in time or late. */
  hear(sign: CarrierSign, heard: Heard): void {
    if (sign === 'nothing') return
    if (sign === 'silent') {
      this.#hearNothing(heard)
      return
    }
    this.#heardAt = heard.now
    this.#unanswered.clear()
    if (sign === 'refuses') this.#hearRefusal(heard)
    else if (sign === 'takes' || this.isSilent) this.#heal(heard.now)
  }

  /** To be called now and then: nothing that happens tells of silence. */
  look({ hasRoom, now, breakAfterUnanswered }: Pick<BreakAfter, 'breakAfterUnanswered'> & Look): void {
    const waiting = this.#underWay.size
    if (waiting === 0 || breakAfterUnanswered === null) return
    if (now.getTime() - this.#heardAt.getTime() < SILENCE_MS) return
    // Where the windows are full no more can wait, and nothing else can go.
    if (hasRoom && waiting < breakAfterUnanswered) return
    this.#break(`no answer for ${SILENCE_MS / 1000} s`, { isSilent: true, now })
  }

  /** A message goes out as a probe ... */
  beginProbe(): void {
    if (this.#broken) this.#broken.isProbing = true
  }

  /** ... and all of it has come out, which may have healed the circuit meanwhile. */
  endProbe(now: Date): void {
    if (!this.#broken?.isProbing) return
    const { failed } = this.#broken
    const waitMs = Math.min(LONGEST_PROBE_MS, FIRST_PROBE_MS * 2 ** (failed + 1))
    this.#broken = { ...this.#broken, failed: failed + 1, probeAt: after(now, waitMs), isProbing: false }
  }

  #hearNothing({ to, now, breakAfterUnanswered: most }: Heard): void {
    if (!reaches(this.#unanswered, to, most)) return
    this.#break(`no answer to ${this.#unanswered.size} submissions in a row`, { isSilent: true, now })
  }

  #hearRefusal({ to, said, now, breakAfterRefused: most }: Heard): void {
    // It speaks again, if only to refuse: then it is not the link.
    if (this.#broken?.isSilent) this.#broken = { ...this.#broken, isSilent: false, reason: `it refuses: ${said}` }
    if (!reaches(this.#refused, to, most)) return
    const reason = `${this.#refused.size} submissions in a row were refused, the last with ${said}`
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

/** Adds it, and says whether that makes enough of them; no more are remembered. */
function reaches(numbers: Set<string>, to: string, most: number | null): boolean {
  if (most === null) return false
  if (numbers.size < most) numbers.add(to)
  return numbers.size >= most
}

function after(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms)
}

/** One bind of a carrier, as whichever process holds it tells of it. */
export interface BindFacts {
  mode: string
  state: string
  /** It may submit, and the circuit of its process is whole. */
  works: boolean
  /** Why that circuit is broken, if it is, and since when it is as it is. */
  brokenReason: string | null
  healthSince: Date | null
  boundAt: Date | null
  workedAt: Date
  lastError: string | null
  lastErrorAt: Date | null
}

/** How a carrier does, over all processes, for people to see. */
export interface CarrierHealth {
  state: 'working' | 'broken' | 'down' | 'off'
  reason: string | null
  since: Date | null
}

export function carrierHealth({ enabled, binds }: { enabled: boolean; binds: readonly BindFacts[] }): CarrierHealth {
  if (!enabled) return { state: 'off', reason: null, since: null }
  const submitting = binds.filter((bind) => bind.mode !== 'receiver')
  const working = submitting.filter((bind) => bind.works)
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
