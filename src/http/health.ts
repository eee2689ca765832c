// Is it alive, is it ready, how does it do: for load balancers and Prometheus.
import type { FastifyInstance } from 'fastify'
import { VERSION } from '../runtime/version.ts'

export interface Health {
  /** Why the process should get no traffic now, or null when it should. */
  unreadyBecause: () => Promise<string | null>
  /** Of all processes that serve this address, in the format of Prometheus. */
  readMetrics: () => Promise<string>
  metricsType: string
}

export function mountHealth(app: FastifyInstance, { unreadyBecause, readMetrics, metricsType }: Health): void {
  app.get('/livez', async () => ({ status: 'ok' }))

  app.get('/readyz', async (_request, reply) => {
    const reason = await unreadyBecause()
    if (reason === null) return { status: 'ready', version: VERSION }
    return reply.code(503).send({ status: 'not ready', reason, version: VERSION })
  })

  app.get('/metrics', async (_request, reply) => reply.type(metricsType).send(await readMetrics()))
}
