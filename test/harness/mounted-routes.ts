// Every route of the management API, as Fastify knows it.
import type { FastifyInstance, FastifySchema } from 'fastify'
import type { Ports } from '../../src/actions/ports.ts'
import type { Permission } from '../../src/domain/permission.ts'
import { createServer } from '../../src/http/server.ts'
import { MANAGE_ROOT, mountManagement } from '../../src/manage/routes.ts'
import { createLog } from '../../src/runtime/log.ts'
import { Metrics } from '../../src/runtime/metrics.ts'

export interface MountedRoute {
  method: string
  path: string
  permission: Permission
  schema: FastifySchema
}

/** Beside the calls, what anybody may read without a token. Nothing is asked of the ports until a request comes. */
export async function mountedRoutes(ports: Ports): Promise<{ routes: MountedRoute[]; open: string[] }> {
  const routes: MountedRoute[] = []
  const open: string[] = []
  const app = emptyServer(ports)
  app.addHook('onRoute', ({ method, path, config, schema = {} }) => {
    if (method === 'HEAD') return
    if (config?.permission) routes.push({ method: String(method), path, permission: config.permission, schema })
    else open.push(path)
  })
  mountManagement(app, ports, {
    operatorToken: 'x',
    isAllowedReceiver: () => false,
    advanceClock: async () => new Date(),
    simulator: {
      handsets: async () => ({ items: [], replies: [] }),
      write: async () => true,
      endings: async () => [],
    },
  })
  await app.ready()
  await app.close()
  return { routes: routes.map((it) => ({ ...it, path: it.path.slice(MANAGE_ROOT.length) })), open }
}

export function emptyServer({ ids }: Ports): FastifyInstance {
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
