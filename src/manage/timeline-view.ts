// What happened to one message, in the order it happened: changes of status, submissions, reports, money, webhook postings.
import type { MessageStatus } from '../domain/message-status.ts'
import { fromE4 } from '../domain/money.ts'
import type { Timeline } from '../store/timeline.ts'

export interface Happening {
  at: Date
  what: 'status' | 'submission' | 'answer' | 'report' | 'charge' | 'event' | 'posting'
  [detail: string]: unknown
}

export function timelineView(
  timeline: Timeline,
  { message, showCarriers, now }: { message: { id: string }; showCarriers: boolean; now: Date },
) {
  const happenings = [
    ...statuses(timeline),
    ...timeline.submissions.flatMap((it) => submissionView(it, showCarriers)),
    ...timeline.reports.map(({ receivedAt: at, number, segment, status, error, state, code, raw }) => ({
      at,
      what: 'report' as const,
      submission: number,
      segment,
      status,
      error,
      ...(showCarriers && { state, code, raw }),
    })),
    ...timeline.entries.map(({ at, kind, amountE4, period }) => ({
      at,
      what: 'charge' as const,
      kind,
      amount: fromE4(amountE4),
      period,
    })),
    ...timeline.events.map(({ createdAt: at, id, status, state }) => ({
      at,
      what: 'event' as const,
      id,
      status,
      state,
    })),
    ...timeline.postings.map(({ postedAt: at, ...posting }) => ({ at, what: 'posting' as const, ...posting })),
  ] satisfies Happening[]
  // Put off: for the night (D16), or until the next try (D14). What is due waits for nothing but a carrier.
  const waitsUntil = timeline.dueAt && timeline.dueAt > now ? timeline.dueAt : null
  // A stable sort: of what happened in one instant the cause stands before what followed from it.
  return { message, waitsUntil, timeline: happenings.sort((one, other) => one.at.getTime() - other.at.getTime()) }
}

/** Every status the message reached, from the times it carries and the submissions that failed in between. */
function statuses(timeline: Timeline): Happening[] {
  const { message, submissions, undeliveredAt } = timeline
  const { createdAt, submittedAt, sentAt, deliveredAt, failedAt, updatedAt, status, error } = message
  const status_ = (name: MessageStatus, at: Date | null, why = '') =>
    at === null ? [] : [{ at, what: 'status' as const, status: name, ...(why !== '' && { error: why }) }]
  const began = new Map(submissions.map((it) => [it.number, it.claimedAt]))
  return [
    ...status_(status === 'test' ? 'test' : 'queued', createdAt),
    ...[...began.values()].flatMap((at) => status_('submitting', at)),
    ...returns(timeline).flatMap((at) => status_('queued', at)),
    ...status_('submitted', submittedAt),
    ...status_('sent', sentAt),
    ...status_('delivered', deliveredAt),
    ...(failedAt ? status_(status, failedAt, error) : []),
    // Before it was kept, it was the last update.
    ...(status === 'undelivered' ? status_(status, undeliveredAt ?? updatedAt, error) : []),
  ]
}

/** When a submission ended without a segment taken, and another followed or will, the message went back to the queue. */
function returns({ message, submissions }: Timeline): Date[] {
  const byNumber = Map.groupBy(submissions, (it) => it.number)
  const latest = message.status === 'queued' ? Number.POSITIVE_INFINITY : Math.max(0, ...byNumber.keys())
  return [...byNumber]
    .filter(([number, rows]) => number < latest && rows.every((it) => it.outcome !== 'taken'))
    .flatMap(([, rows]) =>
      rows
        .map((it) => it.answeredAt)
        .filter((at) => at !== null)
        .slice(-1),
    )
}

function submissionView(it: Timeline['submissions'][number], showCarriers: boolean): Happening[] {
  const { number, segment, ofSegments, outcome, error, claimedAt, answeredAt } = it
  const carrier = showCarriers ? { carrier: it.carrierName } : {}
  const about = { submission: number, segment, ofSegments, ...carrier }
  // D34: what the message records as sender may not be what could be sent.
  const from = it.sender === null ? {} : { from: it.sender }
  const written = { at: claimedAt, what: 'submission' as const, ...about, ...from }
  if (answeredAt === null) return [written]
  const detail = showCarriers ? { commandStatus: it.commandStatus, carrierMessageId: it.carrierMessageId } : {}
  return [written, { at: answeredAt, what: 'answer', ...about, outcome, ...(error !== '' && { error }), ...detail }]
}
