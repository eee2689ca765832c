// The outcome of a message, chosen by the last two digits of its recipient (docs/reference/simulator.md describes this table).
import type { TriggerEnding } from '../domain/messages/handset-message.ts'
import { commandStatus } from '../smpp/status.ts'

export interface SimulatedOutcome extends Omit<TriggerEnding, 'digits'> {
  /** With what each segment is refused, and how often, before it is taken. */
  refusal: { status: number; times: number } | null
  answer: 'at once' | 'after the receipt' | 'never'
  afterSeconds: number
  state: 'DELIVRD' | 'UNDELIV' | 'REJECTD'
  /** How many receipts tell of it. */
  receipts: number
  /** What the handset writes back. */
  reply: string | null
}

const ALWAYS = Number.POSITIVE_INFINITY
const FOR_GOOD = commandStatus.ESME_RX_P_APPN
const FOR_NOW = commandStatus.ESME_RSYSERR

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
    does: 'Taken, but it never reaches the handset.',
    status: 'undelivered',
    error: 'delivery_failed',
  },
  '03': {
    ...delivered,
    ...failed('carrier_rejected'),
    refusal: { status: FOR_GOOD, times: ALWAYS },
    does: 'Refused at submission, for good.',
  },
  '04': {
    ...delivered,
    ...failed('network_unavailable'),
    refusal: { status: FOR_NOW, times: ALWAYS },
    does: 'Refused for now, each time it is tried.',
  },
  '05': { ...delivered, refusal: { status: FOR_NOW, times: 1 }, does: 'Refused for now once, then delivered.' },
  '06': {
    ...delivered,
    receipts: 0,
    does: 'Reaches the handset, but no receipt ever comes.',
    status: 'undelivered',
    error: 'delivery_timeout',
  },
  '07': { ...delivered, reply: 'YES', does: 'Delivered; then the handset replies `YES`.' },
  '08': {
    ...delivered,
    answer: 'after the receipt',
    does: 'Delivered; the receipt overtakes the answer to the submission.',
  },
  '09': { ...delivered, receipts: 2, does: 'Delivered; the receipt comes twice.' },
  '10': {
    ...delivered,
    ...failed('invalid_number'),
    refusal: { status: commandStatus.ESME_RINVDSTADR, times: ALWAYS },
    does: 'Refused: there is no such number.',
  },
  '11': {
    ...delivered,
    state: 'REJECTD',
    does: 'Taken, then rejected by the network.',
    status: 'rejected',
    error: 'carrier_rejected',
  },
  '12': { ...delivered, ...failed('delivery_timeout'), answer: 'never', does: 'No answer to the submission.' },
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

/** All of them, for people who choose a number; any that is not among them ends as the first. */
export function listOutcomes(): TriggerEnding[] {
  return Object.entries(outcomes)
    .map(([digits, { does, status, error, isRefunded }]) => ({ digits, does, status, error, isRefunded }))
    .sort((one, other) => Number(one.digits) - Number(other.digits))
}
