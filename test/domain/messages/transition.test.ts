// Random lives of a message (D13): any answers, in any order, with any clock.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isFinal } from '../../../src/domain/message-status.ts'
import {
  decideProgress,
  missingSegments,
  type SegmentReport,
  type Submission,
} from '../../../src/domain/messages/progress.ts'
import { REPORT_STATUSES } from '../../../src/domain/messages/report.ts'
import { SUBMISSION_OUTCOMES } from '../../../src/domain/messages/submission.ts'
import { type MessageState, type Transition, transition } from '../../../src/domain/messages/transition.ts'

const START = Date.parse('2026-11-16T04:00:00Z')
/** Clocks that stand still, that differ by seconds, and one that is a day off. */
const anyTime = fc
  .oneof(fc.constant(0), fc.integer({ min: -5_000, max: 60_000 }), fc.constantFrom(-86_400_000, 86_400_000))
  .map((ms) => new Date(START + ms))

const anyStep = fc.oneof(
  fc.record({ kind: fc.constant('claim' as const), now: anyTime }),
  fc.record({
    kind: fc.constant('answer' as const),
    now: anyTime,
    // Most segments are accepted and delivered, so that enough messages reach the end.
    outcome: fc.oneof(
      fc.constant('accepted' as const),
      fc.constantFrom(...SUBMISSION_OUTCOMES.filter((it) => it !== 'open')),
    ),
  }),
  fc.record({
    kind: fc.constant('report' as const),
    now: anyTime,
    receivedAt: anyTime,
    segment: fc.integer({ min: 1, max: 3 }),
    status: fc.oneof(fc.constant('delivered' as const), fc.constantFrom(...REPORT_STATUSES)),
  }),
  fc.record({ kind: fc.constant('end' as const), now: anyTime }),
)
type Step = typeof anyStep extends fc.Arbitrary<infer It> ? It : never

class Life {
  message: MessageState
  readonly ofSegments: number
  readonly submissions: Submission[] = []
  readonly reports: SegmentReport[] = []
  /** All events, in order. */
  readonly happened: { what: string; at: Date }[] = []
  readonly announced: { status: string; at: Date }[] = []

  constructor(type: MessageState['type'], ofSegments: number) {
    const at = new Date(START)
    this.ofSegments = ofSegments
    const ids = { id: 'm', workspaceId: 'w', clientId: 'c' }
    const text = { to: '+9779841000001', country: 'NP', type, segments: ofSegments, costE4: 10_000 }
    this.message = { ...ids, ...text, status: 'queued', createdAt: at, updatedAt: at, hasListener: true }
    this.happened.push({ what: 'created', at })
  }

  take(step: Step): void {
    if (step.kind === 'claim') this.#claim()
    else if (step.kind === 'end') this.#end(step.now)
    else this.#receive(step)
  }

  #receive(step: Step & { kind: 'answer' | 'report' }): void {
    if (step.kind === 'answer') {
      const open = this.submissions.find((it) => it.outcome === 'open')
      if (!open) return
      open.outcome = step.outcome
      open.error = step.outcome === 'rejected' ? 'carrier_rejected' : ''
    } else {
      const on = this.submissions.findLast((it) => it.segment === step.segment && it.outcome === 'accepted')
      if (!on) return
      this.reports.push({ ordinal: on.ordinal, segment: on.segment, status: step.status, error: '' })
    }
    const reportedAt = step.kind === 'report' ? step.receivedAt : null
    const facts = { submissions: this.submissions, reports: this.reports, reportedAt }
    const { transitions, dlrAt } = decideProgress(
      this.message,
      { ...facts, resendUnknown: true, isWaiting: false },
      step.now,
    )
    const isVerdict = isFinal(transitions.at(-1)?.to ?? 'queued')
    this.#move(isVerdict ? transitions.slice(0, -1) : transitions)
    assert.equal(dlrAt === null, reportedAt === null)
    if (dlrAt) this.#note('dlr', dlrAt)
    if (isVerdict) this.#move(transitions.slice(-1))
  }

  #claim(): void {
    const isOpen = this.submissions.some((it) => it.outcome === 'open')
    const missing = missingSegments(this.submissions, { ofSegments: this.ofSegments, isHeld: false })
    if (isFinal(this.message.status) || isOpen || missing.length === 0) return
    const ordinal = 1 + Math.max(0, ...this.submissions.map((it) => it.ordinal))
    const { ofSegments } = this
    for (const segment of missing) {
      this.submissions.push({
        ordinal,
        segment,
        ofSegments,
        carrierId: 'carrier',
        outcome: 'open',
        error: '',
        receipts: 'each',
      })
    }
  }

  #end(now: Date): void {
    if (isFinal(this.message.status)) return
    const to = this.message.status === 'sent' ? 'undelivered' : 'failed'
    this.#move([transition(this.message, to, { at: now, error: 'delivery_timeout' })])
  }

  #move(transitions: Transition[]): void {
    for (const { to, at, announces } of transitions) {
      this.message = { ...this.message, status: to }
      this.#note(to, at)
      // §6.2 rule 3: each status is announced once.
      if (announces && !this.announced.some((it) => it.status === announces))
        this.announced.push({ status: announces, at })
    }
  }

  #note(what: string, at: Date): void {
    this.message = { ...this.message, updatedAt: at }
    this.happened.push({ what, at })
  }
}

test('increases the times of a message and its events strictly, for any answers and clocks (D13, property)', () => {
  const statuses = new Set<string>()
  fc.assert(
    fc.property(
      fc.constantFrom('otp', 'transactional', 'promotional'),
      fc.integer({ min: 1, max: 3 }),
      fc.array(anyStep, { maxLength: 40 }),
      (type, ofSegments, steps) => {
        const life = new Life(type, ofSegments)
        for (const step of steps) life.take(step)
        for (const times of [life.happened, life.announced]) {
          for (const [index, { at }] of times.entries()) {
            const before = times[index - 1]
            assert(!before || before.at < at, JSON.stringify(times, null, 1))
          }
        }
        const submitted = life.happened.findIndex(({ what }) => what === 'submitted' || what === 'sent')
        const reported = life.happened.findIndex(({ what }) => what === 'dlr')
        assert(reported === -1 || submitted < reported, 'a report is never before its submission')
        for (const { what } of life.happened) statuses.add(what)
      },
    ),
    { numRuns: 5_000 },
  )
  for (const status of ['queued', 'submitted', 'sent', 'delivered', 'undelivered', 'failed', 'rejected', 'dlr'])
    assert(statuses.has(status), `${status} was never reached`)
})
