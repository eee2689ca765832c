// The settings that every carrier has, and their defaults: for the API, the console and the simulator's carrier.

/** After how many in a row, each to another number, a carrier counts as broken; null is never. */
export interface BreakAfter {
  breakAfterUnanswered: number | null
  breakAfterRefused: number | null
}

/** What an operator sets for a carrier of either kind. */
export interface CommonSettings extends BreakAfter {
  name: string
  /** Connections over all processes. */
  binds: number
  /** Submissions that may be unanswered on one connection. */
  window: number
  answerSeconds: number
  /** null is unlimited. */
  segmentsPerSecond: number | null
  /** D34: for messages whose own sender cannot be sent. */
  defaultSender: string | null
  resendUnknown: boolean
  enabled: boolean
}

/** What a new carrier has where it is not set. */
export const USUAL_COMMON: Omit<CommonSettings, 'name'> = {
  binds: 1,
  window: 10,
  answerSeconds: 30,
  segmentsPerSecond: null,
  defaultSender: null,
  resendUnknown: false,
  breakAfterUnanswered: 5,
  breakAfterRefused: 20,
  enabled: true,
}
