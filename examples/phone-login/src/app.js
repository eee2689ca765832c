// The app: pages with CSRF protection, the webhook endpoint, and the error page.
import { readFileSync } from 'node:fs'
import Fastify from 'fastify'
import { ForeignForm, guard } from './guard.js'
import { serveLogin } from './login.js'
import { errorPage } from './pages.js'
import { makeStatuses, serveWebhook } from './webhook.js'

const STYLE = readFileSync(new URL('../public/style.css', import.meta.url), 'utf8')

/**
 * @param {object} parts
 * @param {import('@hulaki/client').Hulaki} parts.hulaki
 * @param {string | null} parts.publicUrl
 * @param {string[]} parts.trustedProxies
 * @param {string | null} parts.webhookSecret
 * @param {string} parts.logLevel
 */
export function makeApp({ hulaki, publicUrl, trustedProxies, webhookSecret, logLevel }) {
  const app = Fastify({
    logger: { level: logLevel },
    bodyLimit: 4 * 1024,
    // Only trusted proxies may report the address of the person, which is passed to Hulaki and rate limited.
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
  })
  const statuses = makeStatuses()
  const isSecure = publicUrl?.startsWith('https:') ?? false

  app.removeAllContentTypeParsers()
  app.register(async (pages) => {
    guard(pages, publicUrl)
    pages.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
      done(null, new URLSearchParams(String(body))),
    )
    pages.get('/style.css', async (_request, reply) =>
      reply.headers({ 'content-type': 'text/css; charset=utf-8', 'cache-control': 'max-age=300' }).send(STYLE),
    )
    serveLogin(pages, { hulaki, statuses, isSecure })
    pages.setErrorHandler((error, request, reply) => {
      const status = statusOf(error)
      if (status >= 500) request.log.error(error)
      const problem = error instanceof ForeignForm ? 'That form came from another site.' : 'Something went wrong.'
      reply.status(status).type('text/html; charset=utf-8').send(errorPage(problem))
    })
  })
  if (webhookSecret) app.register(async (scope) => serveWebhook(scope, { secret: webhookSecret, statuses }))
  return app
}

/** @param {unknown} error */
function statusOf(error) {
  return error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
}
