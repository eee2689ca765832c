// The events of a message's timeline as text.
import type { Timeline } from '../api/calls.ts'
import { count, money } from '../parts/format.ts'
import { type Tone, toneOf } from '../parts/status.tsx'
import { words } from '../words/index.ts'

export type TimelineEvent = Timeline['timeline'][number]

export interface EventText {
  at: string
  tone: Tone
  text: string
  /** The error code; empty where there is none. */
  error: string
  /** Text of a carrier or an endpoint, shown unchanged. */
  foreign: string
}

const OUTCOME_TONES: Record<Extract<TimelineEvent, { what: 'answer' }>['outcome'], Tone> = {
  open: 'neutral',
  accepted: 'good',
  throttled: 'neutral',
  other_carrier: 'warning',
  unwritten: 'warning',
  unknown: 'warning',
  retryable: 'warning',
  rejected: 'bad',
}

interface MessageFacts {
  ofSegments: number
  currency?: string | undefined
}

/** The events as the console shows them. */
export function listEvents({ message, timeline }: Timeline, currency: string | undefined): EventText[] {
  const facts = { ofSegments: message.segments, currency }
  // A message that is submitted in one piece is accepted, `submitted` and `sent` at once: one line is enough.
  const isOnePiece = timeline.some((it) => isAccepted(it) && it.ofSegments === 1)
  return afterAnswers(timeline)
    .filter((it) => !(isOnePiece && it.what === 'status' && (it.status === 'submitted' || it.status === 'sent')))
    .flatMap((it) => {
      const isCharged = it.what === 'status' && CHARGED.includes(it.status) && message.charged > 0
      const text = words.message.events.charged(money(message.charged, currency))
      const charged: EventText = { at: it.at, tone: 'neutral', text, error: '', foreign: '' }
      return [describeEvent(it, facts), ...(isCharged ? [charged] : [])]
    })
}

/** D11: the cost is charged at a final status, and refunded only after `failed`. */
const CHARGED: readonly string[] = ['delivered', 'undelivered', 'rejected']

type Answer = Extract<TimelineEvent, { what: 'answer' }>

function isAccepted(it: TimelineEvent): it is Answer {
  return it.what === 'answer' && it.outcome === 'accepted'
}

/** Answers are recorded in batches, so a receipt of the same second can have an earlier time than the answer. The answer is shown first. */
function afterAnswers(events: readonly TimelineEvent[]): TimelineEvent[] {
  const ordered = [...events]
  for (const report of events) {
    if (report.what !== 'report') continue
    const from = ordered.indexOf(report)
    const to = ordered.findLastIndex(
      (it) =>
        isAccepted(it) &&
        it.submission === report.submission &&
        it.segment === report.segment &&
        it.at.slice(0, 19) === report.at.slice(0, 19),
    )
    if (to > from) ordered.splice(to, 0, ...ordered.splice(from, 1))
  }
  return ordered
}

/** How many segments of the latest submission a carrier accepted. */
export function partlyAccepted({ timeline }: Timeline): string {
  const answers = timeline.filter((it) => it.what === 'answer')
  const latest = answers.filter(({ submission }) => submission === Math.max(...answers.map((it) => it.submission)))
  const accepted = latest.filter(isAccepted).length
  return words.message.partlyAccepted(count(accepted), count(latest[0]?.ofSegments ?? 1))
}

function describeEvent(it: TimelineEvent, message: MessageFacts): EventText {
  const described = { at: it.at, error: '', foreign: '', ...textOf(it, message) }
  // The text of the event already says that delivery failed.
  return described.error === 'delivery_failed' ? { ...described, error: '' } : described
}

function textOf(
  it: TimelineEvent,
  { ofSegments, currency }: MessageFacts,
): Pick<EventText, 'tone' | 'text'> & Partial<EventText> {
  const { events } = words.message
  switch (it.what) {
    case 'status':
      // D59: only a cancelled message fails without an error.
      if (it.status === 'failed' && !it.error) return { tone: 'neutral', text: events.cancelled }
      return { tone: toneOf(it.status), text: events.status[it.status], error: it.error ?? '' }
    case 'charge':
      return { tone: 'neutral', text: events.charge[it.kind](money(it.amount, currency)) }
    case 'submission':
      return {
        tone: 'neutral',
        text: events.submission(partOf(it), count(it.ofSegments), it.submission > 1 ? count(it.submission) : ''),
        foreign: [it.carrier, it.from].filter(Boolean).join(' · '),
      }
    case 'answer':
      return {
        tone: OUTCOME_TONES[it.outcome],
        text: events.outcome[it.outcome](partOf(it)),
        error: it.error ?? '',
        foreign: [
          it.commandStatus != null && it.commandStatus !== 0 && statusCode(it.commandStatus),
          it.carrierMessageId,
          it.carrierCost != null && money(it.carrierCost, currency),
        ]
          .filter(Boolean)
          .join(' · '),
      }
    case 'report':
      return {
        tone: it.status === 'pending' ? 'neutral' : toneOf(it.status),
        text: events.report[it.status](partOf({ segment: it.segment, ofSegments })),
        error: it.error,
        foreign: it.raw ?? '',
      }
    case 'event':
      return {
        tone: it.state === 'failed' ? 'bad' : 'neutral',
        text: events.event[it.state](words.status[it.status]),
      }
    case 'attempt': {
      const isDelivered = it.statusCode !== null && it.statusCode >= 200 && it.statusCode < 300
      const response = it.statusCode === null ? '' : String(it.statusCode)
      return {
        tone: isDelivered ? 'good' : 'bad',
        text: response
          ? events.webhookAttempt(response, count(it.milliseconds))
          : events.webhookAttemptFailed(count(it.milliseconds)),
        foreign: it.failure ?? '',
      }
    }
  }
}

/** The number of a segment; empty for a message of one segment. */
function partOf({ segment, ofSegments }: { segment: number; ofSegments: number }): string {
  return ofSegments > 1 ? count(segment) : ''
}

/** The status of a response: HTTP, or SMPP, which uses only two codes of the same range. */
function statusCode(commandStatus: number): string {
  const isHttp = commandStatus >= 200 && commandStatus < 600 && ![0xfe, 0xff].includes(commandStatus)
  return isHttp ? `HTTP ${commandStatus}` : `0x${commandStatus.toString(16).padStart(8, '0')}`
}
