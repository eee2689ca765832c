// The settings that every carrier has, with their defaults: for the API, the console and the simulator's carrier.

/** A carrier counts as broken after this many in a row, each to a different number; null is never. */
export interface BreakAfter {
  breakAfterUnanswered: number | null
  breakAfterRefused: number | null
}

export interface CommonSettings extends BreakAfter {
  name: string
  /** Connections over all processes. */
  binds: number
  /** Unanswered submissions allowed per connection. */
  window: number
  answerSeconds: number
  /** null is unlimited. */
  segmentsPerSecond: number | null
  /** D34: for messages whose own sender cannot be sent. */
  defaultSender: string | null
  resendUnknown: boolean
  enabled: boolean
}

export const DEFAULT_COMMON_SETTINGS: Omit<CommonSettings, 'name'> = {
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
