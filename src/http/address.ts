// Where the service is to whoever asks: its public address where one is set, else the one that was asked for.
import type { FastifyRequest } from 'fastify'

/** HULAKI_PUBLIC_URL. */
export type PublicUrl = URL | null

/** Where a start listens that nobody told otherwise; the documentation is written with it. */
export const USUAL_ADDRESS = 'http://127.0.0.1:8080'

const A_HOST = /^(?:[a-z\d][a-z\d._-]{0,252}|\[[a-f\d:.]{2,45}\])(?::\d{1,5})?$/i

export function addressOf(request: FastifyRequest, publicUrl: PublicUrl): string {
  return publicUrl?.origin ?? `${request.protocol}://${request.host}`
}

/** As commands to be pasted print it: a Host header is anybody's words, so one that is no plain host is not repeated. */
export function printedAddress(request: FastifyRequest, publicUrl: PublicUrl): string {
  const isPlain = publicUrl !== null || (A_HOST.test(request.host ?? '') && /^https?$/.test(request.protocol))
  return isPlain ? addressOf(request, publicUrl) : USUAL_ADDRESS
}
