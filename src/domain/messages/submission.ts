// What an answer to a submission means: taken, not now, or never (the table of command statuses of SMPP 3.4 §5.1.3).
import type { FailureCode } from '../message-status.ts'
import { ownOf } from '../own.ts'

export const SUBMISSION_OUTCOMES = [
  'open', // written, or about to be; no answer yet
  'taken',
  'slow', // the account sends too fast; no fault of the message
  'elsewhere', // refused for now, another bind or carrier first
  'unwritten', // it never reached the carrier
  'unknown', // D15: it may have reached the carrier
  'retry_twice', // refused for now, worth two more tries
  'refused', // for good
] as const

export type SubmissionOutcome = (typeof SUBMISSION_OUTCOMES)[number]

/** The carrier has it, or may have it: somebody may answer what was sent so. */
export const MAYBE_SENT: readonly SubmissionOutcome[] = ['open', 'taken', 'unknown']

export interface SubmissionName {
  messageId: string
  ordinal: number
  segment: number
}

export function submissionKey({ messageId, ordinal, segment }: SubmissionName): string {
  return `${messageId} ${ordinal} ${segment}`
}

/** How a submission came out on the wire. */
export type WireOutcome =
  | { kind: 'answered'; status: number }
  | { kind: 'not_written' }
  | { kind: 'unknown'; cause: 'no_answer' | 'link_lost' }
  /** Our own codec refused to write it: a text that this carrier's alphabet cannot say. */
  | { kind: 'unwritable' }
  /** It could not be made ready for the wire, for a reason that lies with us: a sealed text that does not open, or a bug. */
  | { kind: 'unready' }

/** What an outcome says of the carrier as a whole, whatever becomes of the message. */
export type CarrierSign =
  | 'takes'
  | 'judges' // it refuses this message, and would another
  | 'refuses' // for a reason that lies with itself
  | 'throttles' // the account
  | 'full' // no room for this number, or for any: one alone cannot tell
  | 'silent'
  | 'nothing' // it never saw it, or the link was lost

export interface Verdict {
  outcome: Exclude<SubmissionOutcome, 'open'>
  /** The neutral code of a refusal for good. */
  error: FailureCode | ''
  sign: CarrierSign
  /** Somebody should look at our settings, or at our code. */
  alarm: boolean
}

/** A row of the table below, as one carrier reads it. */
export interface AnswerOverride {
  outcome: 'taken' | 'slow' | 'elsewhere' | 'retry_twice' | 'refused'
  error?: FailureCode | undefined
}

export function classify(wire: WireOutcome, overrides: Record<string, AnswerOverride> = {}): Verdict {
  switch (wire.kind) {
    case 'not_written':
      return verdict('unwritten', { sign: 'nothing' })
    case 'unknown':
      return verdict('unknown', { sign: wire.cause === 'no_answer' ? 'silent' : 'nothing' })
    case 'unwritable':
      return verdict('refused', { error: 'carrier_rejected', sign: 'nothing' })
    case 'unready':
      return verdict('refused', { error: 'delivery_failed', sign: 'nothing' })
    case 'answered': {
      const override = ownOf(overrides, String(wire.status))
      if (!override) return judgeStatus(wire.status)
      return verdict(override.outcome, {
        error: override.outcome === 'refused' ? (override.error ?? 'carrier_rejected') : '',
      })
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
  return verdict('refused', { error: 'carrier_rejected' })
}

/** What an answer says of the carrier where nothing else is said. */
const SIGNS = {
  taken: 'takes',
  slow: 'throttles',
  elsewhere: 'refuses',
  unwritten: 'refuses',
  unknown: 'silent',
  retry_twice: 'refuses',
  refused: 'judges',
} as const satisfies Record<Verdict['outcome'], CarrierSign>

export function verdict(
  outcome: Verdict['outcome'],
  { error = '', sign = SIGNS[outcome], alarm = false }: Partial<Omit<Verdict, 'outcome'>> = {},
): Verdict {
  return { outcome, error, sign, alarm }
}

const INVALID_NUMBER = verdict('refused', { error: 'invalid_number' })

const REJECTED = verdict('refused', { error: 'carrier_rejected' })

const OUR_SETTINGS = verdict('refused', { error: 'carrier_rejected', alarm: true })

const OUR_BUG = verdict('refused', { error: 'delivery_failed', alarm: true })

const TABLE: [Verdict, number[]][] = [
  [verdict('slow'), [0x58]],
  // Often it is the inbox of this one subscriber.
  [verdict('slow', { sign: 'full' }), [0x14]],
  [verdict('elsewhere'), [0x08, 0x64]],
  [verdict('unwritten'), [0x04]],
  [verdict('retry_twice'), [0x45, 0xfe, 0xff]],
  [INVALID_NUMBER, [0x0b]],
  [OUR_SETTINGS, [0x0a, 0x48, 0x49]],
  [REJECTED, [0x65, 0x66]],
  [OUR_BUG, [0x50, 0x51]],
  [OUR_BUG, [0x01, 0x02, 0x03, 0x06, 0x07, 0x15, 0x43, 0x61, 0x62, 0x63, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4]],
]

const ANSWERS = new Map(TABLE.flatMap(([judged, statuses]) => statuses.map((status) => [status, judged])))

export function referenceOf(messageId: string): string {
  return messageId.replaceAll('-', '')
}

/** The message that a reference would be of; null where it cannot be ours. */
export function messageIdOf(reference: string): string | null {
  const parts = /^([\da-f]{8})([\da-f]{4})(7[\da-f]{3})([89ab][\da-f]{3})([\da-f]{12})$/.exec(reference)
  return parts?.slice(1).join('-') ?? null
}
