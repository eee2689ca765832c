// Stores reports and replies of all connections, which are acknowledged only afterwards.

import type { CarrierEventLane, OnStored } from '../../actions/carriers/record-carrier-events.ts'
import type { Ports } from '../../actions/ports.ts'
import type { Carrier } from '../../domain/carriers/carrier.ts'
import { fingerprintOf, type InboundPart } from '../../domain/messages/inbound.ts'
import type { Log } from '../../runtime/log.ts'
import { isAway, isPassing } from '../../store/database/db.ts'
import type { Delivered, LinkState, ReceivedEvent } from '../connection.ts'
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
  receive(carrier: Carrier, delivered: Delivered): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#store(carrier, delivered, (error) => {
        if (error === null || this.#isDropped(error, carrier, delivered)) resolve()
        else reject(error)
      })
    })
  }

  #store(carrier: Carrier, delivered: Delivered, onStored: OnStored): void {
    let event: ReceivedEvent
    try {
      event = delivered.read()
    } catch (error) {
      onStored(error)
      return
    }
    if (event.kind === 'reply') {
      this.#receiveReply(event.reply, delivered.link).then(() => onStored(null), onStored)
      return
    }
    const { report, isKnown } = event
    this.#options.lane.push({ kind: 'report', report }, (error) => {
      if (error === null) {
        this.#options.tally.countReport({ carrier, status: report.status, state: report.state, isKnown })
      }
      onStored(error)
    })
  }

  /** Whether the delivery failed for good, so that the carrier must not deliver it again. */
  #isDropped(error: unknown, carrier: Carrier, delivered: Delivered): boolean {
    const { log, tally } = this.#options
    if (isPassing(error) || !this.#failed.add(delivered.fingerprint())) {
      if (!isAway(error)) log.error({ err: error, carrier: carrier.name }, 'failed to store report or reply')
      return false
    }
    tally.setAside()
    const why = error instanceof Error ? error.message : String(error)
    log.error({ carrier: carrier.name, why }, 'report or reply dropped after two failures')
    return true
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
