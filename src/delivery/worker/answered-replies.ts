// Remembers acknowledged replies: the same text after an acknowledgement is a second reply, not a redelivery.
import { SAME_REPLY_MS } from '../../domain/messages/inbound.ts'
import type { LinkState } from '../connection.ts'

/** A carrier may time out and redeliver if the acknowledgement takes longer than this. */
const REDELIVERY_MS = 2_000
/** After this time the carrier has surely received the acknowledgement: a silent link is closed after 40 s. */
const CONFIRMED_AFTER_MS = 45_000

interface Answered {
  link: LinkState
  at: number
  /** The time by the service clock. */
  now: Date
}

export class AnsweredReplies {
  /** By fingerprint, oldest first. */
  readonly #answered = new Map<string, Answered>()
  readonly #monotonicNow: () => number

  constructor(monotonicNow: () => number) {
    this.#monotonicNow = monotonicNow
  }

  /** When a reply with this fingerprint was last acknowledged; null unless the carrier has received the acknowledgement. */
  lastOf(fingerprint: string, link: LinkState): Date | null {
    const last = this.#answered.get(fingerprint)
    if (last?.link.state !== 'bound') return null
    return last.link === link || this.#monotonicNow() - last.at > CONFIRMED_AFTER_MS ? last.now : null
  }

  /** Call before the acknowledgement is sent. */
  add(fingerprint: string, { link, since, now }: { link: LinkState; since: number; now: Date }): void {
    const at = this.#monotonicNow()
    this.#answered.delete(fingerprint)
    if (at - since < REDELIVERY_MS) this.#answered.set(fingerprint, { link, at, now })
    for (const [old, answered] of this.#answered) {
      if (at - answered.at < SAME_REPLY_MS) break
      this.#answered.delete(old)
    }
  }
}
