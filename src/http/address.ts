// The address of the service as a caller sees it: HULAKI_PUBLIC_URL, or else the address of the request.
import type { FastifyRequest } from 'fastify'

/** HULAKI_PUBLIC_URL. */
export type PublicUrl = URL | null

/** The listening address without settings. The documentation uses it in its commands. */
export const DEFAULT_ADDRESS = 'http://127.0.0.1:8080'

const PLAIN_HOST = /^(?:[a-z\d][a-z\d._-]{0,252}|\[[a-f\d:.]{2,45}\])(?::\d{1,5})?$/i

export function serviceAddress(request: FastifyRequest, publicUrl: PublicUrl): string {
  return publicUrl?.origin ?? `${request.protocol}://${request.host}`
}

/** For commands that people paste: a Host header can contain anything, so only a plain host is repeated. */
export function printableAddress(request: FastifyRequest, publicUrl: PublicUrl): string {
  const isPlain = publicUrl !== null || (PLAIN_HOST.test(request.host ?? '') && /^https?$/.test(request.protocol))
  return isPlain ? serviceAddress(request, publicUrl) : DEFAULT_ADDRESS
}
