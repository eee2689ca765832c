// The HTTP server of one process: health checks, and with the api role also APIs, callbacks, docs and console.
import type { FastifyInstance } from 'fastify'
import type { Captures } from '../actions/carriers/captures.ts'
import type { ReceiptTally } from '../actions/carriers/receipt-tally.ts'
import type { Ports } from '../actions/ports.ts'
import type { ReadinessCheck } from '../actions/service/check-readiness.ts'
import { preparePartitions } from '../actions/service/keep-partitions.ts'
import { createTryOut } from '../actions/service/try-out.ts'
import { API_DOCUMENT, mountApi } from '../api/routes.ts'
import { mountCallbacks } from '../callbacks/routes.ts'
import type { Bundle } from '../console/bundle.ts'
import { loadBundle, serveConsole } from '../console/serve.ts'
import { serveDocs } from '../docs/serve.ts'
import { compileNetworkList } from '../domain/network.ts'
import { refuse } from '../domain/refusals.ts'
import { type MetricsHandler, mountHealth } from '../http/health.ts'
import { sendRefusal } from '../http/reply.ts'
import { createServer } from '../http/server.ts'
import type { Gate } from '../http/shed.ts'
import { traceRequests } from '../http/trace-requests.ts'
import { Mail } from '../identity/mail.ts'
import { Oidc } from '../identity/oidc.ts'
import type { SimulatorPort } from '../manage/carriers/simulator.ts'
import type { SignInMethods } from '../manage/people/sign-in-methods.ts'
import { MANAGEMENT_DOCUMENT, mountManagement } from '../manage/service/routes.ts'
import { type Batching, USUAL_BATCHING } from '../runtime/batcher.ts'
import { type Clock, ManualClock } from '../runtime/clock.ts'
import type { Keyring } from '../runtime/keyring.ts'
import type { Log } from '../runtime/log.ts'
import type { ServiceRole } from '../runtime/loop.ts'
import type { Metrics } from '../runtime/metrics.ts'
import type { RpcRouter } from '../runtime/process-rpc.ts'
import type { Random } from '../runtime/random.ts'
import { Turns } from '../runtime/turns.ts'
import type { Simulator } from '../simulator/simulator.ts'
import { type Db, isUndone } from '../store/database/db.ts'
import { setManualClock } from '../store/service/service.ts'
import type { Config } from './config.ts'

export interface Parts {
  config: Config
  db: Db
  clock: Clock
  random: Random
  keyring: Keyring
  operatorToken: string
  log: Log
  metrics: Metrics
  rpc: RpcRouter
  /** false: worker processes listen instead. */
  listen: boolean
  /** Other processes listen on the same port. */
  sharesPort?: boolean
  /** Returns the sum over all processes. */
  readMetrics: () => Promise<string>
  /** Not in workers: the primary runs the metrics listener. */
  listensForMetrics?: boolean
  /** The simulator of another process of this service. */
  simulator?: SimulatorPort
  /** The console of another process of this service. */
  bundled?: () => Promise<Bundle>
  /** For tests and benchmarks. */
  batching?: Partial<Batching>
}

export interface State {
  /** Why /readyz responds 503. */
  reason: string | null
  roles: ServiceRole[]
  /** Ends long-lived responses, so that clients reconnect to another process. */
  draining: AbortController
  /** From now on every response closes its connection. */
  startDraining: () => void
}

/** With the default backlog the system drops connections of a burst. */
const LISTEN_BACKLOG = 4_096

function signInMethods({ publicUrl, oidc, mail }: Config): SignInMethods {
  return {
    publicUrl: publicUrl === null ? null : new URL(publicUrl),
    oidc: oidc && new Oidc(oidc),
    newcomersTo: oidc?.newcomersTo ?? null,
    mail: mail && new Mail(mail),
  }
}

export interface StartedParts {
  state: State
  heartbeat: ReadinessCheck
  simulator: SimulatorPort | null
  /** null: another process runs the simulator, or none does. */
  ownSimulator: Simulator | null
  captures: Captures
  receipts: ReceiptTally
  answerMetrics: MetricsHandler
}

