// Answers tests of carriers for the binds that this process holds.

import { recordEnquiry, recordTestAnswer, takeCarrierTests } from '../../actions/carriers/test-carrier.ts'
import type { Ports } from '../../actions/ports.ts'
import { type Carrier, submissionRules } from '../../domain/carriers/carrier.ts'
import { senderAddress } from '../../domain/carriers/sender-address.ts'
import type { Log } from '../../runtime/log.ts'
import type { ClaimedTest } from '../../store/carriers/carrier-tests.ts'
import { isAway } from '../../store/database/db.ts'
import type { Connection, Submitted } from '../connection.ts'

/** A test that a carrier cannot deliver soon tells nothing any more. */
const LIVES_MS = 300_000

interface Held {
  carrier: Carrier
  bind: Connection
}

export interface CarrierTestsOptions {
  ports: Ports
  log: Log
  holder: string
  find: (carrierId: string, number: number) => Held | null
}

export class CarrierTests {
  readonly #options: CarrierTestsOptions
  readonly #underWay = new Set<Promise<void>>()

  constructor(options: CarrierTestsOptions) {
    this.#options = options
  }

  /** Somebody may have asked. */
  look(): void {
    const looked = this.#answerAll()
      .catch((fault) => {
        if (!isAway(fault)) this.#options.log.error({ err: fault }, 'a test of a carrier failed')
      })
      .finally(() => this.#underWay.delete(looked))
    this.#underWay.add(looked)
  }

  /** Returns when all that was asked is answered. */
  async drain(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  async #answerAll(): Promise<void> {
    const { ports, holder } = this.#options
    await Promise.all((await takeCarrierTests(ports, holder)).map((test) => this.#answer(test)))
  }

  async #answer(test: ClaimedTest): Promise<void> {
    const { ports } = this.#options
    const held = this.#options.find(test.carrierId, test.number)
    const submitted = held && test.message ? this.#submit(held, test.testId, test.message) : undefined
    await recordEnquiry(ports, test, held ? await held.bind.enquire() : { fault: 'it was let go of meanwhile' })
    await submitted
  }

  /** Past the queue and the pace: it is a single one, and says nothing to the circuit. Nobody's money is concerned. */
  async #submit({ carrier, bind }: Held, testId: string, { to, text }: { to: string; text: string }): Promise<void> {
    const { ports } = this.#options
    const since = performance.now()
    const record = ({ outcome, commandStatus, carrierMessageId, reference, said, fault = null }: Submitted) => {
      const milliseconds = performance.now() - since
      const told = { outcome, commandStatus, carrierMessageId, reference, said, fault }
      return recordTestAnswer(ports, { testId, ...told, milliseconds })
    }
    const expiresAt = new Date(ports.clock.now().getTime() + LIVES_MS)
    const { senderRules, receipts } = submissionRules(carrier)
    const source = senderAddress(carrier.defaultSender ?? '', senderRules)
    const requestsReceipt = receipts !== 'none'
    const segment = { messageId: testId, to, source, text, segment: 1, ofSegments: 1, expiresAt, requestsReceipt }
    const whole = { ...segment, type: 'transactional' as const, fields: {} }
    await record(await bind.submit(whole, (late) => void record(late).catch(() => {})))
  }
}
