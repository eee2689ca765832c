// Serves the OpenAPI documents, without authentication.
import type { FastifyInstance } from 'fastify'
import { type PublicUrl, printableAddress } from '../address.ts'

/** The path of a document, and its title in the reference. */
export interface DocumentAddress {
  title: string
  path: string
}

export const REFERENCE_ROOT = '/docs/reference'

/** Placeholder in a cached document for the address of the service, which depends on the request. */
const HERE = 'http://here.invalid'

/** Built once, at the first request. `build` gets the address of the service for the example commands. */
export function serveDocument(
  app: FastifyInstance,
  { path, publicUrl, build }: { path: string; publicUrl: PublicUrl; build: (address: string) => object },
): void {
  let document: string | undefined
  app.get(path, async (request, reply) => {
    document ??= JSON.stringify(build(HERE))
    const here = document.replaceAll(HERE, printableAddress(request, publicUrl))
    return reply.type('application/json; charset=utf-8').header('access-control-allow-origin', '*').send(here)
  })
}
