// What carriers tell by themselves, from whichever connection: reports and replies, handed to the lane that records them, and
// acknowledged only once they are stored.

import type { CarrierEventLane } from '../../actions/carriers/record-carrier-events.ts'
import type { Ports } from '../../actions/ports.ts'
import type { Carrier } from '../../domain/carriers/carrier.ts'
import { fingerprintOf, type InboundPart } from '../../domain/messages/inbound.ts'
import type { Log } from '../../runtime/log.ts'
import { isAway, isPassing } from '../../store/database/db.ts'
import type { Delivered, Link } from '../connection.ts'
import { AnsweredReplies } from './answered-replies.ts'
import { FailedDeliveries } from './failed-deliveries.ts'
import type { Tally } from './measures.ts'

export interface InboxOptions {
  ports: Pick<Ports, 'clock'>
  log: Log
  lane: CarrierEventLane
  tally: Tally
}

export class Inbox {
  readonly #options: InboxOptions
  readonly #answered = new AnsweredReplies(() => performance.now())
  readonly #failed = new FailedDeliveries()

  constructor(options: InboxOptions) {
    this.#options = options
  }

  /**
   * Returns once it is stored; throws where the carrier shall say it again. What fails for a reason of its own will fail for ever:
   * at its second try it is set aside.
   */
  async hear(carrier: Carrier, delivered: Delivered): Promise<void> {
    const { log, tally } = this.#options
    try {
      await this.#store(carrier, delivered)
    } catch (fault) {
      if (isPassing(fault) || !this.#failed.add(delivered.fingerprint())) {
        if (!isAway(fault)) {
          log.error({ err: fault, carrier: carrier.name }, 'a report or a reply could not be recorded')
        }
        throw fault
      }
      tally.setAside()
      const why = fault instanceof Error ? fault.message : String(fault)
      log.error({ carrier: carrier.name, why }, 'a report or a reply that could not be stored twice was set aside')
    }
  }

  async #store(carrier: Carrier, delivered: Delivered): Promise<void> {
    const word = delivered.read()
    if (word.kind === 'reply') return this.#receiveReply(word.reply, delivered.link)
    const { report, isKnown } = word
    await this.#options.lane.add({ kind: 'report', report })
    this.#options.tally.countReport({ carrier, status: report.status, state: report.state, isKnown })
  }

  async #receiveReply(reply: Omit<InboundPart, 'answeredAt'>, link: Link): Promise<void> {
    const { lane, ports } = this.#options
    const since = performance.now()
    const fingerprint = fingerprintOf(reply)
    const answeredAt = this.#answered.lastOf(fingerprint, link)
    await lane.add({ kind: 'reply', reply: { ...reply, answeredAt } })
    this.#answered.add(fingerprint, { link, since, now: ports.clock.now() })
  }
}
