// Carriers over HTTP that call with their receipts: who calls is known by the address (D52), and is answered once all is stored (D53).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Captures } from '../actions/carriers/captures.ts'
import { httpSecretsOf } from '../actions/carriers/carrier-secrets.ts'
import type { ReceiptTally } from '../actions/carriers/receipt-tally.ts'
import { type CarrierNewsLane, createCarrierNewsLane } from '../actions/carriers/record-carrier-news.ts'
import type { Ports } from '../actions/ports.ts'
import type { HttpCarrier } from '../domain/carriers/carrier.ts'
import { CALLBACK_ROUTE, hashCallback } from '../domain/carriers/http/callback.ts'
import { isCarriers } from '../domain/carriers/http/check-receipts.ts'
import { decompress } from '../domain/carriers/http/content.ts'
import { RECEIPT_BOUNDS, type ReceiptCallback } from '../domain/carriers/http/description.ts'
import { isKnownIn, type ReadReceipt, readReceipts } from '../domain/carriers/http/read-receipts.ts'
import { refuse } from '../domain/refusals.ts'
import { type PublicUrl, serviceAddress } from '../http/address.ts'
import { sendRefusal } from '../http/reply.ts'
import { WrongSecrets } from '../http/wrong-secrets.ts'
import type { Log } from '../runtime/log.ts'
import type { Metrics } from '../runtime/metrics.ts'
import { Recent } from '../runtime/recent.ts'
import { findCarrierByCallback } from '../store/carriers/carriers.ts'
import { isAway } from '../store/database/db.ts'
import { CallBounds } from './bounds.ts'
import { callOf, captureCall, captureReply } from './call.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose address was called. */
    callback: { carrier: HttpCarrier; receipts: ReceiptCallback } | null
  }
}

interface CallbackOptions {
  log: Log
  metrics: Metrics
  publicUrl: PublicUrl
  captures: Captures
  receipts: ReceiptTally
}

/** In the very words of an address that there is not. */
const UNKNOWN = refuse('not_found', { error: 'There is no such address' })
const BUSY = refuse('unavailable', { error: 'Too busy; try again', retryAfterSeconds: 1 })
const TOO_MANY = refuse('rate_limited', { error: 'Too many calls at once; try again', retryAfterSeconds: 1 })
const NOT_THE_CARRIERS = refuse('unauthorized', { error: 'The call carries no proof that it comes from the carrier' })
const UNREADABLE = refuse('invalid_request', {
  error: `No report can be read in this call, of which it may have ${RECEIPT_BOUNDS.reportsPerCall}`,
})
const NOT_STORED = refuse('unavailable', { error: 'The reports could not be stored; try again', retryAfterSeconds: 1 })

const MOST_KNOWN = 1_000
const LOG_AGAIN_MS = 5 * 60_000

/** In words, beside the short one that the counter has too. */
const WHY = {
  too_many: 'there are too many at once, or in a second',
  check: 'it has not the secret or the signature that the check of its description wants',
  unreadable: 'its reports cannot be read as its description says',
} as const

export function mountCallbacks(server: FastifyInstance, ports: Ports, options: CallbackOptions): void {
  const callbacks = new Callbacks(ports, options)
  server.register(async (app) => {
    app.decorateRequest('callback', null)
    app.addHook('onSend', async (request, reply, payload) => callbacks.capture(request, reply, payload))
    app.removeAllContentTypeParsers()
    // What cannot be decompressed stays as it is, and is refused as unreadable.
    app.addContentTypeParser('*', { parseAs: 'buffer' }, ({ headers }, bytes: Buffer, done) =>
      done(null, decompress(bytes, headers['content-encoding']) ?? bytes),
    )
    app.route({
      method: ['GET', 'POST', 'PUT'],
      url: CALLBACK_ROUTE,
      onRequest: (request, reply) => callbacks.recognise(request, reply),
      handler: (request, reply) => callbacks.record(request, reply),
    })
  })
}

class Callbacks {
  readonly #ports: Ports
  readonly #options: CallbackOptions
  readonly #lane: CarrierNewsLane
  readonly #calls: ReturnType<Metrics['counter']>
  readonly #bounds = new CallBounds()
  readonly #wrong = new WrongSecrets()
  /** By id, of those that called: of carriers that there are, so it does not grow with what is asked. */
  readonly #names = new Map<string, string>()
  /** Addresses that were right at the last look, and whose: they need not wait among strangers, and are looked for all the same. */
  readonly #right = new Recent<{ carrierId: string }>({ most: MOST_KNOWN })
  readonly #logged = new Recent<true>({ most: MOST_KNOWN, forMs: LOG_AGAIN_MS })
  #captured = 0

