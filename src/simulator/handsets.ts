// What the handsets received: the last messages in memory, long ones joined from their parts in whatever order they came.
import type { HandsetMessage } from '../domain/handset-message.ts'
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
  readonly #incomplete = new Map<string, Map<number, Buffer>>()

  /** Says whether the message is whole with it. */
  receive(segment: Segment, receivedAt: Date): boolean {
    const bytes = this.#join(segment)
    if (bytes === undefined) return false
    const { to, from, pdu } = segment
    this.#messages.push({ to, from, receivedAt, dataCoding: pdu.data_coding, bytes })
    if (this.#messages.length > MOST_MESSAGES) this.#messages.shift()
    return true
  }

  /** Newest first. Nothing is decoded before somebody looks. */
  list(): HandsetMessage[] {
    return this.#messages.toReversed().map(({ to, from, receivedAt, dataCoding, bytes }) => {
      const text = decodeText(bytes, alphabetOf(dataCoding, 'gsm') ?? 'latin1')
      return { to, from, text, receivedAt }
    })
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
