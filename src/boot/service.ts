// The service in one process: the database, the ports, and the roles it was asked to play.
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { Captures } from '../actions/carriers/captures.ts'
import { simulatorCredentials } from '../actions/carriers/ensure-simulator-carrier.ts'
import { type ReceiptTally, tallyReceipts } from '../actions/carriers/receipt-tally.ts'
import type { Ports } from '../actions/ports.ts'
import { startReadinessCheck } from '../actions/service/check-readiness.ts'
import { syncClock } from '../actions/service/sync-clock.ts'
import { recordReceiptFigures } from '../callbacks/figures.ts'
import { type DeliverySettings, startDelivery } from '../delivery/role.ts'
import { createMetricsHandler, listenForMetrics } from '../http/health.ts'
import { reloadCertificates } from '../http/server.ts'
import type { SimulatorPort } from '../manage/carriers/simulator.ts'
import { Ids } from '../runtime/ids.ts'
import type { Log } from '../runtime/log.ts'
import type { ServiceRole } from '../runtime/loop.ts'
import { Passwords } from '../runtime/passwords.ts'
import type { Switchboard } from '../runtime/switchboard.ts'
import { keepCarrier } from '../simulator/carrier-keeper.ts'
import { type Simulator, startSimulator } from '../simulator/simulator.ts'
import { Notifications } from '../store/database/notifications.ts'
import { MessageFeed } from '../store/messages/message-feed.ts'
import { startWebhooks, type WebhookSettings } from '../webhooks/role.ts'
import type { RoleName } from './config.ts'
import { openPools } from './pools.ts'
import { listeningUrl, type Parts, type StartedParts, type State, serve, startListening } from './serve.ts'
import { startUpkeep } from './upkeep.ts'

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

export async function startService(parts: Parts): Promise<Service> {
  const { config, db, clock, chance, keyring, log } = parts
  db.logOutages(log)
  const { close: closePools, ...pools } = openPools(db)
  const notifications = new Notifications(pools, log)
  const ids = new Ids(clock, chance)
  const made = {
    notifications,
    ids,
    messageFeed: new MessageFeed(notifications, ids.next()),
    passwords: new Passwords(chance),
  }
  const ports: Ports = { ...pools, ...made, clock, chance, keyring, vendor: config.vendor }
  const state: State = { reason: 'starting', roles: [], leaving: new AbortController(), startDraining: () => {} }
  const drain = () => {
    state.reason = 'draining'
    state.leaving.abort()
    state.startDraining()
  }
  const stop = async () => {
    drain()
    for (const role of state.roles.toReversed()) await stopInTime(role, log)
    ports.messageFeed.close()
    await notifications.stop()
    await closePools()
  }
  try {
    const app = await startRoles(parts, ports, state)
    state.reason = null
    const reload = () => {
      if (app && config.tls) reloadCertificates(app, config.tls, log)
    }
    return { ports, url: app ? listeningUrl(app) : '', reload, drain, stop }
  } catch (fault) {
    await stop()
    throw fault
  }
}

/** In the order in which they are needed; they stop in reverse. Returns the HTTP server, where this process serves the address. */
async function startRoles(parts: Parts, ports: Ports, state: State): Promise<FastifyInstance | null> {
  const { config, log } = parts
  const start = async <Started extends ServiceRole>(name: RoleName, begin: () => Promise<Started> | Started) => {
    if (!config.roles.includes(name)) return null
    const role = await begin()
    state.roles.push(role)
    return role
  }
  const surroundings = await startSurroundings(parts, ports, state)
  const { receipts, captures, ownSimulator } = surroundings
  const app = parts.listen ? await serve(parts, ports, surroundings) : null
  await startMetricsListener(parts, surroundings)
  if (app) state.roles.push({ name: 'api', settle: async () => false, stop: () => app.close() })
  // At once, so that a port that is taken ends the start before anything is done; beside others on one port, once it can serve.
  if (app && !parts.sharesPort) await startListening(app, parts)
  await start('delivery', () => startDelivery(ports, log, { ...deliverySettings(parts, receipts), captures }))
  // Whoever delivers writes down what was counted, its own and that of callbacks; else somebody must.
  if (app && !config.roles.includes('delivery')) await start('api', () => recordReceiptFigures(ports, log, receipts))
  await start('webhooks', () => startWebhooks(ports, log, webhookSettings(parts)))
  await start('upkeep', () => startUpkeep(ports, log, config))
  if (app && parts.sharesPort) {
    state.reason = null
    await startListening(app, parts)
  }
  // Last of all: a start that fails must not have drawn messages away from a process that serves.
  if (ownSimulator) await start('simulator', () => keepCarrier(ports, log, ownSimulator.account))
  return app
}

