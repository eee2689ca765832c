// The meaning of a command_status in a submit response (SMPP 3.4 §5.1.3).
import { type AnswerOverride, type Verdict, verdict } from '../../messages/submission.ts'
import { getOwnValue } from '../../own-value.ts'

export function interpretCommandStatus(status: number, overrides: Record<string, AnswerOverride> = {}): Verdict {
  const override = getOwnValue(overrides, String(status))
  if (override) {
    const { outcome, error = 'carrier_rejected' } = override
    return verdict(outcome, { error: outcome === 'rejected' ? error : '' })
  }
  if (status === 0) return verdict('accepted')
  // Unknown statuses, and 0x400 to 0x4FF, which belong to the carrier, are rejections.
  return ANSWERS.get(status) ?? REJECTED
}

const INVALID_NUMBER = verdict('rejected', { error: 'invalid_number' })
const REJECTED = verdict('rejected', { error: 'carrier_rejected' })
const OUR_SETTINGS = verdict('rejected', { error: 'carrier_rejected', alarm: true })
const OUR_BUG = verdict('rejected', { error: 'delivery_failed', alarm: true })

const TABLE: [Verdict, number[]][] = [
  [verdict('throttled'), [0x58]],
  // Often the inbox of this one subscriber.
  [verdict('throttled', { sign: 'full' }), [0x14]],
  [verdict('other_carrier'), [0x08, 0x64]],
  [verdict('unwritten'), [0x04]],
  [verdict('retryable'), [0x45, 0xfe, 0xff]],
  [INVALID_NUMBER, [0x0b]],
  [OUR_SETTINGS, [0x0a, 0x48, 0x49]],
  [REJECTED, [0x65, 0x66]],
  [OUR_BUG, [0x50, 0x51]],
  [OUR_BUG, [0x01, 0x02, 0x03, 0x06, 0x07, 0x15, 0x43, 0x61, 0x62, 0x63, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4]],
]
const ANSWERS = new Map(TABLE.flatMap(([meaning, statuses]) => statuses.map((status) => [status, meaning])))
