// Stores reports and replies of all connections, which are acknowledged only afterwards.

import type { CarrierEventLane } from '../../actions/carriers/record-carrier-events.ts'
import type { Ports } from '../../actions/ports.ts'
import type { Carrier } from '../../domain/carriers/carrier.ts'
import { fingerprintOf, type InboundPart } from '../../domain/messages/inbound.ts'
import type { Log } from '../../runtime/log.ts'
import { isAway, isPassing } from '../../store/database/db.ts'
import type { Delivered, LinkState } from '../connection.ts'
import { AnsweredReplies } from './answered-replies.ts'
import { FailedDeliveries } from './failed-deliveries.ts'
import type { Tally } from './measures.ts'

interface InboxOptions {
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
   * Resolves after the delivery is stored; throws if the carrier must deliver again. A permanent failure is dropped at the second attempt.
   */
  async receive(carrier: Carrier, delivered: Delivered): Promise<void> {
    const { log, tally } = this.#options
    try {
      await this.#store(carrier, delivered)
    } catch (fault) {
      if (isPassing(fault) || !this.#failed.add(delivered.fingerprint())) {
        if (!isAway(fault)) {
          log.error({ err: fault, carrier: carrier.name }, 'failed to store report or reply')
        }
        throw fault
      }
      tally.setAside()
      const why = fault instanceof Error ? fault.message : String(fault)
      log.error({ carrier: carrier.name, why }, 'report or reply dropped after two failures')
    }
  }

  async #store(carrier: Carrier, delivered: Delivered): Promise<void> {
    const event = delivered.read()
    if (event.kind === 'reply') return this.#receiveReply(event.reply, delivered.link)
    const { report, isKnown } = event
    await this.#options.lane.add({ kind: 'report', report })
    this.#options.tally.countReport({ carrier, status: report.status, state: report.state, isKnown })
  }

  async #receiveReply(reply: Omit<InboundPart, 'answeredAt'>, link: LinkState): Promise<void> {
    const { lane, ports } = this.#options
    const since = performance.now()
    const fingerprint = fingerprintOf(reply)
    const answeredAt = this.#answered.lastOf(fingerprint, link)
    await lane.add({ kind: 'reply', reply: { ...reply, answeredAt } })
    this.#answered.add(fingerprint, { link, since, now: ports.clock.now() })
  }
}
