// What happened to a message, as people read it: each happening as a sentence and how it went.
import type { Timeline } from '../api/calls.ts'
import { count, money } from '../parts/format.ts'
import { type Tone, toneOf } from '../parts/status.tsx'
import { words } from '../words/index.ts'

type Happening = Timeline['timeline'][number]

export interface Told {
  at: string
  tone: Tone
  sentence: string
  /** Why, where something went wrong. */
  error: string
  /** In words of others: a carrier's, a receiver's. */
  foreign: string
}

const OUTCOME_TONES: Record<Extract<Happening, { what: 'answer' }>['outcome'], Tone> = {
  open: 'going',
  taken: 'good',
  slow: 'going',
  elsewhere: 'doubtful',
  unwritten: 'doubtful',
  unknown: 'doubtful',
  retry_twice: 'doubtful',
  refused: 'bad',
}

export function tell(it: Happening): Told {
  const told = { at: it.at, error: '', foreign: '', ...toldOf(it) }
  // The sentence says that already.
  return told.error === 'delivery_failed' ? { ...told, error: '' } : told
}

function toldOf(it: Happening): Pick<Told, 'tone' | 'sentence'> & Partial<Told> {
  const { happened } = words.message
  switch (it.what) {
    case 'status':
      // D59: nothing else fails without an error.
      if (it.status === 'failed' && !it.error) return { tone: 'going', sentence: happened.cancelled }
      return { tone: toneOf(it.status), sentence: happened.status[it.status], error: it.error ?? '' }
    case 'charge':
      return { tone: 'going', sentence: happened.charge[it.kind](money(it.amount)) }
    case 'submission':
      return {
        tone: 'going',
        sentence: happened.submission(partOf(it), count(it.ofSegments), it.submission > 1 ? count(it.submission) : ''),
        foreign: [it.carrier, it.from].filter(Boolean).join(' · '),
      }
    case 'answer':
      return {
        tone: OUTCOME_TONES[it.outcome],
        sentence: happened.outcome[it.outcome](partOf(it)),
        error: it.error ?? '',
        foreign: [
          it.commandStatus != null && it.commandStatus !== 0 && hex(it.commandStatus),
          it.carrierMessageId,
          it.carrierCost != null && money(it.carrierCost),
        ]
          .filter(Boolean)
          .join(' · '),
      }
    case 'report':
      return {
        tone: it.status === 'pending' ? 'going' : toneOf(it.status),
        sentence: happened.report[it.status](count(it.segment)),
        error: it.error,
        foreign: it.raw ?? '',
      }
    case 'event':
      return {
        tone: it.state === 'dead' ? 'bad' : 'going',
        sentence: happened.event[it.state](words.status[it.status]),
      }
    case 'posting': {
      const isTaken = it.statusCode !== null && it.statusCode >= 200 && it.statusCode < 300
      const answer = it.statusCode === null ? '' : String(it.statusCode)
      return {
        tone: isTaken ? 'good' : 'bad',
        sentence: answer ? happened.posted(answer, count(it.milliseconds)) : happened.notPosted(count(it.milliseconds)),
        foreign: it.failure ?? '',
      }
    }
  }
}

/** Which of several; nothing where there is one. */
function partOf({ segment, ofSegments }: { segment: number; ofSegments: number }): string {
  return ofSegments > 1 ? count(segment) : ''
}

/** What a carrier answered: a status of HTTP, or one of SMPP, which has only two of its own in that range. */
function hex(commandStatus: number): string {
  const isHttp = commandStatus >= 200 && commandStatus < 600 && ![0xfe, 0xff].includes(commandStatus)
  return isHttp ? `HTTP ${commandStatus}` : `0x${commandStatus.toString(16).padStart(8, '0')}`
}
