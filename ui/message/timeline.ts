// The events of a message's timeline as text.
import type { Timeline } from '../api/calls.ts'
import { count, money } from '../parts/format.ts'
import { type Tone, toneOf } from '../parts/status.tsx'
import { words } from '../words/index.ts'

export type TimelineEvent = Timeline['timeline'][number]

interface EventText {
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
  currency?: string
}

export function describeEvent(it: TimelineEvent, message: MessageFacts): EventText {
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
      const isAccepted = it.statusCode !== null && it.statusCode >= 200 && it.statusCode < 300
      const response = it.statusCode === null ? '' : String(it.statusCode)
      return {
        tone: isAccepted ? 'good' : 'bad',
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
