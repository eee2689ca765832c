// Delivery-receipt callbacks of HTTP carriers. The address identifies the carrier (D52); the answer follows the commit (D53).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Captures } from '../actions/carriers/captures.ts'
import { decryptHttpSecrets } from '../actions/carriers/carrier-secrets.ts'
import type { ReceiptTally } from '../actions/carriers/receipt-tally.ts'
import { type CarrierEventLane, createCarrierEventLane } from '../actions/carriers/record-carrier-events.ts'
import type { Ports } from '../actions/ports.ts'
import type { HttpCarrier } from '../domain/carriers/carrier.ts'
import { isAuthenticCallback } from '../domain/carriers/http/authenticate-callback.ts'
import { CALLBACK_ROUTE, hashCallback } from '../domain/carriers/http/callback.ts'
import { decompress } from '../domain/carriers/http/content.ts'
import { RECEIPT_BOUNDS, type ReceiptCallback } from '../domain/carriers/http/description.ts'
import { isKnownIn, type ReadReceipt, readReceipts } from '../domain/carriers/http/read-receipts.ts'
import { refuse } from '../domain/refusals.ts'
import { type PublicUrl, serviceAddress } from '../http/address.ts'
import { sendRefusal, UNKNOWN_PATH } from '../http/reply.ts'
import { WrongSecrets } from '../http/wrong-secrets.ts'
import type { Log } from '../runtime/log.ts'
import type { Metrics } from '../runtime/metrics.ts'
import { RecentMap } from '../runtime/recent.ts'
import { findCarrierByCallback } from '../store/carriers/carriers.ts'
import { isAway } from '../store/database/db.ts'
import { CallBounds } from './bounds.ts'
import { callOf, captureCall, captureReply } from './call.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The carrier of the address. */
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

const BUSY = refuse('unavailable', { error: 'The service is busy; try again', retryAfterSeconds: 1 })
const TOO_MANY = refuse('rate_limited', { error: 'Too many calls at once; try again', retryAfterSeconds: 1 })
const UNVERIFIED = refuse('unauthorized', { error: 'The secret or signature of the call is missing or wrong' })
const UNREADABLE = refuse('invalid_request', {
  error: `The call contains no readable report; it may contain up to ${RECEIPT_BOUNDS.reportsPerCall}`,
})
const NOT_STORED = refuse('unavailable', { error: 'The reports were not stored; try again', retryAfterSeconds: 1 })

const MAX_KNOWN = 1_000
const LOG_AGAIN_MS = 5 * 60_000

/** Explains the outcome label of the counter in the log. */
const MEANING = {
  too_many: 'too many calls at once or per second',
  check: 'missing or wrong secret or signature',
  unreadable: 'reports do not match the description of the carrier',
} as const

export function mountCallbacks(server: FastifyInstance, ports: Ports, options: CallbackOptions): void {
  const callbacks = new Callbacks(ports, options)
  server.register(async (app) => {
    app.decorateRequest('callback', null)
    app.addHook('onSend', async (request, reply, payload) => callbacks.capture(request, reply, payload))
    app.removeAllContentTypeParsers()
    // A body that cannot be decompressed is passed on and refused as unreadable.
    app.addContentTypeParser('*', { parseAs: 'buffer' }, ({ headers }, bytes: Buffer, done) =>
      done(null, decompress(bytes, headers['content-encoding']) ?? bytes),
    )
    app.route({
      method: ['GET', 'POST', 'PUT'],
      url: CALLBACK_ROUTE,
      onRequest: (request, reply) => callbacks.identify(request, reply),
      handler: (request, reply) => callbacks.record(request, reply),
    })
  })
}

class Callbacks {
  readonly #ports: Ports
  readonly #options: CallbackOptions
  readonly #lane: CarrierEventLane
  readonly #calls: ReturnType<Metrics['counter']>
  readonly #bounds = new CallBounds()
  readonly #wrong = new WrongSecrets()
  /** Names by id of the carriers that called. */
  readonly #names = new Map<string, string>()
  /** Addresses that were valid at their last lookup. They skip the limit on unknown addresses, but are looked up every time. */
  readonly #valid = new RecentMap<{ carrierId: string }>({ most: MAX_KNOWN })
  readonly #logged = new RecentMap<true>({ most: MAX_KNOWN, forMs: LOG_AGAIN_MS })
  #captured = 0

