// Runs carrier tests on the binds of this process.

import { recordEnquiry, recordTestAnswer, takeCarrierTests } from '../../actions/carriers/test-carrier.ts'
import type { Ports } from '../../actions/ports.ts'
import { type Carrier, submissionRules } from '../../domain/carriers/carrier.ts'
import { senderAddress } from '../../domain/carriers/sender-address.ts'
import type { Log } from '../../runtime/log.ts'
import type { ClaimedTest } from '../../store/carriers/carrier-tests.ts'
import { isAway } from '../../store/database/db.ts'
import type { Connection, SubmissionResult } from '../connection.ts'

/** How long the carrier may try to deliver a test message. */
const LIVES_MS = 300_000

interface TestTarget {
  carrier: Carrier
  bind: Connection
}

interface CarrierTestsOptions {
  ports: Ports
  log: Log
  processId: string
  find: (carrierId: string, number: number) => TestTarget | null
}

export class CarrierTests {
  readonly #options: CarrierTestsOptions
  readonly #running = new Set<Promise<void>>()

  constructor(options: CarrierTestsOptions) {
    this.#options = options
  }

  run(): void {
    const tests = this.#runAll()
      .catch((fault) => {
        if (!isAway(fault)) this.#options.log.error({ err: fault }, 'carrier test failed')
      })
      .finally(() => this.#running.delete(tests))
    this.#running.add(tests)
  }

  /** Resolves when all tests have finished. */
  async drain(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  async #runAll(): Promise<void> {
    const { ports, processId } = this.#options
    await Promise.all((await takeCarrierTests(ports, processId)).map((test) => this.#runOne(test)))
  }

  async #runOne(test: ClaimedTest): Promise<void> {
    const { ports } = this.#options
    const target = this.#options.find(test.carrierId, test.number)
    const submitted = target && test.message ? this.#submit(target, test.testId, test.message) : undefined
    await recordEnquiry(
      ports,
      test,
      target ? await target.bind.enquire() : { fault: 'connection closed during the test' },
    )
    await submitted
  }

  /** A test message bypasses the queue, the rate limit and the circuit, and is not charged. */
  async #submit(
    { carrier, bind }: TestTarget,
    testId: string,
    { to, text }: { to: string; text: string },
  ): Promise<void> {
    const { ports } = this.#options
    const since = performance.now()
    const record = ({ outcome, commandStatus, carrierMessageId, reference, said, fault = null }: SubmissionResult) => {
      const milliseconds = performance.now() - since
      const answer = { outcome, commandStatus, carrierMessageId, reference, said, fault }
      return recordTestAnswer(ports, { testId, ...answer, milliseconds })
    }
    const expiresAt = new Date(ports.clock.now().getTime() + LIVES_MS)
    const { senderRules, receipts } = submissionRules(carrier)
    const source = senderAddress(carrier.defaultSender ?? '', senderRules)
    const requestsReceipt = receipts !== 'none'
    const segment = { messageId: testId, to, source, text, segment: 1, ofSegments: 1, expiresAt, requestsReceipt }
    const whole = { ...segment, type: 'transactional' as const, fields: {} }
    const onLateAnswer = (late: SubmissionResult) => void record(late).catch(() => {})
    await record(await new Promise((onResult) => bind.submit(whole, { onResult, onLateAnswer })))
  }
}
