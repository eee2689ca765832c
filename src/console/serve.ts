// Serves the console: one page for every path below /console, and its files, without authentication.
import type { FastifyInstance, FastifyReply } from 'fastify'
import { sendAsset } from '../http/assets.ts'
import { PAGE_HEADERS } from '../http/pages.ts'
import type { Log } from '../runtime/log.ts'
import { type Bundle, bundleConsole } from './bundle.ts'
import { pageFor, readChoices, unavailablePage } from './page.ts'

const CONSOLE_ROOT = '/console'
const ASSETS = `${CONSOLE_ROOT}/assets`

/** After a failure, such as a lack of memory. */
const RETRY_MS = 60_000

let bundle: Promise<Bundle> | null = null

/** Built once per service, while the database starts; workers get it from the primary. If the build fails, only the console answers 503. */
export function loadBundle(log: Log): Promise<Bundle> {
  bundle ??= bundleConsole().catch((error) => {
    log.error({ err: error }, 'console bundle failed, its pages answer 503')
    setTimeout(() => {
      bundle = null
    }, RETRY_MS).unref()
    throw error
  })
  return bundle
}

/** Builds ahead of the first request. A failure is logged by `loadBundle`. */
export function startBundling(log: Log): void {
  loadBundle(log).catch(() => {})
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
      if (!asset) return reply.code(404).type('text/plain').send('File not found. Reload the page.')
      return sendAsset(reply, asset)
    })
    const page = async (request: { headers: Record<string, unknown> }, reply: FastifyReply) => {
      const choices = readChoices(request.headers)
      reply.type('text/html; charset=utf-8').header('vary', 'cookie, accept-language')
      const made = await bundled().catch(() => null)
      if (!made) return reply.code(503).send(unavailablePage(choices))
      return reply.send(pageFor(made, ASSETS, choices))
    }
    app.get(CONSOLE_ROOT, page)
    app.get(`${CONSOLE_ROOT}/*`, page)
  })
}
