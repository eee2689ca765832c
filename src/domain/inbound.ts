// Replies: parts that make a whole (in any order), and whose reply it is (D18).

export interface InboundPart {
  carrierId: string
  /** The handset, in E.164 where that is what the carrier gave. */
  from: string
  /** What it wrote to. */
  to: string
  text: string
  /** Set on one part of a long reply. */
  part: { reference: number; referenceBits: 8 | 16; total: number; number: number } | null
  receivedAt: Date
}

/** D18: how far back a message may lie that a reply answers. */
export const REPLY_DAYS = 30

export interface SentMessage {
  id: string
  workspaceId: string
  clientId: string
  sender: string
}

/** The message that a reply answers: the last from that sender, else the last to the number at all (D18). */
export function answeredMessage(to: string, newestFirst: readonly SentMessage[]): SentMessage | null {
  return newestFirst.find((message) => sameAddress(message.sender, to)) ?? newestFirst[0] ?? null
}

/** Carriers write numbers with or without the plus, and alphanumeric senders in either case, cut to eleven characters. */
function sameAddress(sender: string, address: string): boolean {
  const plain = (text: string) => text.replace(/^\+/, '').toLowerCase()
  return plain(sender) === plain(address) || plain(sender).slice(0, 11) === plain(address)
}
