// Serves the console: one page for every address below /console, and what it loads. Nothing of it is secret, and nothing of the
// APIs waits for it: where it cannot be bundled, the console alone answers 503.
import type { FastifyInstance, FastifyReply } from 'fastify'
import { PAGE_HEADERS } from '../http/pages.ts'
import type { Log } from '../runtime/log.ts'
import { type Asset, type Bundle, bundleConsole } from './bundle.ts'
import { pageFor, readChoices, sorryPage } from './page.ts'

const CONSOLE_ROOT = '/console'
const ASSETS = `${CONSOLE_ROOT}/assets`

let bundle: Promise<Bundle> | null = null

/** Once per process, when it is wanted first: a start asks for it while the database starts. */
export function wantBundle(log: Log): Promise<Bundle> {
  bundle ??= bundleConsole().catch((fault) => {
    log.error({ err: fault }, 'the console cannot be bundled; its pages answer 503')
    throw fault
  })
  return bundle
}

/** Bundles ahead of the first request. A failure is logged where it happens. */
export function beginBundle(log: Log): void {
  wantBundle(log).catch(() => {})
}

export function serveConsole(server: FastifyInstance, bundled: () => Promise<Bundle>): void {
  server.get('/', async (_request, reply) => reply.redirect(CONSOLE_ROOT))
  server.register(async (app) => {
    app.addHook('onRequest', (_request, reply, done) => {
      reply.headers(PAGE_HEADERS)
      done()
    })
    app.get<{ Params: { name: string } }>(`${ASSETS}/:name`, async (request, reply) => {
      const asset = (await bundled().catch(() => null))?.assets.get(request.params.name)
      if (!asset) return reply.code(404).type('text/plain').send('There is no such file; load the page again.')
      return sendAsset(reply, asset, String(request.headers['accept-encoding'] ?? ''))
    })
    const page = async (request: { headers: Record<string, unknown> }, reply: FastifyReply) => {
      const choices = readChoices(request.headers)
      reply.type('text/html; charset=utf-8').header('vary', 'cookie, accept-language')
      const made = await bundled().catch(() => null)
      if (!made) return reply.code(503).send(sorryPage(choices))
      return reply.send(pageFor(made, ASSETS, choices))
    }
    app.get(CONSOLE_ROOT, page)
    app.get(`${CONSOLE_ROOT}/*`, page)
  })
}

/** The name changes with what is in it, so a browser may keep it for good. */
function sendAsset(reply: FastifyReply, { type, plain, gzip, brotli }: Asset, accepted: string): FastifyReply {
  reply.type(type).header('cache-control', 'public, max-age=31536000, immutable').header('vary', 'accept-encoding')
  if (/\bbr\b/.test(accepted)) return reply.header('content-encoding', 'br').send(brotli)
  if (/\bgzip\b/.test(accepted)) return reply.header('content-encoding', 'gzip').send(gzip)
  return reply.send(plain)
}
