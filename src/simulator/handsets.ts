// The messages and replies of simulated handsets, in memory. Parts of long messages are joined in any order.
import {
  type HandsetList,
  type HandsetMessage,
  type HandsetReply,
  isOfHandset,
} from '../domain/messages/handset-message.ts'
import { alphabetOf, decodeText } from '../smpp/alphabets.ts'
import type { Segment } from './segment.ts'

const MAX_MESSAGES = 100
/** The oldest incomplete messages are dropped. */
const MAX_INCOMPLETE = 1_000

interface Received extends Omit<HandsetMessage, 'text'> {
  dataCoding: number
  bytes: Buffer
}

export class Handsets {
  /** Oldest first. */
  readonly #messages: Received[] = []
  readonly #replies: HandsetReply[] = []
  readonly #incomplete = new Map<string, Map<number, Buffer>>()

  /** Returns whether the message is complete. */
  receive(segment: Segment, { id, receivedAt }: { id: string; receivedAt: Date }): boolean {
    const bytes = this.#join(segment)
    if (bytes === undefined) return false
    const { to, from, pdu } = segment
    this.#messages.push({ id, to, from, receivedAt, dataCoding: pdu.data_coding, bytes })
    if (this.#messages.length > MAX_MESSAGES) this.#messages.shift()
    return true
  }

  write(reply: HandsetReply): void {
    this.#replies.push(reply)
    if (this.#replies.length > MAX_MESSAGES) this.#replies.shift()
  }

  /** Newest first, of one number or of all. Texts are decoded on read. */
  list(number: string | null): HandsetList {
    const isIncluded = (own: string) => number === null || isOfHandset(own, number)
    const items = this.#messages
      .filter((message) => isIncluded(message.to))
      .toReversed()
      .map(({ id, to, from, receivedAt, dataCoding, bytes }): HandsetMessage => {
        const text = decodeText(bytes, alphabetOf(dataCoding, 'gsm') ?? 'latin1')
        return { id, to, from, text, receivedAt }
      })
    return { items, replies: this.#replies.filter((reply) => isIncluded(reply.from)).toReversed() }
  }

  #join({ to, from, part, body }: Segment): Buffer | undefined {
    // A copy, because the body is a view of a larger buffer.
    const bytes = Buffer.from(body)
    if (part === undefined) return bytes
    const name = [to, from, part.referenceBits, part.reference, part.total].join(' ')
    const parts = this.#incomplete.get(name) ?? new Map<number, Buffer>()
    parts.set(part.number, bytes)
    this.#incomplete.set(name, parts)
    if (parts.size < part.total) {
      const [oldest] = this.#incomplete.keys()
      if (this.#incomplete.size > MAX_INCOMPLETE && oldest !== undefined) this.#incomplete.delete(oldest)
      return undefined
    }
    this.#incomplete.delete(name)
    const inOrder = [...parts].sort(([one], [other]) => one - other)
    return Buffer.concat(inOrder.map(([, text]) => text))
  }
}