  constructor(ports: Ports, options: CallbackOptions) {
    this.#ports = ports
    this.#options = options
    this.#lane = createCarrierNewsLane(ports, {
      onReceipts: (receipts) => options.receipts.ended(receipts, (id) => this.#names.get(id)),
    })
    const calls = 'Calls of carriers with receipts'
    this.#calls = options.metrics.counter('carrier_callbacks_total', calls, ['outcome'])
  }

  /**
   * Before its body is read: that of a stranger, or of one call too many, is not. Where it is known whose it is, that is before the
   * database is asked, too.
   */
  async recognise(request: FastifyRequest, reply: FastifyReply) {
    const hash = hashCallback((request.params as { token: string }).token)
    if (this.#wrong.has(hash)) return sendRefusal(reply, UNKNOWN)
    const known = this.#right.get(hash)
    if (known && !this.#enter(known.carrierId, reply)) return sendRefusal(reply, TOO_MANY)
    const carrier = await this.#find(hash)
    if (carrier === 'busy') return sendRefusal(reply, BUSY)
    const receipts = carrier?.http.description.receipts
    if (!carrier || receipts?.kind !== 'callback') return sendRefusal(reply, UNKNOWN)
    this.#names.set(carrier.id, carrier.name)
    if (!known && !this.#enter(carrier.id, reply)) return sendRefusal(reply, TOO_MANY)
    request.callback = { carrier, receipts }
  }

  async record(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    if (!request.callback) throw new Error('a call without its carrier was let in')
    const { carrier, receipts } = request.callback
    const { check, reading, answer } = receipts
    const call = callOf(request, serviceAddress(request, this.#options.publicUrl))
    if (check && !isCarriers(call, check, httpSecretsOf(this.#ports, carrier))) {
      this.#logRefused(carrier.id, 'check')
      return sendRefusal(reply, NOT_THE_CARRIERS)
    }
    const read = readReceipts(call, reading)
    if (read.unreadable > 0) this.#logRefused(carrier.id, 'unreadable', { reports: read.unreadable })
    if (read.receipts.length === 0 && read.unreadable > 0) return sendRefusal(reply, UNREADABLE)
    if (!(await this.#store(carrier, read.receipts))) return sendRefusal(reply, NOT_STORED)
    for (const { status, state } of read.receipts)
      this.#options.receipts.heard({ carrier, status, state, isKnown: isKnownIn(reading, state) })
    return reply.code(answer.status).type(`${answer.type}; charset=utf-8`).send(answer.body)
  }

  capture(request: FastifyRequest, reply: FastifyReply, payload: unknown): void {
    if (!request.callback) return
    const { carrier, receipts } = request.callback
    const { captures } = this.#options
    const exchange = ++this.#captured
    const whole = () => ({ exchange, receipts, secrets: httpSecretsOf(this.#ports, carrier) })
    captures.add(carrier.id, () => captureCall(request, whole()))
    captures.add(carrier.id, () => captureReply(reply, payload, whole()))
  }

  async #store(carrier: HttpCarrier, receipts: readonly ReadReceipt[]): Promise<boolean> {
    const heard = { carrierId: carrier.id, byText: false, receivedAt: this.#ports.clock.now() }
    const reports = receipts.map((it) => ({ ...it, ...heard, id: this.#ports.ids.next() }))
    try {
      await Promise.all(reports.map((report) => this.#lane.add({ kind: 'report', report })))
    } catch (fault) {
      this.#calls.inc({ outcome: 'not_stored' })
      if (!isAway(fault))
        this.#options.log.error({ err: fault, carrier: carrier.name }, 'a receipt could not be stored')
      return false
    }
    this.#calls.inc({ outcome: 'stored' })
    return true
  }

  async #find(hash: string): Promise<HttpCarrier | null | 'busy'> {
    const look = () => findCarrierByCallback(this.#ports.db, hash)
    const found = this.#right.get(hash) ? await look() : await this.#bounds.lookForStranger(look)
    if (found === 'busy') return found
    if (found) this.#right.set(hash, { carrierId: found.id })
    else {
      this.#right.forget(hash)
      this.#wrong.add(hash)
    }
    return found
  }

  /** Among the calls of its carrier until it is answered or hung up on; false where these are too many. */
  #enter(carrierId: string, reply: FastifyReply): boolean {
    const leave = this.#bounds.enter(carrierId)
    if (leave) reply.raw.once('close', leave)
    else this.#logRefused(carrierId, 'too_many')
    return leave !== null
  }

  #logRefused(carrierId: string, why: keyof typeof WHY, fields: object = {}): void {
    this.#calls.inc({ outcome: why })
    if (why !== 'too_many') this.#options.receipts.unread(carrierId)
    if (this.#logged.get(`${carrierId} ${why}`)) return
    this.#logged.set(`${carrierId} ${why}`, true)
    this.#options.log.warn(
      { carrier: this.#names.get(carrierId), why, meaning: WHY[why], ...fields },
      'a call of a carrier with receipts was refused',
    )
  }
}
