// A call of a carrier, as receipts are read from it: whatever it says of its own content type.
import type { FastifyRequest } from 'fastify'
import type { CheckedCall } from '../domain/carriers/http/check-receipts.ts'
import { readJson, textOf } from '../domain/carriers/http/content.ts'
import type { ReceiptSource } from '../domain/carriers/http/receipt-place.ts'

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
    form: new URLSearchParams(textOf(body)),
    body,
    json: readJson(body),
  }
}
