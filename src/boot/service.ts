// The service in one process: the database, the ports, and the roles it was asked to play.
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { Captures } from '../actions/carriers/captures.ts'
import { simulatorCredentials } from '../actions/carriers/ensure-simulator-carrier.ts'
import { type ReceiptTally, tallyReceipts } from '../actions/carriers/receipt-tally.ts'
import type { Ports } from '../actions/ports.ts'
import { keepTime } from '../actions/service/keep-time.ts'
import { type Heartbeat, startHeartbeat } from '../actions/service/prove-ready.ts'
import { createTryOut } from '../actions/service/try-out.ts'
import { API_DOCUMENT, mountApi } from '../api/routes.ts'
import { keepReceiptFigures } from '../callbacks/figures.ts'
import { mountCallbacks } from '../callbacks/routes.ts'
import { serveConsole, wantBundle } from '../console/serve.ts'
import { type DeliverySettings, startDelivery } from '../delivery/role.ts'
import { serveDocs } from '../docs/serve.ts'
import { compileNetworkList } from '../domain/network.ts'
import { refuse } from '../domain/refusals.ts'
import { type AnswerMetrics, listenForMetrics, metricsAnswers, mountHealth } from '../http/health.ts'
import { serveReference } from '../http/openapi/serve.ts'
import { sendRefusal } from '../http/reply.ts'
import { createServer, renewCertificates } from '../http/server.ts'
import type { Gate } from '../http/shed.ts'
import { Mail } from '../identity/mail.ts'
import { Oidc } from '../identity/oidc.ts'
import type { SimulatorPort } from '../manage/carriers/simulator.ts'
import type { Ways } from '../manage/people/sign-in-ways.ts'
import { MANAGEMENT_DOCUMENT, mountManagement } from '../manage/service/routes.ts'
import { type Batching, USUAL_BATCHING } from '../runtime/batcher.ts'
import type { Chance } from '../runtime/chance.ts'
import { type Clock, ManualClock } from '../runtime/clock.ts'
import { Ids } from '../runtime/ids.ts'
import type { Keyring } from '../runtime/keyring.ts'
import type { Log } from '../runtime/log.ts'
import type { Role } from '../runtime/loop.ts'
import type { Metrics } from '../runtime/metrics.ts'
import { Passwords } from '../runtime/passwords.ts'
import type { Switchboard } from '../runtime/switchboard.ts'
import { keepCarrier } from '../simulator/carrier-keeper.ts'
import { type Simulator, startSimulator } from '../simulator/simulator.ts'
import { Bell } from '../store/database/bell.ts'
import { type Db, isUndone } from '../store/database/db.ts'
import { MessageNews } from '../store/messages/message-news.ts'
import { setManualClock } from '../store/service/service.ts'
import { startWebhooks, type WebhookSettings } from '../webhooks/role.ts'
import type { Config, RoleName } from './config.ts'
import { openPools } from './pools.ts'
import { startUpkeep } from './upkeep.ts'

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

export interface Service {
  readonly ports: Ports
  /** Where it listens; empty where it does not. */
  readonly url: string
  /** Reads the certificates again, for every connection from now on. */
  reload(): void
  /** Tells who asks that it should get no more traffic; what comes all the same is served, each answer the last of its connection. */
  drain(): void
  stop(): Promise<void>
}

/** A role gets this long to finish what it has in hand. */
const STOP_DEADLINE_MS = 20_000
/** A storm of callers waits to be let in; past the system's own bound their connections would be lost without a word. */
const MOST_CONNECTING = 4_096

