// The document at /api/sms/v1/openapi.json and the reference made from it at /docs, for everybody and without the internet.
import { hash } from 'node:crypto'
import apiReference from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'
import { buildDocument, type DocumentOptions } from './document.ts'
import type { Endpoint } from './endpoint.ts'

/** Where the document is found, beside what stands in it. */
interface Description extends DocumentOptions {
  path: string
}

export function serveDocument(
  app: FastifyInstance,
  endpoints: readonly Endpoint[],
  { path, ...options }: Description,
): void {
  let document: string | undefined
  app.get(path, async (_request, reply) => {
    document ??= JSON.stringify(buildDocument(endpoints, options))
    return reply.type('application/json; charset=utf-8').header('access-control-allow-origin', '*').send(document)
  })
}

export function serveReference(server: FastifyInstance, { path }: Pick<Description, 'path'>): void {
  server.register(async (app) => {
    app.addHook('onSend', async (_request, reply, page) => {
      reply.header('content-security-policy', policyFor(typeof page === 'string' ? page : ''))
      reply.header('referrer-policy', 'no-referrer')
      // The same for everybody until the next release, and large: a browser may keep it.
      reply.removeHeader('cache-control')
    })
    app.register(apiReference, {
      routePrefix: '/docs',
      configuration: {
        url: path,
        pageTitle: 'SMS and OTP API',
        // Nothing but this server is asked for anything.
        withDefaultFonts: false,
        telemetry: false,
        agent: { disabled: true },
        mcp: { disabled: true },
        showDeveloperTools: 'never',
        hideClientButton: true,
        persistAuth: false,
        defaultOpenAllTags: true,
      },
    })
  })
}

/** Only what comes from here runs, and of what stands in the page itself only the scripts it was made with. */
function policyFor(page: string): string {
  const inline = [...page.matchAll(/<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs)].map(
    ([, script = '']) => `'sha256-${hash('sha256', script, 'base64')}'`,
  )
  return [
    "default-src 'self'",
    `script-src ${["'self'", ...inline].join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