/** The paths that use the database. */
const DATABASE_PATHS = /^\/(api|carriers)\//

const STOPPED = refuse('unavailable', {
  error: 'This process has stopped its work; nothing was charged',
  retryAfterSeconds: 1,
})

export async function serve(parts: Parts, ports: Ports, surroundings: StartedParts): Promise<FastifyInstance> {
  const { config, log, metrics } = parts
  const { trustedProxies, tls } = config
  const gate: Gate = { isShutFor: () => false, isCrowded: () => false }
  const { app, startDraining } = createServer({
    log,
    ids: ports.ids,
    metrics,
    trustedProxies,
    tls: tls?.pair ?? null,
    gate,
    isOutage: isUndone,
  })
  surroundings.state.startDraining = startDraining
  const { state, heartbeat, answerMetrics } = surroundings
  const unreadyReason = async () => state.reason ?? (await heartbeat.unreadyReason())
  // Before every route: it must not read or write with an old schema, or in a database that was moved.
  app.addHook('onRequest', (request, reply, done) => {
    if (heartbeat.hasStopped && DATABASE_PATHS.test(request.url)) sendRefusal(reply, STOPPED)
    else done()
  })
  if (ports.tracer) traceRequests(app, ports.tracer)
  mountHealth(app, { unreadyReason, answerMetrics: config.metrics.port === null ? answerMetrics : null })
  if (config.roles.includes('api')) mountApis(app, ports, { ...parts, ...surroundings, gate })
  return app
}

export function startListening(app: FastifyInstance, { config: { port, host }, sharesPort }: Parts): Promise<string> {
  const alone = sharesPort ? { reusePort: true, exclusive: true } : {}
  return app.listen({ port, host, backlog: LISTEN_BACKLOG, ...alone })
}

type MountContext = Omit<Parts, 'simulator'> & StartedParts & { gate: Gate }

function mountApis(app: FastifyInstance, ports: Ports, parts: MountContext): void {
  const { config, clock, db, log, operatorToken, state, simulator } = parts
  const ways = signInMethods(config)
  const lanes = mountApi(app, ports, {
    log,
    metrics: parts.metrics,
    batching: { ...USUAL_BATCHING, ...parts.batching },
    gate: parts.gate,
    publicUrl: ways.publicUrl,
  })
  const advanceClock = clock instanceof ManualClock ? createClockAdvancer(clock, db, () => state.roles) : null
  mountManagement(app, ports, {
    operatorToken,
    ways,
    advanceClock,
    simulator,
    tryOut: createTryOut(ports, lanes),
    leaving: state.draining.signal,
    isAllowedEndpoint: compileNetworkList(config.webhookAllowedNetworks),
    isAllowedCarrier: compileNetworkList(config.carrierAllowedNetworks),
  })
  const { receipts, captures } = parts
  mountCallbacks(app, ports, { log, metrics: parts.metrics, publicUrl: ways.publicUrl, receipts, captures })
  serveDocs(app, { documents: [API_DOCUMENT, MANAGEMENT_DOCUMENT], publicUrl: ways.publicUrl })
  serveConsole(app, parts.bundled ?? (() => loadBundle(log)))
}

/** Advances the clock in steps and lets every role finish its due work after each step. Calls run one after another. */
function createClockAdvancer(
  clock: ManualClock,
  db: Db,
  roles: () => ServiceRole[],
): (seconds: number) => Promise<Date> {
  const turns = new Turns()
  const settle = async () => {
    for (let worked = true; worked; ) {
      worked = false
      for (const role of roles()) worked = (await role.settle()) || worked
    }
  }
  const advance = async (seconds: number) => {
    const target = new Date(clock.now().getTime() + seconds * 1000)
    await preparePartitions(db, target)
    await clock.advanceTo(target, settle)
    await setManualClock(db, target)
    return target
  }
  return (seconds) => turns.run('clock', () => advance(seconds))
}

export function listeningUrl(app: FastifyInstance): string {
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no address')
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
  const scheme = 'setSecureContext' in app.server ? 'https' : 'http'
  return `${scheme}://${host === '0.0.0.0' || host === '[::]' ? 'localhost' : host}:${address.port}`
}
