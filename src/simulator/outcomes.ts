// The outcome of a message, chosen by the last two digits of its recipient (docs/reference/simulator.md describes this table).
import type { OutcomeDescription } from '../domain/messages/handset-message.ts'
import { commandStatus } from '../smpp/status.ts'

export interface SimulatedOutcome extends Omit<OutcomeDescription, 'digits'> {
  /** The status and number of rejections before a segment is accepted. */
  refusal: { status: number; times: number } | null
  answer: 'at once' | 'after the receipt' | 'never'
  afterSeconds: number
  state: 'DELIVRD' | 'UNDELIV' | 'REJECTD'
  /** The number of receipts. */
  receipts: number
  /** The reply of the handset. */
  reply: string | null
}

const ALWAYS = Number.POSITIVE_INFINITY
const PERMANENT = commandStatus.ESME_RX_P_APPN
const TEMPORARY = commandStatus.ESME_RSYSERR

const delivered: SimulatedOutcome = {
  refusal: null,
  answer: 'at once',
  afterSeconds: 0,
  state: 'DELIVRD',
  receipts: 1,
  reply: null,
  does: 'Delivered.',
  status: 'delivered',
  error: '',
  isRefunded: false,
}

const failed = (error: string): Partial<SimulatedOutcome> => ({ status: 'failed', error, isRefunded: true })

const outcomes: Record<string, SimulatedOutcome> = {
  '01': delivered,
  '02': {
    ...delivered,
    state: 'UNDELIV',
    does: 'Accepted, but never delivered.',
    status: 'undelivered',
    error: 'delivery_failed',
  },
  '03': {
    ...delivered,
    ...failed('carrier_rejected'),
    refusal: { status: PERMANENT, times: ALWAYS },
    does: 'Rejected at submission (permanent).',
  },
  '04': {
    ...delivered,
    ...failed('network_unavailable'),
    refusal: { status: TEMPORARY, times: ALWAYS },
    does: 'Rejected at every attempt (temporary).',
  },
  '05': { ...delivered, refusal: { status: TEMPORARY, times: 1 }, does: 'Rejected once (temporary), then delivered.' },
  '06': {
    ...delivered,
    receipts: 0,
    does: 'Reaches the phone, but no receipt arrives.',
    status: 'undelivered',
    error: 'delivery_timeout',
  },
  '07': { ...delivered, reply: 'YES', does: 'Delivered, then the phone replies `YES`.' },
  '08': {
    ...delivered,
    answer: 'after the receipt',
    does: 'Delivered. The receipt arrives before the response.',
  },
  '09': { ...delivered, receipts: 2, does: 'Delivered. The receipt arrives twice.' },
  '10': {
    ...delivered,
    ...failed('invalid_number'),
    refusal: { status: commandStatus.ESME_RINVDSTADR, times: ALWAYS },
    does: 'Rejected: invalid number.',
  },
  '11': {
    ...delivered,
    state: 'REJECTD',
    does: 'Accepted, then rejected by the carrier.',
    status: 'rejected',
    error: 'carrier_rejected',
  },
  '12': { ...delivered, ...failed('delivery_timeout'), answer: 'never', does: 'No response to the submission.' },
  '13': {
    ...delivered,
    refusal: { status: commandStatus.ESME_RTHROTTLED, times: 3 },
    does: 'Throttled three times, then delivered.',
  },
  '14': { ...delivered, afterSeconds: 30, does: 'Delivered after 30 seconds.' },
}

export function simulatedOutcomeOf(number: string): SimulatedOutcome {
  return outcomes[number.slice(-2)] ?? delivered
}

/** Lists the outcomes. Other digits have the first outcome. */
export function listOutcomes(): OutcomeDescription[] {
  return Object.entries(outcomes)
    .map(([digits, { does, status, error, isRefunded }]) => ({ digits, does, status, error, isRefunded }))
    .sort((one, other) => Number(one.digits) - Number(other.digits))
}
