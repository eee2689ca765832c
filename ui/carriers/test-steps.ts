// The steps of a carrier test in their order, each with its result, its time and what to do where it failed.
import type { CarrierTest } from '../api/calls.ts'
import { count, duration, moment } from '../parts/format.ts'
import type { Tone } from '../parts/status.tsx'
import { words } from '../words/index.ts'

type StepKind = keyof typeof words.carriers.testSteps
type Bind = CarrierTest['binds'][number]

export interface TestStep {
  kind: StepKind
  name: string
  tone: Extract<Tone, 'good' | 'bad' | 'idle'>
  /** Results and faults, as the carrier wrote them. */
  detail: string
  advice: string | null
}

export function stepsOf({ binds, message }: CarrierTest): TestStep[] {
  return [
    ...binds.flatMap((bind) => stepsOfBind(bind, binds.length > 1)),
    ...(message ? stepsOfMessage(message, binds) : []),
  ]
}

/** A test passes when no step failed; a receipt may still come. */
export function isPassed(test: CarrierTest): boolean {
  return stepsOf(test).every(({ tone }) => tone !== 'bad')
}

/** HTTP has a step for each part of a connection; SMPP has a bind, and the answer to an enquire_link. */
function stepsOfBind(bind: Bind, isOneOfMany: boolean): TestStep[] {
  const { number, mode, state, boundAt, milliseconds, fault } = bind
  const dialed = bind.steps.filter(({ step }) => step !== 'answer')
  const which = words.carriers.connectionNumber(count(number), mode)
  if (dialed.length > 0) {
    return dialed.map((it) =>
      step(it.step, {
        isGood: it.fault === null,
        detail: [isOneOfMany && which, it.fault ?? it.detail, timeOf(it.milliseconds)],
      }),
    )
  }
  if (boundAt === null) return [step('bind', { isGood: false, detail: [which, words.carriers.states[state], fault] })]
  const since = `${words.carriers.boundSince} ${moment(boundAt, 'second')}`
  const answer =
    milliseconds === null
      ? (fault ?? words.carriers.noAnswer)
      : words.carriers.answered(count(Math.round(milliseconds)))
  return [
    step('bind', { isGood: true, detail: [which, since] }),
    step('enquiry', { isGood: milliseconds !== null, detail: [isOneOfMany && which, answer] }),
  ]
}

function stepsOfMessage(message: NonNullable<CarrierTest['message']>, binds: readonly Bind[]): TestStep[] {
  const { to, outcome, commandStatus, carrierMessageId, milliseconds, report } = message
  const status = commandStatus !== null && commandStatus !== 0 && words.carriers.statusCode(String(commandStatus))
  const sent = step('message', {
    isGood: outcome === 'accepted',
    isOpen: outcome === 'open',
    detail: [to, words.carriers.outcomes[outcome], status, carrierMessageId, timeOf(milliseconds)],
  })
  const answers = binds
    .flatMap((bind) => bind.steps.filter((it) => it.step === 'answer'))
    .map((it) => step('answer', { isGood: it.fault === null, detail: [it.detail, it.fault] }))
  if (outcome !== 'accepted') return [sent, ...answers]
  const receipt = report ? `${report.state} ${report.code}`.trim() : words.carriers.noReport
  return [sent, ...answers, step('receipt', { isGood: report !== null, isOpen: report === null, detail: [receipt] })]
}

interface Result {
  isGood: boolean
  /** Not known yet. */
  isOpen?: boolean
  detail: readonly (string | null | false)[]
}

function step(kind: StepKind, { isGood, isOpen = false, detail }: Result): TestStep {
  const tone = isOpen ? 'idle' : isGood ? 'good' : 'bad'
  const advice: Partial<Record<StepKind, string>> = words.carriers.testAdvice
  return {
    ...{ kind, tone },
    name: words.carriers[tone === 'bad' ? 'failedSteps' : 'testSteps'][kind],
    detail: detail.filter(Boolean).join(' · '),
    advice: tone === 'bad' ? (advice[kind] ?? null) : null,
  }
}

function timeOf(milliseconds: number | null): string | null {
  return milliseconds === null ? null : duration(milliseconds)
}
