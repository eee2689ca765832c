// What becomes of a message: the last two digits of the number it goes to decide (docs/simulator.md is this table in words).
import { commandStatus } from '../smpp/status.ts'

export interface Ending {
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

const delivered: Ending = {
  refusal: null,
  answer: 'at once',
  afterSeconds: 0,
  state: 'DELIVRD',
  receipts: 1,
  reply: null,
}

const endings: Record<string, Ending> = {
  '01': delivered,
  '02': { ...delivered, state: 'UNDELIV' },
  '03': { ...delivered, refusal: { status: FOR_GOOD, times: ALWAYS } },
  '04': { ...delivered, refusal: { status: FOR_NOW, times: ALWAYS } },
  '05': { ...delivered, refusal: { status: FOR_NOW, times: 1 } },
  '06': { ...delivered, receipts: 0 },
  '07': { ...delivered, reply: 'YES' },
  '08': { ...delivered, answer: 'after the receipt' },
  '09': { ...delivered, receipts: 2 },
  '10': { ...delivered, refusal: { status: commandStatus.ESME_RINVDSTADR, times: ALWAYS } },
  '11': { ...delivered, state: 'REJECTD' },
  '12': { ...delivered, answer: 'never' },
  '13': { ...delivered, refusal: { status: commandStatus.ESME_RTHROTTLED, times: 3 } },
  '14': { ...delivered, afterSeconds: 30 },
}

export function endingOf(number: string): Ending {
  return endings[number.slice(-2)] ?? delivered
}
