// Messages on the simulator's handsets, where people read and answer OTPs without a SIM.

export interface HandsetMessage {
  /** The simulator's id of the message. */
  id: string
  to: string
  from: string
  text: string
  receivedAt: Date
}

export interface HandsetReply {
  from: string
  to: string
  text: string
  sentAt: Date
}

/** Newest first. */
export interface HandsetList {
  items: HandsetMessage[]
  replies: HandsetReply[]
}

/** Compares by last digits, because people write numbers with and without a prefix. */
export function isOfHandset(number: string, asked: string): boolean {
  const digits = asked.replaceAll(/\D/g, '').replace(/^0+/, '')
  return digits !== '' && number.replaceAll(/\D/g, '').endsWith(digits)
}

/** A handset may answer only senders that wrote to it. */
export function isAnswerable(messages: readonly HandsetMessage[], { from, to }: { from: string; to: string }): boolean {
  return messages.some((message) => message.to === from && message.from === to)
}

/** The simulated outcome by the last two digits of a number. */
export interface OutcomeDescription {
  digits: string
  does: string
  status: 'delivered' | 'undelivered' | 'failed' | 'rejected'
  error: string
  isRefunded: boolean
}
