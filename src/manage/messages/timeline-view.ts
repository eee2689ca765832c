// The timeline of a message in order: statuses, submissions, receipts, charges and webhook attempts.
import { z } from 'zod'
import { WAITING_FOR, type Waiting } from '../../domain/carriers/waiting.ts'
import {
  chargedE4,
  FAILURE_CODES,
  type FailureCode,
  MESSAGE_STATUSES,
  type MessageStatus,
} from '../../domain/message-status.ts'
import { REPORT_STATUSES } from '../../domain/messages/report.ts'
import { SUBMISSION_OUTCOMES } from '../../domain/messages/submission.ts'
import { fromE4 } from '../../domain/money.ts'
import { WEBHOOK_STATUSES } from '../../domain/webhooks/webhook-event.ts'
import { ENTRY_KINDS } from '../../domain/workspaces/account.ts'
import { time } from '../../http/time.ts'
import type { Timeline } from '../../store/messages/timeline.ts'
import { DELIVERY_STATES } from '../../store/webhooks/webhook-deliveries.ts'
import { carrierCostFields, carrierCostView } from '../workspaces/usage.ts'

const error = z.enum(['', ...FAILURE_CODES])
const toOperator = 'Only for the operator.'
const ofSegment = { submission: z.int(), segment: z.int() }
const submitted = {
  ...ofSegment,
  ofSegments: z.int(),
  carrier: z.string().nullable().optional().describe(toOperator),
}

export const timelineEvents = z
  .array(
    z.discriminatedUnion('what', [
      z.object({ at: time, what: z.literal('status'), status: z.enum(MESSAGE_STATUSES), error: error.optional() }),
      z.object({
        at: time,
        what: z.literal('submission'),
        ...submitted,
        from: z.string().optional().describe('Sender as submitted.'),
      }),
      z.object({
        at: time,
        what: z.literal('answer'),
        ...submitted,
        outcome: z.enum(SUBMISSION_OUTCOMES),
        error: error.optional(),
        commandStatus: z
          .int()
          .nullable()
          .optional()
          .describe(`Status of HTTP or SMPP, by \`carrierKind\`. ${toOperator}`),
        carrierKind: z.enum(['smpp', 'http']).nullable().optional().describe(toOperator),
        carrierMessageId: z.string().nullable().optional().describe(toOperator),
        carrierCost: z.number().nullable().optional().describe(toOperator),
      }),
      z.object({
        at: time,
        what: z.literal('report'),
        ...ofSegment,
        status: z.enum(REPORT_STATUSES),
        error,
        state: z.string().optional().describe(toOperator),
        code: z.string().optional().describe(toOperator),
        raw: z.string().optional().describe(toOperator),
      }),
      z.object({
        at: time,
        what: z.literal('charge'),
        kind: z.enum(ENTRY_KINDS),
        amount: z.number(),
        period: z.iso.date(),
      }),
      z.object({
        at: time,
        what: z.literal('event'),
        id: z.uuid(),
        status: z.enum(WEBHOOK_STATUSES),
        state: z.enum(DELIVERY_STATES),
      }),
      z.object({
        at: time,
        what: z.literal('attempt'),
        eventId: z.uuid(),
        milliseconds: z.int(),
        statusCode: z.int().nullable(),
        failure: z.string().nullable(),
      }),
    ]),
  )
  .describe('Events in order.')
type TimelineEvent = z.input<typeof timelineEvents>[number]

export const waitingAnswer = z.object({
  for: z
    .enum(WAITING_FOR)
    .describe(
      '`answer`: a carrier may have the message; `turn`: it is next in the queue; `network_broken`: the carrier rejects everything.',
    ),
  since: time,
  until: time.nullable().describe('When the wait ends, if known.'),
  endsAt: time.describe('When the message expires.'),
  reason: z.string().nullable().optional().describe(toOperator),
})

export const marginAnswer = z.object(carrierCostFields).optional().describe(toOperator)

/** D61: carrier costs remain after a refund, and several submissions add up. */
function marginOf({ message, submissions }: Timeline): z.input<typeof marginAnswer> {
  const priced = submissions.filter((it) => it.carrierCostE4 !== null)
  const segments = priced.reduce((sum, it) => sum + (it.ofSegments === 1 ? message.segments : 1), 0)
  const costE4 = priced.reduce((sum, it) => sum + (it.carrierCostE4 ?? 0), 0)
  return carrierCostView({ segments, costE4 }, chargedE4(message))
}

