// Receives the delivery status of codes: verified and deduplicated.
import { RecentDeliveries, verifyWebhook, WebhookRefused } from '@hulaki/client'
import { Memory } from './memory.js'

const DAY_MS = 24 * 60 * 60_000

/** @typedef {Memory<{ status: string, at: string }>} Statuses */

/** @returns {Statuses} */
export function makeStatuses() {
  return new Memory({ keepMs: DAY_MS, most: 100_000 })
}

/**
 * @param {import('fastify').FastifyInstance} app
 * @param {{ secret: string, statuses: Statuses }} parts
 */
export function serveWebhook(app, { secret, statuses }) {
  const deliveries = new RecentDeliveries()

  // The signature covers the raw bytes, so the body is not parsed here.
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

  app.post('/webhooks/hulaki', { bodyLimit: 64 * 1024 }, async (request, reply) => {
    const raw = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    try {
      const { event, isRepeated } = await verifyWebhook(raw, request.headers, secret, { deliveries })
      if (!isRepeated && event.type === 'message.status') keep(event)
    } catch (error) {
      if (!(error instanceof WebhookRefused)) throw error
      return reply.status(error.status).send(error.status === 400 ? { error: error.message } : undefined)
    }
    return reply.status(204).send()
  })

  /** @param {import('@hulaki/client').StatusEvent} event */
  function keep({ id, status, at }) {
    // After retries, an older event may arrive after a newer one.
    const known = statuses.get(id)
    if (known === null || known.at < at) statuses.set(id, { status, at })
  }
}
