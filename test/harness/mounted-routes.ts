// All routes and OpenAPI documents of the APIs, without a database.
import type { FastifyInstance, FastifySchema } from 'fastify'
import type { Ports } from '../../src/actions/ports.ts'
import { API_DOCUMENT, mountApi } from '../../src/api/routes.ts'
import type { Permission } from '../../src/domain/people/permission.ts'
import { refuse } from '../../src/domain/refusals.ts'
import { createServer } from '../../src/http/server.ts'
import { MANAGE_ROOT, MANAGEMENT_DOCUMENT, mountManagement } from '../../src/manage/service/routes.ts'
import { USUAL_BATCHING } from '../../src/runtime/batcher.ts'
import { ManualClock } from '../../src/runtime/clock.ts'
import { Ids } from '../../src/runtime/ids.ts'
import { createLog } from '../../src/runtime/log.ts'
import { Metrics } from '../../src/runtime/metrics.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import type { OpenApiDocument } from './described-calls.ts'

interface MountedRoute {
  method: string
  path: string
  permission: Permission
  schema: FastifySchema
}

/** Includes public routes. The ports are not used before a request. */
export async function mountedRoutes(ports: Ports): Promise<{ routes: MountedRoute[]; open: string[] }> {
  const routes: MountedRoute[] = []
  const open: string[] = []
  const app = emptyServer(ports)
  app.addHook('onRoute', ({ method, path, config, schema = {} }) => {
    if (method === 'HEAD') return
    if (config?.permission) routes.push({ method: String(method), path, permission: config.permission, schema })
    else open.push(path)
  })
  mountAll(app, ports)
  await app.ready()
  await app.close()
  return { routes: routes.map((it) => ({ ...it, path: it.path.slice(MANAGE_ROOT.length) })), open }
}

/** The OpenAPI document of the management API. */
export async function managementDocument(): Promise<OpenApiDocument> {
  const ids = new Ids(new ManualClock(new Date(0)), systemRandom)
  const ports = { ids } as Ports
  const app = emptyServer(ports)
  mountAll(app, ports)
  const answer = await app.inject(MANAGEMENT_DOCUMENT.path)
  await app.close()
  return answer.json()
}

/** The OpenAPI document of the v1 API. */
export async function apiDocument(): Promise<OpenApiDocument> {
  const clock = new ManualClock(new Date(0))
  const ports = { clock, ids: new Ids(clock, systemRandom), vendor: 'svc' } as Partial<Ports> as Ports
  const app = emptyServer(ports)
  const gate = { isShutFor: () => false, isCrowded: () => false }
  mountApi(app, ports, {
    log: createLog('silent'),
    metrics: new Metrics(),
    batching: USUAL_BATCHING,
    gate,
    publicUrl: null,
  })
  const answer = await app.inject(API_DOCUMENT.path)
  await app.close()
  return answer.json()
}

function mountAll(app: FastifyInstance, ports: Ports): void {
  mountManagement(app, ports, {
    operatorToken: 'x',
    ways: { publicUrl: null, oidc: null, newcomersTo: null, mail: null },
    isAllowedEndpoint: () => false,
    isAllowedCarrier: () => false,
    tryOut: {
      sendMessage: async () => refuse('not_found'),
      sendCode: async () => refuse('not_found'),
      triggerEvent: async () => refuse('not_found'),
      verifyCode: async () => refuse('not_found'),
    },
    advanceClock: async () => new Date(),
    simulator: {
      handsets: async () => ({ items: [], replies: [] }),
      write: async () => true,
      outcomes: async () => [],
    },
    leaving: new AbortController().signal,
  })
}

export function emptyServer({ ids }: Pick<Ports, 'ids'>): FastifyInstance {
  const { app } = createServer({
    log: createLog('silent'),
    ids,
    metrics: new Metrics(),
    trustedProxies: [],
    tls: null,
    gate: { isShutFor: () => false, isCrowded: () => false },
    isOutage: () => false,
  })
  return app
}
