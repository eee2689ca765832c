// Receipts and replies for the ESME that submitted the message, retried on any of its connections until one accepts them.
import { DAY_MS } from '../domain/durations.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import type { Body } from '../smpp/commands.ts'
import type { SmppSession } from '../smpp/session.ts'
import { commandStatus } from '../smpp/status.ts'
import type { PduAnswer, RequestOutcome } from '../smpp/window.ts'
import type { Schedule } from './schedule.ts'

/** The outcome of one delivery attempt. */
type DeliveryOutcome = Pick<PduAnswer, 'kind' | 'status'> | Exclude<RequestOutcome, PduAnswer>

/** One client connection. SMPP identifies a client only by its system_id. */
export interface Peer {
  session: { readonly state: SmppSession['state']; deliver(message: Body<'deliver_sm'>): Promise<DeliveryOutcome> }
  systemId: string
  /** HTTP clients can poll: their message states are kept. */
  canPoll?: boolean
}

/** The submitting connection, or any connection with this system_id. */
type Addressee = Pick<Peer, 'systemId'> & Partial<Peer>

interface OutboxMessage {
  to: Addressee
  message: Body<'deliver_sm'>
  postedAt: Date
  attempts: number
}

const FIRST_WAIT_MS = 5_000
const MAX_WAIT_MS = 600_000
const EXPIRES_AFTER_MS = DAY_MS
/** Limits in total and per absent receiver. */
const MAX_MESSAGES = 100_000
const MAX_HELD = 10_000

export class Outbox {
  readonly #clock: Clock
  readonly #log: Log
  readonly #schedule: Schedule
  readonly #receivers: Peer[] = []
  /** Messages for clients without a receiving connection, by system_id, oldest first. */
  readonly #held = new Map<string, OutboxMessage[]>()
  #messages = 0

  constructor({ clock, log, schedule }: { clock: Clock; log: Log; schedule: Schedule }) {
    this.#clock = clock
    this.#log = log
    this.#schedule = schedule
  }

  /** Adds a receiving connection and delivers the messages held for it. */
  join(peer: Peer): void {
    this.#receivers.push(peer)
    const held = this.#held.get(peer.systemId) ?? []
    this.#held.delete(peer.systemId)
    for (const entry of held) this.#schedule.at(this.#clock.now(), async () => void (await this.#deliver(entry)))
  }

  leave({ session }: Peer): void {
    const index = this.#receivers.findIndex((peer) => peer.session === session)
    if (index >= 0) this.#receivers.splice(index, 1)
  }

  /** Resolves after the first attempt, with whether it was final; otherwise the message is retried. */
  async post(to: Addressee, message: Body<'deliver_sm'>): Promise<boolean> {
    if (this.#messages >= MAX_MESSAGES) {
      this.#log.warn('simulator queue full, receipt dropped')
      return false
    }
    this.#messages += 1
    return this.#deliver({ to, message, postedAt: this.#clock.now(), attempts: 0 })
  }

  async #deliver(entry: OutboxMessage): Promise<boolean> {
    for (let peer = this.#receiverFor(entry); peer; peer = this.#receiverFor(entry)) {
      const outcome = await peer.session.deliver(entry.message)
      // The session is closing; another one may be open.
      if (outcome.kind === 'not_written') continue
      const isOver = isSettled(outcome)
      if (isOver) this.#messages -= 1
      else this.#deliverLater(entry)
      return isOver
    }
    this.#hold(entry)
    return false
  }

  #hold(entry: OutboxMessage): void {
    const held = this.#held.getOrInsertComputed(entry.to.systemId, () => [])
    held.push(entry)
    if (held.length <= MAX_HELD) return
    held.shift()
    this.#messages -= 1
  }

  /** A temporary error or no response: a receiver must tolerate duplicates. */
  #deliverLater(entry: OutboxMessage): void {
    const now = this.#clock.now().getTime()
    if (now - entry.postedAt.getTime() > EXPIRES_AFTER_MS) {
      this.#messages -= 1
      return
    }
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** entry.attempts, MAX_WAIT_MS)
    entry.attempts += 1
    this.#schedule.at(new Date(now + waitMs), async () => void (await this.#deliver(entry)))
  }

  /** Prefers the submitting connection; otherwise the connections of the same client take turns. */
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

/** Accepted, or rejected permanently. */
function isSettled(outcome: DeliveryOutcome): boolean {
  const { ESME_ROK, ESME_RX_P_APPN, ESME_RX_R_APPN } = commandStatus
  const final: number[] = [ESME_ROK, ESME_RX_P_APPN, ESME_RX_R_APPN]
  return outcome.kind === 'answered' && final.includes(outcome.status)
}
