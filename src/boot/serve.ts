// The HTTP server of one process: health for every process, and the APIs, callbacks, docs and console where it has the role api.
import type { FastifyInstance } from 'fastify'
import type { Captures } from '../actions/carriers/captures.ts'
import type { ReceiptTally } from '../actions/carriers/receipt-tally.ts'
import type { Ports } from '../actions/ports.ts'
import type { ReadinessCheck } from '../actions/service/check-readiness.ts'
import { createTryOut } from '../actions/service/try-out.ts'
import { API_DOCUMENT, mountApi } from '../api/routes.ts'
import { mountCallbacks } from '../callbacks/routes.ts'
import { loadBundle, serveConsole } from '../console/serve.ts'
import { serveDocs } from '../docs/serve.ts'
import { compileNetworkList } from '../domain/network.ts'
import { refuse } from '../domain/refusals.ts'
import { type MetricsHandler, mountHealth } from '../http/health.ts'
import { serveReference } from '../http/openapi/serve.ts'
import { sendRefusal } from '../http/reply.ts'
import { createServer } from '../http/server.ts'
import type { Gate } from '../http/shed.ts'
import { Mail } from '../identity/mail.ts'
import { Oidc } from '../identity/oidc.ts'
import type { SimulatorPort } from '../manage/carriers/simulator.ts'
import type { SignInMethods } from '../manage/people/sign-in-methods.ts'
import { MANAGEMENT_DOCUMENT, mountManagement } from '../manage/service/routes.ts'
import { type Batching, USUAL_BATCHING } from '../runtime/batcher.ts'
import type { Chance } from '../runtime/chance.ts'
import { type Clock, ManualClock } from '../runtime/clock.ts'
import type { Keyring } from '../runtime/keyring.ts'
import type { Log } from '../runtime/log.ts'
import type { ServiceRole } from '../runtime/loop.ts'
import type { Metrics } from '../runtime/metrics.ts'
import type { Switchboard } from '../runtime/switchboard.ts'
import { Turns } from '../runtime/turns.ts'
import type { Simulator } from '../simulator/simulator.ts'
import { type Db, isUndone } from '../store/database/db.ts'
import { setManualClock } from '../store/service/service.ts'
import type { Config } from './config.ts'

export interface Parts {
  config: Config
  db: Db
  clock: Clock
  chance: Chance
  keyring: Keyring
  operatorToken: string
  log: Log
  metrics: Metrics
  board: Switchboard
  /** False where other processes serve the address and this one plays roles beside them. */
  listen: boolean
  /** True where other processes listen on the same port beside this one, each by itself. */
  sharesPort?: boolean
  /** Of all processes that serve the address. */
  readMetrics: () => Promise<string>
  /** Not in a worker: the metrics listener is in the process that starts the workers. */
  listensForMetrics?: boolean
  /** Where the simulator runs in another process of the service: how to ask it. */
  simulator?: SimulatorPort
  /** For tests and benchmarks; everybody else gets the usual. */
  batching?: Partial<Batching>
}

export interface State {
  /** Why it should get no traffic. */
  reason: string | null
  roles: ServiceRole[]
  /** What lasts as long as its reader likes is ended then, so that whoever reads it goes elsewhere. */
  leaving: AbortController
  /** From now on every answer is the last of its connection. */
  startDraining: () => void
}

/** A storm of callers waits to be let in; past the system's own bound their connections would be lost without a word. */
const MOST_CONNECTING = 4_096

function waysIn({ publicUrl, oidc, mail }: Config): SignInMethods {
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
  /** Where this process runs it. */
  ownSimulator: Simulator | null
  captures: Captures
  receipts: ReceiptTally
  answerMetrics: MetricsHandler
}

/** Whatever asks the database. */
const WORK = /^\/(api|carriers)\//

const OUTDATED = refuse('unavailable', {
  error: 'This process is being replaced by a newer version; nothing was charged',
  retryAfterSeconds: 1,
})

/** Health for every process, and the two APIs where it plays that role. */
export async function serve(parts: Parts, ports: Ports, surroundings: StartedParts): Promise<FastifyInstance> {
  const { config, log, metrics } = parts
  const { trustedProxies, tls } = config
  const gate: Gate = { isShutFor: () => false, isCrowded: () => false }
  const { app, startDraining } = createServer({
    log,
    ids: ports.ids,
    metrics,
    trustedProxies,
    tls,
    gate,
    isOutage: isUndone,
  })
  surroundings.state.startDraining = startDraining
  const { state, heartbeat, answerMetrics } = surroundings
  const unreadyReason = async () => state.reason ?? (await heartbeat.unreadyReason())
  // Ahead of all that is mounted: what an outdated process stores may be wrong, and what it reads may not be there.
  app.addHook('onRequest', (request, reply, done) => {
    if (heartbeat.isOutdated && WORK.test(request.url)) sendRefusal(reply, OUTDATED)
    else done()
  })
  mountHealth(app, { unreadyReason, answerMetrics: config.metrics.port === null ? answerMetrics : null })
  if (config.roles.includes('api')) mountApis(app, ports, { ...parts, ...surroundings, gate })
  return app
}

export function startListening(app: FastifyInstance, { config: { port, host }, sharesPort }: Parts): Promise<string> {
  const alone = sharesPort ? { reusePort: true, exclusive: true } : {}
  return app.listen({ port, host, backlog: MOST_CONNECTING, ...alone })
}

type Mounting = Omit<Parts, 'simulator'> & StartedParts & { gate: Gate }

function mountApis(app: FastifyInstance, ports: Ports, parts: Mounting): void {
  const { config, clock, db, log, operatorToken, state, simulator } = parts
  const ways = waysIn(config)
  const lanes = mountApi(app, ports, {
    log,
    metrics: parts.metrics,
    batching: { ...USUAL_BATCHING, ...parts.batching },
    gate: parts.gate,
    publicUrl: ways.publicUrl,
  })
  const advanceClock = clock instanceof ManualClock ? advancer(clock, db, () => state.roles) : null
  mountManagement(app, ports, {
    operatorToken,
    ways,
    advanceClock,
    simulator,
    tryOut: createTryOut(ports, lanes),
    leaving: state.leaving.signal,
    isAllowedReceiver: compileNetworkList(config.webhookAllowedNetworks),
    isAllowedCarrier: compileNetworkList(config.carrierAllowedNetworks),
  })
  const { receipts, captures } = parts
  mountCallbacks(app, ports, { log, metrics: parts.metrics, publicUrl: ways.publicUrl, receipts, captures })
  const documents = [API_DOCUMENT, MANAGEMENT_DOCUMENT]
  serveReference(app, documents)
  serveDocs(app, { documents, publicUrl: ways.publicUrl })
  serveConsole(app, () => loadBundle(log))
}

/** Moves the clock step by step, each time until no role finds anything left to do; one move at a time. */
function advancer(clock: ManualClock, db: Db, roles: () => ServiceRole[]): (seconds: number) => Promise<Date> {
  const turns = new Turns()
  const settle = async () => {
    for (let worked = true; worked; ) {
      worked = false
      for (const role of roles()) worked = (await role.settle()) || worked
    }
  }
  const advance = async (seconds: number) => {
    const target = new Date(clock.now().getTime() + seconds * 1000)
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
