// The events of a message's timeline as text.

import type { Message, Timeline } from '../api/calls.ts'
import { count, money } from '../parts/format.ts'
import type { IconName } from '../parts/icon.tsx'
import { type Tone, toneOf } from '../parts/status.tsx'
import { words } from '../words/index.ts'

export type TimelineEvent = Timeline['timeline'][number]

export interface EventText {
  at: string
  tone: Tone
  icon: IconName
  text: string
  /** The error code; empty where there is none. */
  error: string
  /** Money that the event moved, and text of a carrier or an endpoint, unchanged. */
  details: readonly string[]
}

const OUTCOME_TONES: Record<Extract<TimelineEvent, { what: 'answer' }>['outcome'], Tone> = {
  open: 'idle',
  accepted: 'good',
  throttled: 'idle',
  other_carrier: 'warn',
  unwritten: 'warn',
  unknown: 'warn',
  retryable: 'warn',
  rejected: 'bad',
}

interface MessageFacts {
  ofSegments: number
  isFirst: boolean
  currency?: string | undefined
}

/** The events as the console shows them. */
export function listEvents({ message, timeline }: Timeline, currency: string | undefined): EventText[] {
  const facts = { ofSegments: message.segments, currency }
  // A message that is submitted in one piece is accepted, `submitted` and `sent` at once: one line is enough.
  const isOnePiece = timeline.some((it) => isAccepted(it) && it.ofSegments === 1)
  const shown = afterAnswers(timeline).filter(
    (it) => !(isOnePiece && it.what === 'status' && (it.status === 'submitted' || it.status === 'sent')),
  )
  const events: EventText[] = []
  for (const it of shown) {
    const before = events.at(-1)
    // A charge belongs to the status before it.
    if (it.what === 'charge' && before) events[events.length - 1] = withDetail(before, describeCharge(it, currency))
    else events.push(describeEvent(it, { ...facts, isFirst: events.length === 0 }))
    if (it.what === 'status' && CHARGED.includes(it.status) && message.charged > 0) {
      const text = words.message.events.charged(money(message.charged, currency))
      events.push(withDetail(events.pop() as EventText, text))
    }
  }
  return events
}

function withDetail(event: EventText, detail: string): EventText {
  return { ...event, details: [...event.details, detail] }
}

function describeCharge(
  { kind, amount }: Extract<TimelineEvent, { what: 'charge' }>,
  currency: string | undefined,
): string {
  return words.message.events.charge[kind](money(amount, currency))
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
  const described = { at: it.at, error: '', details: [], ...textOf(it, message) }
  // The text of the event already says that delivery failed.
  return described.error === 'delivery_failed' ? { ...described, error: '' } : described
}

type Described = Pick<EventText, 'tone' | 'icon' | 'text'> & Partial<EventText>

function textOf(it: TimelineEvent, message: MessageFacts): Described {
  const { events } = words.message
  switch (it.what) {
    case 'status':
      return describeStatus(it, message)
    case 'charge':
      return { tone: 'idle', icon: 'coin', text: describeCharge(it, message.currency) }
    case 'submission':
      return {
        tone: 'idle',
        icon: 'send',
        text: events.submission(it.carrier ?? '', partOf(it), count(it.ofSegments)),
        details: [
          it.submission > 1 ? events.attempt(count(it.submission)) : '',
          it.from ? events.sender(it.from) : '',
        ].filter(Boolean),
      }
    case 'answer':
      return describeAnswer(it, message)
    case 'report':
      return {
        tone: it.status === 'pending' ? 'idle' : toneOf(it.status),
        icon: it.status === 'pending' ? 'clock' : it.status === 'delivered' ? 'check' : 'close',
        text: events.report[it.status](partOf({ segment: it.segment, ofSegments: message.ofSegments })),
        error: it.error,
        details: it.raw ? [it.raw] : [],
      }
    case 'event':
      return {
        tone: it.state === 'failed' ? 'bad' : 'idle',
        icon: 'webhook',
        text: events.event[it.state](words.status[it.status]),
      }
    case 'attempt': {
      const isDelivered = it.statusCode !== null && it.statusCode >= 200 && it.statusCode < 300
      const milliseconds = count(it.milliseconds)
      const response = it.statusCode === null ? '' : `HTTP ${it.statusCode}`
      return {
        tone: isDelivered ? 'good' : 'warn',
        icon: 'webhook',
        text: isDelivered ? events.webhookAttempt(milliseconds) : events.webhookAttemptFailed(milliseconds),
        details: [response, words.failure(it.failure ?? '')].filter(Boolean),
      }
    }
  }
}

const STATUS_ICONS: Partial<Record<Message['status'], IconName>> = {
  queued: 'clock',
  submitting: 'send',
  delivered: 'check',
  undelivered: 'clock',
  failed: 'alert',
  rejected: 'close',
}

function describeStatus(it: Extract<TimelineEvent, { what: 'status' }>, { isFirst }: MessageFacts): Described {
  const { events } = words.message
  // D59: only a cancelled message fails without an error.
  if (it.status === 'failed' && !it.error) return { tone: 'idle', icon: 'close', text: events.cancelled }
  if (it.status === 'queued' && isFirst) return { tone: 'idle', icon: 'log', text: events.acceptedFromApi }
  const tone = toneOf(it.status)
  return {
    tone: tone === 'info' ? 'idle' : tone,
    icon: STATUS_ICONS[it.status] ?? 'info',
    text: events.status[it.status],
    error: it.error ?? '',
  }
}

const ANSWER_ICONS: Partial<Record<Tone, IconName>> = { good: 'check', warn: 'clock', bad: 'close' }

function describeAnswer(it: Answer, { currency }: MessageFacts): Described {
  const { events } = words.message
  const tone = OUTCOME_TONES[it.outcome]
  return {
    tone,
    icon: ANSWER_ICONS[tone] ?? 'clock',
    text: events.outcome[it.outcome](partOf(it)),
    error: it.error ?? '',
    details: [
      statusCode(it),
      it.carrierMessageId && events.carrierMessageId(it.carrierMessageId),
      it.carrierCost == null ? null : money(it.carrierCost, currency),
    ].filter((detail) => detail != null),
  }
}

/** The number of a segment; empty for a message of one segment. */
function partOf({ segment, ofSegments }: { segment: number; ofSegments: number }): string {
  return ofSegments > 1 ? count(segment) : ''
}

function statusCode({ commandStatus, carrierKind }: Answer): string | null {
  if (!commandStatus) return null
  return carrierKind === 'http'
    ? `HTTP ${commandStatus}`
    : `0x${commandStatus.toString(16).toUpperCase().padStart(8, '0')}`
}