/** What the HTTP server and the roles rest on: clock, heartbeat, captures, and the simulator where this process runs it. */
async function startSurroundings(parts: Parts, ports: Ports, state: State): Promise<StartedParts> {
  const { config, clock, chance, log, metrics, board } = parts
  const receipts = tallyReceipts(clock, { metrics, log })
  const stopClock = await syncClock(ports, log)
  state.roles.push({ name: 'clock', settle: async () => false, stop: stopClock })
  const heartbeat = startReadinessCheck(ports, log, () => stopWorking(state, log))
  state.roles.push(heartbeat)
  await ports.messageFeed.open()
  const captures = new Captures(ports, log)
  state.roles.push(captures)
  await captures.open()
  // It stands for the outside world: there before the service, and still there when the service has gone.
  let ownSimulator: Simulator | null = null
  if (config.roles.includes('simulator')) {
    const settings = { ...config.simulator, ...(await simulatorCredentials(ports)) }
    ownSimulator = await startSimulator({ clock, chance, log, settings })
    state.roles.push(ownSimulator)
    answerForSimulator(board, ownSimulator)
  }
  const simulator = ownSimulator ? simulatorAt(board) : (parts.simulator ?? null)
  const answerMetrics = createMetricsHandler({
    readMetrics: parts.readMetrics,
    type: metrics.contentType,
    token: config.metrics.token,
  })
  return { state, heartbeat, simulator, ownSimulator, receipts, captures, answerMetrics }
}

async function startMetricsListener({ config, listensForMetrics }: Parts, { state, answerMetrics }: StartedParts) {
  if (!listensForMetrics || config.metrics.port === null) return
  const stop = await listenForMetrics(answerMetrics, { ...config.metrics, port: config.metrics.port })
  state.roles.push({ name: 'metrics', settle: async () => false, stop })
}

/** For whoever serves people, in this process or in another. */
function answerForSimulator(board: Switchboard, simulator: Simulator): void {
  board.answer('simulator handsets', (number: string | null) => simulator.handsets(number))
  board.answer('simulator reply', (reply: Parameters<Simulator['write']>[0]) => simulator.write(reply))
  board.answer('simulator outcomes', () => simulator.outcomes())
}

/** The simulator of whichever process answers for it. */
export function simulatorAt(board: Switchboard): SimulatorPort {
  return {
    handsets: (number) => board.ask('simulator handsets', number),
    write: (reply) => board.ask('simulator reply', reply),
    outcomes: () => board.ask('simulator outcomes'),
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

/** The roles that change what is stored end in order, so that processes of the newer version take over; the address is still served. */
async function stopWorking(state: State, log: Log): Promise<void> {
  const working = state.roles.filter(({ name }) => WORKING_ROLES.includes(name))
  state.roles = state.roles.filter((role) => !working.includes(role))
  await Promise.all(working.map((role) => stopInTime(role, log)))
}

const WORKING_ROLES = ['delivery', 'webhooks', 'upkeep']

async function stopInTime(role: ServiceRole, log: Log): Promise<void> {
  const late = Symbol('late')
  const stopped = role.stop().catch((fault) => log.error({ err: fault, role: role.name }, 'a role failed to stop'))
  const outcome = await Promise.race([stopped, sleep(STOP_DEADLINE_MS, late, { ref: false })])
  if (outcome === late) log.warn({ role: role.name }, 'a role did not stop in time and is left behind')
}
