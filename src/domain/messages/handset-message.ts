// Messages as the handsets of the simulator show them: that is how one reads a code without a SIM, and answers it.

export interface HandsetMessage {
  /** The id that the simulator gave it as a carrier. */
  id: string
  to: string
  from: string
  text: string
  receivedAt: Date
}

/** What a handset wrote. */
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

/** Numbers are called by their digits: people write them with and without what stands in front. */
export function isOfHandset(number: string, asked: string): boolean {
  const digits = asked.replaceAll(/\D/g, '').replace(/^0+/, '')
  return digits !== '' && number.replaceAll(/\D/g, '').endsWith(digits)
}

/** Whether a handset may answer so: only what reached it, and only whoever wrote it. */
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
