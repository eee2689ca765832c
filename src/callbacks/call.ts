// Reads a receipt callback regardless of its content type, and captures it without its secret address (D60).
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { UnnumberedFrame } from '../actions/carriers/captures.ts'
import type { CheckedCall } from '../domain/carriers/http/authenticate-callback.ts'
import { CALLBACK_ROUTE } from '../domain/carriers/http/callback.ts'
import {
  captureAnswer,
  captureRead,
  captureRequest,
  placesOfReceipts,
  shapeOfForm,
} from '../domain/carriers/http/capture.ts'
import { readBodyText, readJson } from '../domain/carriers/http/content.ts'
import type { ReceiptCallback } from '../domain/carriers/http/description.ts'
import type { ReceiptSource } from '../domain/carriers/http/receipt-place.ts'
import { createRedactors, NO_PRIVATE_PARTS } from '../domain/carriers/http/redact.ts'
import type { HttpSecrets } from '../domain/carriers/secrets.ts'

export function callOf(request: FastifyRequest, origin: string): CheckedCall & ReceiptSource {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  const { url = '' } = request.raw
  const queryAt = url.indexOf('?')
  return {
    url: `${origin}${url}`,
    header: (name) => {
      const value = request.headers[name.toLowerCase()]
      return typeof value === 'string' ? value : undefined
    },
    query: new URLSearchParams(queryAt < 0 ? '' : url.slice(queryAt + 1)),
    form: new URLSearchParams(readBodyText(body)),
    body,
    json: readJson(body),
  }
}

interface CapturedCall {
  exchange: number
  receipts: ReceiptCallback
  secrets: HttpSecrets
}

/** The carrier calls, so there is no bind. */
const BY_THE_CARRIER = { bind: 0, called: true }

export function captureCall(request: FastifyRequest, { exchange, receipts, secrets }: CapturedCall): UnnumberedFrame {
  const redactor = createRedactors(secrets)(NO_PRIVATE_PARTS)
  const { method, headers } = request
  const call = callOf(request, '')
  const body = Buffer.isBuffer(request.body) ? request.body : null
  const shown = { method, host: headers.host ?? '', path: CALLBACK_ROUTE, headers, body }
  const { bytes, decoded } = captureRequest(shown, redactor)
  const query = shapeOfForm(call.query, redactor)
  const read = captureRead(call, placesOfReceipts(receipts.reading), redactor)
  return { ...BY_THE_CARRIER, exchange, outgoing: false, bytes, decoded: { ...decoded, query, read } }
}

export function captureReply(
  reply: FastifyReply,
  payload: unknown,
  { exchange, secrets }: CapturedCall,
): UnnumberedFrame {
  const body = typeof payload === 'string' ? Buffer.from(payload) : null
  const answer = { status: reply.statusCode, headers: reply.getHeaders(), body }
  const { bytes, decoded } = captureAnswer(answer, createRedactors(secrets)(NO_PRIVATE_PARTS))
  const milliseconds = Math.round(reply.elapsedTime)
  return { ...BY_THE_CARRIER, exchange, outgoing: true, bytes, decoded: { ...decoded, milliseconds } }
}