  constructor(ports: Ports, options: CallbackOptions) {
    this.#ports = ports
    this.#options = options
    this.#lane = createCarrierEventLane(ports, {
      metrics: options.metrics,
      onReceipts: (receipts) => options.receipts.countFirstReceipts(receipts, (id) => this.#names.get(id)),
    })
    const calls = 'Delivery-receipt callbacks of carriers, by outcome.'
    this.#calls = options.metrics.counter('carrier_callbacks_total', calls, ['outcome'])
  }

  /** Runs before the body is read, so that unknown callers and calls over the limit cost little. */
  async identify(request: FastifyRequest, reply: FastifyReply) {
    const hash = hashCallback((request.params as { token: string }).token)
    if (this.#wrong.has(hash)) return sendRefusal(reply, UNKNOWN_PATH)
    const known = this.#valid.get(hash)
    if (known && !this.#enter(known.carrierId, reply)) return sendRefusal(reply, TOO_MANY)
    const carrier = await this.#find(hash)
    if (carrier === 'busy') return sendRefusal(reply, BUSY)
    const receipts = carrier?.http.description.receipts
    if (!carrier || receipts?.kind !== 'callback') return sendRefusal(reply, UNKNOWN_PATH)
    this.#names.set(carrier.id, carrier.name)
    if (!known && !this.#enter(carrier.id, reply)) return sendRefusal(reply, TOO_MANY)
    request.callback = { carrier, receipts }
  }

  async record(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    if (!request.callback) throw new Error('a callback has no carrier')
    const { carrier, receipts } = request.callback
    const { check, reading, answer } = receipts
    const call = callOf(request, serviceAddress(request, this.#options.publicUrl))
    if (check && !isAuthenticCallback(call, check, decryptHttpSecrets(this.#ports, carrier))) {
      this.#logRefused(carrier.id, 'check')
      return sendRefusal(reply, UNVERIFIED)
    }
    const read = readReceipts(call, reading)
    if (read.unreadable > 0) this.#logRefused(carrier.id, 'unreadable', { reports: read.unreadable })
    if (read.receipts.length === 0 && read.unreadable > 0) return sendRefusal(reply, UNREADABLE)
    if (!(await this.#store(carrier, read.receipts))) return sendRefusal(reply, NOT_STORED)
    for (const { status, state } of read.receipts)
      this.#options.receipts.countReport({ carrier, status, state, isKnown: isKnownIn(reading, state) })
    return reply.code(answer.status).type(`${answer.type}; charset=utf-8`).send(answer.body)
  }

  capture(request: FastifyRequest, reply: FastifyReply, payload: unknown): void {
    if (!request.callback) return
    const { carrier, receipts } = request.callback
    const { captures } = this.#options
    const exchange = ++this.#captured
    const whole = () => ({ exchange, receipts, secrets: decryptHttpSecrets(this.#ports, carrier) })
    captures.add(carrier.id, () => captureCall(request, whole()))
    captures.add(carrier.id, () => captureReply(reply, payload, whole()))
  }

  async #store(carrier: HttpCarrier, receipts: readonly ReadReceipt[]): Promise<boolean> {
    const common = { carrierId: carrier.id, byText: false, receivedAt: this.#ports.clock.now() }
    const reports = receipts.map((it) => ({ ...it, ...common, id: this.#ports.ids.next() }))
    try {
      await Promise.all(reports.map((report) => this.#lane.add({ kind: 'report', report })))
    } catch (error) {
      this.#calls.inc({ outcome: 'not_stored' })
      if (!isAway(error)) this.#options.log.error({ err: error, carrier: carrier.name }, 'storing receipts failed')
      return false
    }
    this.#calls.inc({ outcome: 'stored' })
    return true
  }

  async #find(hash: string): Promise<HttpCarrier | null | 'busy'> {
    const lookUp = () => findCarrierByCallback(this.#ports.db, hash)
    const found = this.#valid.get(hash) ? await lookUp() : await this.#bounds.lookUpUnknown(lookUp)
    if (found === 'busy') return found
    if (found) this.#valid.set(hash, { carrierId: found.id })
    else {
      this.#valid.forget(hash)
      this.#wrong.add(hash)
    }
    return found
  }

  /** Counts the call until its connection closes. Returns false if the carrier is over its limit. */
  #enter(carrierId: string, reply: FastifyReply): boolean {
    const leave = this.#bounds.enter(carrierId)
    if (leave) reply.raw.once('close', leave)
    else this.#logRefused(carrierId, 'too_many')
    return leave !== null
  }

  #logRefused(carrierId: string, why: keyof typeof MEANING, fields: object = {}): void {
    this.#calls.inc({ outcome: why })
    if (why !== 'too_many') this.#options.receipts.countUnread(carrierId)
    if (this.#logged.get(`${carrierId} ${why}`)) return
    this.#logged.set(`${carrierId} ${why}`, true)
    const carrier = this.#names.get(carrierId)
    this.#options.log.warn({ carrier, why, meaning: MEANING[why], ...fields }, 'receipt callback refused')
  }
}
