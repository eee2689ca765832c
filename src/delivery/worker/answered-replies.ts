// The replies that carriers know we have: whoever gets the same words again by such a carrier was written to twice.
import { SAME_REPLY_MS } from '../../domain/messages/inbound.ts'
import type { Link } from '../connection.ts'

/** A carrier that waits longer than this for our answer may have given us up, and will deliver again what we have. */
const PROMPT_MS = 2_000
/** A link that stands so long after an answer has been heard from since: whoever is silent for 40 s is hung up on. */
const HEARD_AFTER_MS = 45_000

interface Answered {
  link: Link
  at: number
  /** The same moment by the clock of the service. */
  now: Date
}

export class AnsweredReplies {
  /** By fingerprint, oldest first. */
  readonly #answered = new Map<string, Answered>()
  readonly #monotonicNow: () => number

  constructor(monotonicNow: () => number) {
    this.#monotonicNow = monotonicNow
  }

  /** When the last one that said the same was answered; null unless the carrier has that answer. */
  lastOf(fingerprint: string, link: Link): Date | null {
    const last = this.#answered.get(fingerprint)
    if (last?.link.state !== 'bound') return null
    return last.link === link || this.#monotonicNow() - last.at > HEARD_AFTER_MS ? last.now : null
  }

  /** It is about to be answered, having waited since then. */
  add(fingerprint: string, { link, since, now }: { link: Link; since: number; now: Date }): void {
    const at = this.#monotonicNow()
    this.#answered.delete(fingerprint)
    if (at - since < PROMPT_MS) this.#answered.set(fingerprint, { link, at, now })
    for (const [old, answered] of this.#answered) {
      if (at - answered.at < SAME_REPLY_MS) break
      this.#answered.delete(old)
    }
  }
}