export function timelineView<Message>(
  timeline: Timeline,
  {
    message,
    waiting,
    showCarriers,
    now,
  }: { message: Message; waiting: Waiting | null; showCarriers: boolean; now: Date },
) {
  const charges = timeline.entries.map(({ at, kind, amountE4, period }) => ({
    at,
    what: 'charge' as const,
    kind,
    amount: fromE4(amountE4),
    period,
  }))
  // Causes before effects: the sort is stable, so events with the same time keep this order.
  const happened: TimelineEvent[] = [
    ...statusEvent(timeline.message.status === 'test' ? 'test' : 'queued', timeline.message.createdAt),
    ...charges.filter(({ kind }) => kind !== 'refund'),
    ...submissionEvents(timeline, showCarriers),
    ...statusEvent('submitted', timeline.message.submittedAt),
    ...statusEvent('sent', timeline.message.sentAt),
    ...timeline.reports.map(({ receivedAt: at, ordinal, segment, status, error, state, code, raw }) => ({
      at,
      what: 'report' as const,
      submission: ordinal,
      segment,
      status,
      error,
      ...(showCarriers && { state, code, raw }),
    })),
    ...finalStatuses(timeline),
    ...charges.filter(({ kind }) => kind === 'refund'),
    ...timeline.events.map(({ createdAt: at, id, status, state }) => ({
      at,
      what: 'event' as const,
      id,
      status,
      state,
    })),
    ...timeline.attempts.map(({ attemptedAt: at, ...attempt }) => ({ at, what: 'attempt' as const, ...attempt })),
  ]
  // Deferred for quiet hours (D16) or until the next attempt (D14).
  const dueAt = timeline.queued?.dueAt
  const waitsUntil = dueAt && dueAt > now ? dueAt : null
  return {
    message,
    waitsUntil,
    waiting: waiting && waitingView(waiting, showCarriers),
    ...(showCarriers && { carriers: marginOf(timeline) }),
    timeline: happened.sort((one, other) => one.at.getTime() - other.at.getTime()),
  }
}

/** Only the operator sees the reason of a carrier. */
function waitingView({ reason, ...waiting }: Waiting, showCarriers: boolean): z.input<typeof waitingAnswer> {
  return showCarriers ? { ...waiting, reason } : waiting
}

function statusEvent(status: MessageStatus, at: Date | null, error: FailureCode | '' = ''): TimelineEvent[] {
  return at === null ? [] : [{ at, what: 'status' as const, status, ...(error !== '' && { error }) }]
}

function finalStatuses({ message, undeliveredAt }: Timeline): TimelineEvent[] {
  const { deliveredAt, failedAt, updatedAt, status, error } = message
  return [
    ...statusEvent('delivered', deliveredAt),
    ...(failedAt ? statusEvent(status, failedAt, error) : []),
    // Old messages have no `undeliveredAt`; their last update has the same time.
    ...(status === 'undelivered' ? statusEvent(status, undeliveredAt ?? updatedAt, error) : []),
  ]
}

/** Each submission with its answers. The message returned to the queue if no segment was accepted and another submission follows. */
function submissionEvents({ message, submissions }: Timeline, showCarriers: boolean): TimelineEvent[] {
  const byNumber = Map.groupBy(submissions, (it) => it.ordinal)
  const latest = message.status === 'queued' ? Number.POSITIVE_INFINITY : Math.max(0, ...byNumber.keys())
  return [...byNumber].flatMap(([ordinal, rows]) => {
    const isReturned = ordinal < latest && rows.every((it) => it.outcome !== 'accepted')
    return [
      ...statusEvent('submitting', rows.at(-1)?.claimedAt ?? null),
      ...rows.flatMap((it) => submissionView(it, showCarriers)),
      ...(isReturned ? statusEvent('queued', rows.findLast((it) => it.answeredAt !== null)?.answeredAt ?? null) : []),
    ]
  })
}

function submissionView(it: Timeline['submissions'][number], showCarriers: boolean): TimelineEvent[] {
  const { ordinal, segment, ofSegments, outcome, error, claimedAt, answeredAt } = it
  const carrier = showCarriers ? { carrier: it.carrierName } : {}
  const about = { submission: ordinal, segment, ofSegments, ...carrier }
  // D34: the submitted sender can differ from the sender of the message.
  const from = it.sender === null ? {} : { from: it.sender }
  const written = { at: claimedAt, what: 'submission' as const, ...about, ...from }
  if (answeredAt === null) return [written]
  const { commandStatus, carrierKind, carrierMessageId, carrierCostE4 } = it
  const carrierCost = carrierCostE4 === null ? null : fromE4(carrierCostE4)
  const detail = showCarriers ? { commandStatus, carrierKind, carrierMessageId, carrierCost } : {}
  return [written, { at: answeredAt, what: 'answer', ...about, outcome, ...(error !== '' && { error }), ...detail }]
}
