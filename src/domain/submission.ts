// What an answer to a submission means: taken, not now, or never (the table of command statuses of SMPP 3.4 §5.1.3).
import type { FailureCode } from './message-status.ts'
import { ownOf } from './own.ts'

export const SUBMISSION_OUTCOMES = [
  'open', // written, or about to be; no answer yet
  'taken',
  'slow', // the account sends too fast; no fault of the message
  'elsewhere', // refused for now, another bind or carrier first
  'unwritten', // it never reached the carrier
  'unknown', // D15: it may have reached the carrier
  'twice', // refused for now, worth two more tries
  'refused', // for good
] as const
export type SubmissionOutcome = (typeof SUBMISSION_OUTCOMES)[number]

/** The carrier has it, or may have it: somebody may answer what was sent so. */
export const MAYBE_SENT: readonly SubmissionOutcome[] = ['open', 'taken', 'unknown']

export interface SubmissionName {
  messageId: string
  number: number
  segment: number
}

export function submissionKey({ messageId, number, segment }: SubmissionName): string {
  return `${messageId} ${number} ${segment}`
}

/** How a submission came out on the wire. */
export type WireOutcome =
  | { kind: 'answered'; status: number }
  | { kind: 'not_written' }
  | { kind: 'unknown' }
  /** Our own codec refused to write it: a text that this carrier's alphabet cannot say. */
  | { kind: 'unwritable' }
  /** It could not be made ready for the wire, for a reason that lies with us: a sealed text that does not open, or a bug. */
  | { kind: 'unready' }

export interface Verdict {
  outcome: Exclude<SubmissionOutcome, 'open'>
  /** The neutral code of a refusal for good. */
  error: FailureCode | ''
  /** Somebody should look at our settings, or at our code. */
  alarm: boolean
}

/** A row of the table below, as one carrier reads it. */
export interface AnswerOverride {
  outcome: 'taken' | 'slow' | 'elsewhere' | 'twice' | 'refused'
  error?: FailureCode | undefined
}

export function classify(wire: WireOutcome, overrides: Record<string, AnswerOverride> = {}): Verdict {
  switch (wire.kind) {
    case 'not_written':
      return verdict('unwritten')
    case 'unknown':
      return verdict('unknown')
    case 'unwritable':
      return verdict('refused', 'carrier_rejected')
    case 'unready':
      return verdict('refused', 'delivery_failed')
    case 'answered': {
      const override = ownOf(overrides, String(wire.status))
      if (!override) return judgeStatus(wire.status)
      return verdict(override.outcome, override.outcome === 'refused' ? (override.error ?? 'carrier_rejected') : '')
    }
    default:
      throw wire satisfies never
  }
}

function judgeStatus(status: number): Verdict {
  if (status === 0) return verdict('taken')
  const known = ANSWERS.get(status)
  if (known) return known
  // 0x400 to 0x4FF are the carrier's own; whatever nobody knows is a refusal too.
  return verdict('refused', 'carrier_rejected')
}

function verdict(outcome: Verdict['outcome'], error: FailureCode | '' = '', { alarm = false } = {}): Verdict {
  return { outcome, error, alarm }
}

const OUR_SETTINGS = { alarm: true }
const OUR_BUG = verdict('refused', 'delivery_failed', { alarm: true })

const ANSWERS = new Map<number, Verdict>([
  ...[0x58, 0x14].map((status) => [status, verdict('slow')] as const),
  ...[0x08, 0x64].map((status) => [status, verdict('elsewhere')] as const),
  [0x04, verdict('unwritten')],
  ...[0x45, 0xfe, 0xff].map((status) => [status, verdict('twice')] as const),
  [0x0b, verdict('refused', 'invalid_number')],
  ...[0x50, 0x51].map((status) => [status, verdict('refused', 'delivery_failed', OUR_SETTINGS)] as const),
  ...[0x0a, 0x48, 0x49].map((status) => [status, verdict('refused', 'carrier_rejected', OUR_SETTINGS)] as const),
  ...[0x65, 0x66].map((status) => [status, verdict('refused', 'carrier_rejected')] as const),
  ...[0x01, 0x02, 0x03, 0x06, 0x07, 0x15, 0x43, 0x61, 0x62, 0x63].map((status) => [status, OUR_BUG] as const),
  ...[0xc0, 0xc1, 0xc2, 0xc3, 0xc4].map((status) => [status, OUR_BUG] as const),
])
