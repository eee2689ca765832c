// The service in one process: pools, ports and the configured roles.
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { Captures } from '../actions/carriers/captures.ts'
import { simulatorCredentials } from '../actions/carriers/ensure-simulator-carrier.ts'
import { type ReceiptTally, tallyReceipts } from '../actions/carriers/receipt-tally.ts'
import type { Ports } from '../actions/ports.ts'
import { startReadinessCheck } from '../actions/service/check-readiness.ts'
import { keepPartitionsAhead } from '../actions/service/keep-partitions.ts'
import { syncClock } from '../actions/service/sync-clock.ts'
import { recordReceiptFigures } from '../callbacks/figures.ts'
import { type DeliverySettings, startDelivery } from '../delivery/role.ts'
import { createMetricsHandler, listenForMetrics } from '../http/health.ts'
import { replaceCertificate, type TlsPair } from '../http/server.ts'
import type { SimulatorPort } from '../manage/carriers/simulator.ts'
import { Ids } from '../runtime/ids.ts'
import type { Log } from '../runtime/log.ts'
import type { ServiceRole } from '../runtime/loop.ts'
import { Passwords } from '../runtime/passwords.ts'
import type { RpcRouter } from '../runtime/process-rpc.ts'
import { Tracer } from '../runtime/tracer.ts'
import { keepCarrier } from '../simulator/carrier-keeper.ts'
import { type Simulator, startSimulator } from '../simulator/simulator.ts'
import { listCarrierNames } from '../store/carriers/carriers.ts'
import { ChangeFeed } from '../store/change-feed.ts'
import { Notifications } from '../store/database/notifications.ts'
import { startWebhooks, type WebhookSettings } from '../webhooks/role.ts'
import type { RoleName } from './config.ts'
import { measureMachine } from './machine.ts'
import { openPools } from './pools.ts'
import { listeningUrl, type Parts, type StartedParts, type State, serve, startListening } from './serve.ts'
import { startUpkeep } from './upkeep.ts'

export interface Service {
  readonly ports: Ports
  /** Empty: this process does not listen. */
  readonly url: string
  /** Uses another certificate for new connections. */
  useCertificate(pair: TlsPair): void
  /** Makes /readyz respond 503. Requests are still served, and every response closes its connection. */
  drain(): void
  stop(): Promise<void>
}

/** How long a role may take to finish its current work. */
const STOP_DEADLINE_MS = 20_000