export async function startService(parts: Parts): Promise<Service> {
  const { config, db, clock, chance, keyring, log } = parts
  db.tellOutages(log)
  const { close: closePools, ...pools } = openPools(db)
  const bell = new Bell(pools, log)
  const ids = new Ids(clock, chance)
  const made = { bell, ids, news: new MessageNews(bell, ids.next()), passwords: new Passwords(chance) }
  const ports: Ports = { ...pools, ...made, clock, chance, keyring, vendor: config.vendor }
  const receipts = tallyReceipts(clock, { metrics: parts.metrics, log })
  const state: State = { reason: 'starting', roles: [], leaving: new AbortController(), sayFarewell: () => {} }
  const start = async <Started extends Role>(name: RoleName, begin: () => Promise<Started> | Started) => {
    if (!config.roles.includes(name)) return null
    const role = await begin()
    state.roles.push(role)
    return role
  }
  const drain = () => {
    state.reason = 'draining'
    state.leaving.abort()
    state.sayFarewell()
  }
  const stop = async () => {
    drain()
    for (const role of state.roles.toReversed()) await stopInTime(role, log)
    ports.news.close()
    await bell.stop()
    await closePools()
  }
  try {
    const letTimeGo = await keepTime(ports, log)
    state.roles.push({ name: 'clock', settle: async () => false, stop: letTimeGo })
    const heartbeat = startHeartbeat(ports, log, () => stopWorking(state, log))
    state.roles.push(heartbeat)
    await ports.news.open()
    const captures = new Captures(ports, log)
    state.roles.push(captures)
    await captures.open()
    // It stands for the outside world: there before the service, and still there when the service has gone.
    const simulator = await start('simulator', async () => {
      const settings = { ...config.simulator, ...(await simulatorCredentials(ports)) }
      return startSimulator({ clock, chance, log, settings })
    })
    if (simulator) answerForSimulator(parts.board, simulator)
    const port = simulator ? simulatorAt(parts.board) : (parts.simulator ?? null)
    const { token } = config.metrics
    const answerMetrics = metricsAnswers({ readMetrics: parts.readMetrics, type: parts.metrics.contentType, token })
    const surroundings = { state, heartbeat, simulator: port, receipts, captures, answerMetrics }
    const app = parts.listen ? await serve(parts, ports, surroundings) : null
    if (parts.listensForMetrics && config.metrics.port !== null) {
      const stop = await listenForMetrics(answerMetrics, { ...config.metrics, port: config.metrics.port })
      state.roles.push({ name: 'metrics', settle: async () => false, stop })
    }
    if (app) state.roles.push({ name: 'api', settle: async () => false, stop: () => app.close() })
    // At once, so that a port that is taken ends the start before anything is done; beside others on one port, once it can serve.
    if (app && !parts.sharesPort) await listen(app, parts)
    await start('delivery', () => startDelivery(ports, log, { ...deliverySettings(parts, receipts), captures }))
    // Whoever delivers writes down what was counted, its own and that of callbacks; else somebody must.
    if (app && !config.roles.includes('delivery')) await start('api', () => keepReceiptFigures(ports, log, receipts))
    await start('webhooks', () => startWebhooks(ports, log, webhookSettings(parts)))
    await start('upkeep', () => startUpkeep(ports, log, config))
    if (app && parts.sharesPort) {
      state.reason = null
      await listen(app, parts)
    }
    // Last of all: a start that fails must not have drawn messages away from a process that serves.
    if (simulator) await start('simulator', () => keepCarrier(ports, log, simulator.account))
    state.reason = null
    const reload = () => {
      if (app && config.tls) renewCertificates(app, config.tls, log)
    }
    return { ports, url: app ? addressOf(app) : '', reload, drain, stop }
  } catch (fault) {
    await stop()
    throw fault
  }
}

function waysIn({ publicUrl, oidc, mail }: Config): Ways {
  return {
    publicUrl: publicUrl === null ? null : new URL(publicUrl),
    oidc: oidc && new Oidc(oidc),
    newcomersTo: oidc?.newcomersTo ?? null,
    mail: mail && new Mail(mail),
  }
}

/** For whoever serves people, in this process or in another. */
function answerForSimulator(board: Switchboard, simulator: Simulator): void {
  board.answer('simulator handsets', (number: string | null) => simulator.handsets(number))
  board.answer('simulator reply', (reply: Parameters<Simulator['write']>[0]) => simulator.write(reply))
  board.answer('simulator endings', () => simulator.endings())
}

/** The simulator of whichever process answers for it. */
export function simulatorAt(board: Switchboard): SimulatorPort {
  return {
    handsets: (number) => board.ask('simulator handsets', number),
    write: (reply) => board.ask('simulator reply', reply),
    endings: () => board.ask('simulator endings'),
  }
}

function deliverySettings({ config, metrics }: Parts, receipts: ReceiptTally): Omit<DeliverySettings, 'captures'> {
  return {
    allowedNetworks: config.carrierAllowedNetworks,
    caFile: config.carrierCaFile,
    publicUrl: config.publicUrl,
    metrics,
    receipts,
  }
}

