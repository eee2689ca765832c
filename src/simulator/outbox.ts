// Receipts and replies for the ESME that submitted the message, retried on any of its connections until one accepts them.
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import type { Body } from '../smpp/commands.ts'
import type { SmppSession } from '../smpp/session.ts'
import { commandStatus } from '../smpp/status.ts'
import type { PduAnswer, RequestOutcome } from '../smpp/window.ts'
import type { Schedule } from './schedule.ts'

/** How handing over came out. */
type Handed = Pick<PduAnswer, 'kind' | 'status'> | Exclude<RequestOutcome, PduAnswer>

/** One end of a link. SMPP knows no other sign of who somebody is than the name he bound under. */
export interface Peer {
  session: { readonly state: SmppSession['state']; deliver(message: Body<'deliver_sm'>): Promise<Handed> }
  systemId: string
  /** Over HTTP: what became of its messages is kept for a while. */
  mayAsk?: boolean
}

/** By the link that a message came by, or by any under that name. */
type Addressee = Pick<Peer, 'systemId'> & Partial<Peer>

interface OutboxMessage {
  to: Addressee
  message: Body<'deliver_sm'>
  postedAt: Date
  tries: number
}

const FIRST_WAIT_MS = 5_000
const LONGEST_WAIT_MS = 600_000
const GIVEN_UP_AFTER_MS = 86_400_000
/** Bounds the memory that all of them can cost, and a receiver who never comes. */
const MOST_MESSAGES = 100_000
const MOST_HELD = 10_000

export class Outbox {
  readonly #clock: Clock
  readonly #log: Log
  readonly #schedule: Schedule
  readonly #receivers: Peer[] = []
  /** For those who have no link that receives, by their names; the oldest first. */
  readonly #held = new Map<string, OutboxMessage[]>()
  #messages = 0

  constructor({ clock, log, schedule }: { clock: Clock; log: Log; schedule: Schedule }) {
    this.#clock = clock
    this.#log = log
    this.#schedule = schedule
  }

  /** From now on this one receives; what was held for want of him goes out. */
  join(peer: Peer): void {
    this.#receivers.push(peer)
    const held = this.#held.get(peer.systemId) ?? []
    this.#held.delete(peer.systemId)
    for (const entry of held) this.#schedule.at(this.#clock.now(), async () => void (await this.#carry(entry)))
  }

  leave({ session }: Peer): void {
    const index = this.#receivers.findIndex((peer) => peer.session === session)
    if (index >= 0) this.#receivers.splice(index, 1)
  }

  /** Resolves after the first try, and says whether that ended it; else it is tried again later. */
  async post(to: Addressee, message: Body<'deliver_sm'>): Promise<boolean> {
    if (this.#messages >= MOST_MESSAGES) {
      this.#log.warn('simulator outbox full, receipt dropped')
      return false
    }
    this.#messages += 1
    return this.#carry({ to, message, postedAt: this.#clock.now(), tries: 0 })
  }

  async #carry(entry: OutboxMessage): Promise<boolean> {
    for (let peer = this.#receiverFor(entry); peer; peer = this.#receiverFor(entry)) {
      const outcome = await peer.session.deliver(entry.message)
      // It did not leave, for the session is ending: there may be another one.
      if (outcome.kind === 'not_written') continue
      const isOver = isSettled(outcome)
      if (isOver) this.#messages -= 1
      else this.#carryLater(entry)
      return isOver
    }
    this.#hold(entry)
    return false
  }

  #hold(entry: OutboxMessage): void {
    const held = this.#held.getOrInsertComputed(entry.to.systemId, () => [])
    held.push(entry)
    if (held.length <= MOST_HELD) return
    held.shift()
    this.#messages -= 1
  }

  /** Refused for now, or without an answer: a receiver must cope with what comes twice. */
  #carryLater(entry: OutboxMessage): void {
    const now = this.#clock.now().getTime()
    if (now - entry.postedAt.getTime() > GIVEN_UP_AFTER_MS) {
      this.#messages -= 1
      return
    }
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** entry.tries, LONGEST_WAIT_MS)
    entry.tries += 1
    this.#schedule.at(new Date(now + waitMs), async () => void (await this.#carry(entry)))
  }

  /** The very link that the message came by; where that cannot receive, the others of the same peer take their turn. */
  #receiverFor({ to }: OutboxMessage): Peer | undefined {
    const able = this.#receivers.filter((peer) => peer.session.state === 'bound' && isSame(peer, to))
    const chosen = able.find((peer) => peer.session === to.session) ?? able[0]
    if (!chosen) return undefined
    this.leave(chosen)
    this.#receivers.push(chosen)
    return chosen
  }
}

function isSame(one: Peer, other: Addressee): boolean {
  return one.systemId === other.systemId
}

/** Taken, or refused for good. */
function isSettled(outcome: Handed): boolean {
  const { ESME_ROK, ESME_RX_P_APPN, ESME_RX_R_APPN } = commandStatus
  const final: number[] = [ESME_ROK, ESME_RX_P_APPN, ESME_RX_R_APPN]
  return outcome.kind === 'answered' && final.includes(outcome.status)
}
