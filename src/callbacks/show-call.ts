// A call of a carrier and our answer, as people may see them (D60): without the address, which is a secret, and without codes.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { UnnumberedFrame } from '../actions/carriers/captures.ts'
import type { HttpCarrier } from '../domain/carriers/carrier.ts'
import { CALLBACK_ROUTE } from '../domain/carriers/http/callback.ts'
import type { ReceiptCallback } from '../domain/carriers/http/receipts.ts'
import { hider } from '../domain/carriers/http/secrets.ts'
import { NOTHING_READ, placesOfReceipts } from '../domain/carriers/http/shown-call.ts'
import { HIDDEN, hiderOf } from '../domain/carriers/http/wire/hide.ts'
import { showMessage, showPath } from '../domain/carriers/http/wire/http-message.ts'
import type { HttpSecrets } from '../domain/carriers/secrets.ts'

interface ShownCall {
  exchange: number
  carrier: HttpCarrier
  receipts: ReceiptCallback
  secrets: HttpSecrets
}

/** No bind of ours. */
const BY_THE_CARRIER = { bind: 0, called: true }

export function captureRequest(request: FastifyRequest, { exchange, ...of }: ShownCall): UnnumberedFrame {
  const { url = '' } = request.raw
  const queryAt = url.indexOf('?')
  const { hide, places } = readingOf(of)
  const path = showPath(
    `${CALLBACK_ROUTE.replace(':token', HIDDEN)}${queryAt < 0 ? '' : url.slice(queryAt)}`,
    hide,
    places.query,
  )
  const { method, headers } = request
  const body = Buffer.isBuffer(request.body) ? request.body : null
  const { bytes, ...shown } = showMessage({ firstLine: `${method} ${path} HTTP/1.1`, headers, body }, hide, places)
  return { ...BY_THE_CARRIER, exchange, outgoing: false, bytes, decoded: { method, path, ...shown } }
}

export function captureAnswer(reply: FastifyReply, payload: unknown, { exchange, ...of }: ShownCall): UnnumberedFrame {
  const { hide } = readingOf(of)
  const status = reply.statusCode
  const headers = Object.fromEntries(Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]))
  const body = typeof payload === 'string' ? Buffer.from(payload) : null
  const { bytes, ...shown } = showMessage({ firstLine: `HTTP/1.1 ${status}`, headers, body }, hide, NOTHING_READ)
  const milliseconds = Math.round(reply.elapsedTime)
  return { ...BY_THE_CARRIER, exchange, outgoing: true, bytes, decoded: { status, ...shown, milliseconds } }
}

function readingOf({ carrier, receipts: { check, reading }, secrets }: Omit<ShownCall, 'exchange'>) {
  const opens = check === null || check.kind === 'basic' ? [] : [check.kind === 'hmac' ? check.header : check.name]
  const hide = hiderOf({
    own: [],
    texts: [],
    opens,
    hideSecrets: hider(secrets, carrier.http.description.auth),
  })
  return { hide, places: placesOfReceipts(reading) }
}