export async function startService(parts: Parts): Promise<Service> {
  const { config, db, clock, random, keyring, log, metrics } = parts
  db.logOutages(log)
  const { close: closePools, ...pools } = openPools(db, metrics)
  const notifications = new Notifications(pools, log)
  const ids = new Ids(clock, random)
  const made = {
    notifications,
    ids,
    changeFeed: new ChangeFeed(notifications, ids.next()),
    passwords: new Passwords(random),
  }
  metrics.keepOnly('carrier', async () => new Set(await listCarrierNames(db)))
  const dropped = metrics.counter('trace_spans_dropped_total', 'Spans that were not exported')
  const tracer = config.tracing && new Tracer(config.tracing, { clock, random, log, dropped })
  const ports: Ports = { ...pools, ...made, clock, random, keyring, tracer, vendor: config.vendor }
  const state: State = { reason: 'starting', roles: [], draining: new AbortController(), startDraining: () => {} }
  const drain = () => {
    state.reason = 'draining'
    state.draining.abort()
    state.startDraining()
  }
  const stop = async () => {
    drain()
    for (const role of state.roles.toReversed()) await stopInTime(role, log)
    ports.changeFeed.close()
    await notifications.stop()
    await closePools()
    await tracer?.stop()
  }
  try {
    const app = await startRoles(parts, ports, state)
    state.reason = null
    const useCertificate = (pair: TlsPair) => {
      if (app) replaceCertificate(app, pair)
    }
    return { ports, url: app ? listeningUrl(app) : '', useCertificate, drain, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Starts roles in order of dependency; they stop in reverse. Returns the HTTP server if this process listens. */
async function startRoles(parts: Parts, ports: Ports, state: State): Promise<FastifyInstance | null> {
  const { config, log } = parts
  const surroundings = await startDependencies(parts, ports, state)
  const start = async <Started extends ServiceRole>(name: RoleName, begin: () => Promise<Started> | Started) => {
    const mayWork = () => !surroundings.heartbeat.hasStopped || !WORKING_ROLES.includes(name)
    if (!config.roles.includes(name) || !mayWork()) return null
    const role = await begin()
    state.roles.push(role)
    if (!mayWork()) await stopWorking(state, log)
    return role
  }
  const { receipts, captures, ownSimulator } = surroundings
  const app = parts.listen ? await serve(parts, ports, surroundings) : null
  await startMeasuring(parts, ports, surroundings)
  if (app) state.roles.push({ name: 'api', settle: async () => false, stop: () => app.close() })
  // A single process listens first, so that a port in use fails the start early. A worker listens when it can serve.
  if (app && !parts.sharesPort) await startListening(app, parts)
  await start('delivery', () => startDelivery(ports, log, { ...deliverySettings(parts, receipts), captures }))
  // The delivery role also stores the receipt counts of callbacks; without this role, the api role stores them.
  if (app && !config.roles.includes('delivery')) await start('api', () => recordReceiptFigures(ports, log, receipts))
  await start('webhooks', () => startWebhooks(ports, log, webhookSettings(parts)))
  await start('upkeep', () => startUpkeep(ports, log, config))
  if (app && parts.sharesPort) {
    state.reason = null
    await startListening(app, parts)
  }
  // Last: a failed start must not take messages away from a process that serves.
  if (ownSimulator) await start('simulator', () => keepCarrier(ports, log, ownSimulator.account))
  return app
}

/** Starts what the HTTP server and the roles depend on: clock, readiness check, captures, simulator. */
async function startDependencies(parts: Parts, ports: Ports, state: State): Promise<StartedParts> {
  const { config, clock, random, log, metrics, rpc } = parts
  const receipts = tallyReceipts(clock, { metrics, log })
  const stopClock = await syncClock(ports, log)
  state.roles.push({ name: 'clock', settle: async () => false, stop: stopClock })
  state.roles.push(keepPartitionsAhead(ports, log))
  const heartbeat = startReadinessCheck(ports, log, () => stopWorking(state, log))
  state.roles.push(heartbeat)
  await ports.changeFeed.open()
  const captures = new Captures(ports, log)
  state.roles.push(captures)
  await captures.open()
  // The simulator plays the carrier: it starts before the delivery role and stops after the delivery role.
  let ownSimulator: Simulator | null = null
  if (config.roles.includes('simulator')) {
    const settings = { ...config.simulator, ...(await simulatorCredentials(ports)) }
    ownSimulator = await startSimulator({ clock, random, log, settings })
    state.roles.push(ownSimulator)
    publishSimulator(rpc, ownSimulator)
  }
  const simulator = ownSimulator ? simulatorAt(rpc) : (parts.simulator ?? null)
  const answerMetrics = createMetricsHandler({
    readMetrics: parts.readMetrics,
    type: metrics.contentType,
    token: config.metrics.token,
  })
  return { state, heartbeat, simulator, ownSimulator, receipts, captures, answerMetrics }
}

/** The process that runs alone, or the primary. */
async function startMeasuring(
  { config, metrics, listensForMetrics }: Parts,
  { db }: Ports,
  { state, answerMetrics }: StartedParts,
): Promise<void> {
  if (!listensForMetrics) return
  measureMachine(db, { metrics, dataDirectory: config.dataDirectory })
  if (config.metrics.port === null) return
  const stop = await listenForMetrics(answerMetrics, { ...config.metrics, port: config.metrics.port })
  state.roles.push({ name: 'metrics', settle: async () => false, stop })
}

/** Makes the simulator available to all processes. */
function publishSimulator(rpc: RpcRouter, simulator: Simulator): void {
  rpc.handle('simulator handsets', (number: string | null) => simulator.handsets(number))
  rpc.handle('simulator reply', (reply: Parameters<Simulator['write']>[0]) => simulator.write(reply))
  rpc.handle('simulator outcomes', () => simulator.outcomes())
}

/** Calls the simulator in the process that runs it. */
export function simulatorAt(rpc: RpcRouter): SimulatorPort {
  return {
    handsets: (number) => rpc.call('simulator handsets', number),
    write: (reply) => rpc.call('simulator reply', reply),
    outcomes: () => rpc.call('simulator outcomes'),
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

/** Stops the roles that write data, so that processes of the newer version take over. The API is still served. */
async function stopWorking(state: State, log: Log): Promise<void> {
  const working = state.roles.filter(({ name }) => WORKING_ROLES.includes(name))
  state.roles = state.roles.filter((role) => !working.includes(role))
  await Promise.all(working.map((role) => stopInTime(role, log)))
}

const WORKING_ROLES = ['delivery', 'webhooks', 'upkeep']

async function stopInTime(role: ServiceRole, log: Log): Promise<void> {
  const late = Symbol('late')
  const stopped = role.stop().catch((error) => log.error({ err: error, role: role.name }, 'role failed to stop'))
  const outcome = await Promise.race([stopped, sleep(STOP_DEADLINE_MS, late, { ref: false })])
  if (outcome === late) log.warn({ role: role.name }, 'role did not stop in time')
}