function webhookSettings({ config, metrics }: Parts): WebhookSettings {
  return { allowedNetworks: config.webhookAllowedNetworks, caFile: config.webhookCaFile, metrics }
}

interface State {
  /** Why it should get no traffic. */
  reason: string | null
  roles: Role[]
  /** What lasts as long as its reader likes is ended then, so that whoever reads it goes elsewhere. */
  leaving: AbortController
  /** From now on every answer is the last of its connection. */
  sayFarewell: () => void
}

interface Surroundings {
  state: State
  heartbeat: Heartbeat
  simulator: SimulatorPort | null
  captures: Captures
  receipts: ReceiptTally
  answerMetrics: AnswerMetrics
}

/** Whatever asks the database. */
const WORK = /^\/(api|carriers)\//
const OUTDATED = refuse('unavailable', {
  error: 'This process is being replaced by a newer version; nothing was charged',
  retryAfterSeconds: 1,
})

/** The roles that change what is stored end in order, so that processes of the newer version take over; the address is still served. */
async function stopWorking(state: State, log: Log): Promise<void> {
  const working = state.roles.filter(({ name }) => WORKING_ROLES.includes(name))
  state.roles = state.roles.filter((role) => !working.includes(role))
  await Promise.all(working.map((role) => stopInTime(role, log)))
}

const WORKING_ROLES = ['delivery', 'webhooks', 'upkeep']

/** Health for every process, and the two APIs where it plays that role. */
async function serve(parts: Parts, ports: Ports, surroundings: Surroundings): Promise<FastifyInstance> {
  const { config, log, metrics } = parts
  const { trustedProxies, tls } = config
  const gate: Gate = { isShutFor: () => false, isCrowded: () => false }
  const { app, sayFarewell } = createServer({
    log,
    ids: ports.ids,
    metrics,
    trustedProxies,
    tls,
    gate,
    isOutage: isUndone,
  })
  surroundings.state.sayFarewell = sayFarewell
  const { state, heartbeat, answerMetrics } = surroundings
  const unreadyBecause = async () => state.reason ?? (await heartbeat.unreadyBecause())
  // Ahead of all that is mounted: what an outdated process stores may be wrong, and what it reads may not be there.
  app.addHook('onRequest', (request, reply, done) => {
    if (heartbeat.isOutdated && WORK.test(request.url)) sendRefusal(reply, OUTDATED)
    else done()
  })
  mountHealth(app, { unreadyBecause, answerMetrics: config.metrics.port === null ? answerMetrics : null })
  if (config.roles.includes('api')) mountApis(app, ports, { ...parts, ...surroundings, gate })
  return app
}

function listen(app: FastifyInstance, { config: { port, host }, sharesPort }: Parts): Promise<string> {
  const alone = sharesPort ? { reusePort: true, exclusive: true } : {}
  return app.listen({ port, host, backlog: MOST_CONNECTING, ...alone })
}

type Mounting = Omit<Parts, 'simulator'> & Surroundings & { gate: Gate }

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
  serveConsole(app, () => wantBundle(log))
}

/** Moves the clock step by step, each time until no role finds anything left to do; one move at a time. */
function advancer(clock: ManualClock, db: Db, roles: () => Role[]): (seconds: number) => Promise<Date> {
  let last: Promise<unknown> = Promise.resolve()
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
  return (seconds) => {
    const move = last.then(() => advance(seconds))
    last = move.catch(() => {})
    return move
  }
}

async function stopInTime(role: Role, log: Log): Promise<void> {
  const late = Symbol('late')
  const stopped = role.stop().catch((fault) => log.error({ err: fault, role: role.name }, 'a role failed to stop'))
  const outcome = await Promise.race([stopped, sleep(STOP_DEADLINE_MS, late, { ref: false })])
  if (outcome === late) log.warn({ role: role.name }, 'a role did not stop in time and is left behind')
}

function addressOf(app: FastifyInstance): string {
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no address')
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
  const scheme = 'setSecureContext' in app.server ? 'https' : 'http'
  return `${scheme}://${host === '0.0.0.0' || host === '[::]' ? 'localhost' : host}:${address.port}`
}
