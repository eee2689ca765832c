// What the handsets received: the last messages in memory, long ones joined from their parts in whatever order they came; and what
// they wrote.
import {
  type HandsetList,
  type HandsetMessage,
  type HandsetReply,
  isOfHandset,
} from '../domain/messages/handset-message.ts'
import { alphabetOf, decodeText } from '../smpp/alphabets.ts'
import type { Segment } from './segment.ts'

const MOST_MESSAGES = 100
/** A message whose other parts never come is forgotten, the oldest first. */
const MOST_INCOMPLETE = 1_000

interface Received extends Omit<HandsetMessage, 'text'> {
  dataCoding: number
  bytes: Buffer
}

export class Handsets {
  /** Oldest first. */
  readonly #messages: Received[] = []
  readonly #replies: HandsetReply[] = []
  readonly #incomplete = new Map<string, Map<number, Buffer>>()

  /** Says whether the message is whole with it. */
  receive(segment: Segment, { id, receivedAt }: { id: string; receivedAt: Date }): boolean {
    const bytes = this.#join(segment)
    if (bytes === undefined) return false
    const { to, from, pdu } = segment
    this.#messages.push({ id, to, from, receivedAt, dataCoding: pdu.data_coding, bytes })
    if (this.#messages.length > MOST_MESSAGES) this.#messages.shift()
    return true
  }

  write(reply: HandsetReply): void {
    this.#replies.push(reply)
    if (this.#replies.length > MOST_MESSAGES) this.#replies.shift()
  }

  /** Newest first, of one number or of all. Nothing is decoded before somebody looks. */
  list(number: string | null): HandsetList {
    const isAsked = (own: string) => number === null || isOfHandset(own, number)
    const items = this.#messages
      .filter((message) => isAsked(message.to))
      .toReversed()
      .map(({ id, to, from, receivedAt, dataCoding, bytes }): HandsetMessage => {
        const text = decodeText(bytes, alphabetOf(dataCoding, 'gsm') ?? 'latin1')
        return { id, to, from, text, receivedAt }
      })
    return { items, replies: this.#replies.filter((reply) => isAsked(reply.from)).toReversed() }
  }

  #join({ to, from, part, body }: Segment): Buffer | undefined {
    // A copy: what was read is a view of bytes that need not be kept.
    const bytes = Buffer.from(body)
    if (part === undefined) return bytes
    const name = [to, from, part.referenceBits, part.reference, part.total].join(' ')
    const parts = this.#incomplete.get(name) ?? new Map<number, Buffer>()
    parts.set(part.number, bytes)
    this.#incomplete.set(name, parts)
    if (parts.size < part.total) {
      const [oldest] = this.#incomplete.keys()
      if (this.#incomplete.size > MOST_INCOMPLETE && oldest !== undefined) this.#incomplete.delete(oldest)
      return undefined
    }
    this.#incomplete.delete(name)
    const inOrder = [...parts].sort(([one], [other]) => one - other)
    return Buffer.concat(inOrder.map(([, text]) => text))
  }
}
