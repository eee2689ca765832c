// Serves the OpenAPI documents and the API reference, without authentication and without the internet.
import { hash } from 'node:crypto'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { refuse } from '../../domain/refusals.ts'
import { type PublicUrl, printableAddress } from '../address.ts'
import { contentSecurityPolicy } from '../pages.ts'
import { sendRefusal } from '../reply.ts'

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

/** The reference opens with the first document. */
export function serveReference(server: FastifyInstance, documents: readonly DocumentAddress[]): void {
  server.register(async (app) => {
    // The reference builds a URL from the Host header, which can contain anything.
    app.addHook('onRequest', async (request, reply) => {
      if (!URL.canParse(`${request.protocol}://${request.hostname}`))
        return sendRefusal(
          reply,
          refuse('invalid_request', { error: 'The Host header is not valid; send a host name' }),
        )
    })
    app.addHook('onSend', async (_request, reply, sent) => {
      const page = typeof sent === 'string' ? withDocsLink(sent) : sent
      reply.header('content-security-policy', policyFor(typeof page === 'string' ? page : ''))
      reply.header('referrer-policy', 'no-referrer')
      // The page is large and changes only with a release, so browsers may cache it. Errors are not cached.
      if (reply.statusCode === 200) reply.removeHeader('cache-control')
      return page
    })
    let made: Promise<FastifyInstance> | undefined
    const show = async (request: FastifyRequest, reply: FastifyReply) => {
      made ??= makeReference(documents)
      const { statusCode, headers, payload, rawPayload } = await (await made).inject(request.url)
      const type = String(headers['content-type'] ?? '')
      if (headers.location) reply.header('location', headers.location)
      return reply
        .code(statusCode)
        .type(type)
        .send(type.startsWith('text/html') ? payload : rawPayload)
    }
    app.get(REFERENCE_ROOT, show)
    app.get(`${REFERENCE_ROOT}/js/scalar.js`, show)
  })
}

/** The reference is a third-party page; this bar links it to the other pages. */
const DOCS_LINK = `<style>
:root { --scalar-custom-header-height: 40px }
.way-back { position: sticky; top: 0; z-index: 10; height: 40px; padding: 0 24px; display: flex; align-items: center;
  font: 14px system-ui, sans-serif; background: var(--scalar-background-1, Canvas);
  border-bottom: 1px solid var(--scalar-border-color, GrayText) }
.way-back a { color: var(--scalar-color-1, CanvasText); text-underline-offset: 2px }
</style>
<nav class="way-back" aria-label="Documentation"><a href="/docs">← All documentation</a></nav>`

function withDocsLink(page: string): string {
  return page.replace('<div id="app"></div>', `${DOCS_LINK}\n<div id="app"></div>`)
}

/** The package has megabytes and hundreds of modules, so it is loaded at the first request, not at every start. */
async function makeReference(documents: readonly DocumentAddress[]): Promise<FastifyInstance> {
  const { default: apiReference } = await import('@scalar/fastify-api-reference')
  const reference = fastify({ routerOptions: { ignoreTrailingSlash: true } })
  reference.register(apiReference, {
    routePrefix: REFERENCE_ROOT,
    configuration: {
      sources: documents.map(({ title, path }) => ({ title, url: path })),
      pageTitle: documents[0]?.title ?? '',
      // The page makes no requests to other servers.
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
  return reference
}

/** Allows scripts of this server and the inline scripts of the page, by hash. */
function policyFor(page: string): string {
  const inline = [...page.matchAll(/<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs)].map(
    ([, script = '']) => `'sha256-${hash('sha256', script, 'base64')}'`,
  )
  return contentSecurityPolicy({
    'default-src': "'self'",
    'script-src': ["'self'", ...inline].join(' '),
    'style-src': "'self' 'unsafe-inline'",
    'object-src': "'none'",
    'form-action': "'none'",
    'require-trusted-types-for': null,
  })
}
