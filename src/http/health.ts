// Liveness, readiness and metrics endpoints, for load balancers and Prometheus.
import { hash as digest, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { VERSION } from '../runtime/version.ts'

interface HealthOptions {
  /** Why the process should get no traffic, or null if it should. */
  unreadyReason: () => Promise<string | null>
  /** null if /metrics has its own listener. */
  answerMetrics: MetricsHandler | null
}

export function mountHealth(app: FastifyInstance, { unreadyReason, answerMetrics }: HealthOptions): void {
  app.get('/livez', async () => ({ status: 'ok' }))

  app.get('/readyz', async (_request, reply) => {
    const reason = await unreadyReason()
    if (reason === null) return { status: 'ready', version: VERSION }
    return reply.code(503).send({ status: 'not ready', reason, version: VERSION })
  })

  if (answerMetrics)
    app.get('/metrics', async (request, reply) => {
      const { status, headers, body } = await answerMetrics(request.headers.authorization)
      return reply.code(status).headers(headers).send(body)
    })
}

interface MetricsAnswer {
  status: number
  headers: Record<string, string>
  body: Buffer
}

export type MetricsHandler = (authorization: string | undefined) => Promise<MetricsAnswer>

interface MetricsSource {
  /** Metrics of all processes that serve this address, in the Prometheus format. */
  readMetrics: () => Promise<string>
  type: string
  /** null: no token is needed. */
  token: string | null
}

export function createMetricsHandler({ readMetrics, type, token }: MetricsSource): MetricsHandler {
  const hashOf = (text: string) => digest('sha256', text, 'buffer')
  const allowed = token === null ? null : hashOf(`bearer ${token}`)
  const read = cacheForOneSecond(async () => Buffer.from(await readMetrics()))
  return async (authorization = ''): Promise<MetricsAnswer> => {
    const given = hashOf(authorization.replace(/^bearer +/i, 'bearer '))
    if (allowed && !timingSafeEqual(given, allowed))
      return { status: 401, headers: { 'www-authenticate': 'Bearer' }, body: Buffer.from('Missing or wrong token\n') }
    return { status: 200, headers: { 'content-type': type }, body: await read() }
  }
}

/** Metrics take tens of milliseconds to compute, so all callers share one result per second. */
export function cacheForOneSecond<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let latest = { value: null as Promise<Value> | null, isOldAt: 0 }
  return () => {
    if (latest.value && performance.now() < latest.isOldAt) return latest.value
    const value = read()
    const current = { value, isOldAt: Number.POSITIVE_INFINITY }
    latest = current
    const expireAfter = (ms: number) => () => {
      current.isOldAt = performance.now() + ms
    }
    value.then(expireAfter(1000), expireAfter(0))
    return value
  }
}

/** Serves /metrics on its own port. Returns a function that closes it. */
export async function listenForMetrics(
  answerMetrics: MetricsHandler,
  { port, host }: { port: number; host: string },
): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    if (request.url?.split('?')[0] !== '/metrics') return void response.writeHead(404).end()
    answerMetrics(request.headers.authorization).then(
      ({ status, headers, body }) => response.writeHead(status, headers).end(body),
      () => response.writeHead(503).end(),
    )
  })
  server.listen(port, host)
  await once(server, 'listening')
  return async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
}
