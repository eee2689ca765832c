// The carriers of this process: holds connections, assigns work and follows changes in the tables without a restart.
import { strict as assert } from 'node:assert'
import { isDeepStrictEqual } from 'node:util'
import type { Captures } from '../actions/carriers/captures.ts'
import type { Figures } from '../actions/carriers/figures.ts'
import { type HoldResult, holdBinds, LEASE_MS, releaseHeldBinds } from '../actions/carriers/hold-binds.ts'
import type { MinuteCounter } from '../actions/carriers/last-minute.ts'
import { schedulePolls } from '../actions/carriers/poll-receipts.ts'
import type { CarrierEventLane } from '../actions/carriers/record-carrier-events.ts'
import { recordMetrics } from '../actions/carriers/record-metrics.ts'
import type { Ports } from '../actions/ports.ts'
import { type BindName, bindKey, type HeldBind } from '../domain/carriers/bind.ts'
import type { Carrier, SmppCarrier } from '../domain/carriers/carrier.ts'
import { RouteShares } from '../domain/carriers/route-shares.ts'
import { countriesOfCarrier } from '../domain/carriers/routing.ts'
import { connectionSettingsOf } from '../domain/carriers/smpp/smpp-settings.ts'
import type { AcceptedSubmission } from '../domain/messages/submission.ts'
import { AddressGuard, type GuardSettings } from '../outbound/address-guard.ts'
import type { Log } from '../runtime/log.ts'
import { Loop, type Turn } from '../runtime/loop.ts'
import type { Metrics } from '../runtime/metrics.ts'
import { listCountries } from '../store/carriers/countries.ts'
import { listWorkingRoutes } from '../store/carriers/routes.ts'
import { isAway, type Tx } from '../store/database/db.ts'
import { readRoutingRevision } from '../store/service/service.ts'
import type { Connection, ConnectionEvents } from './connection.ts'
import { HttpConnection } from './http/http-connection.ts'
import { ReceiptPollers } from './http/receipt-pollers.ts'
import { Bind } from './smpp/bind.ts'
import { CarrierTests } from './worker/carrier-tests.ts'
import { CarrierWorker } from './worker/carrier-worker.ts'
import { DrainingConnections } from './worker/draining-connections.ts'
import { Inbox } from './worker/inbox.ts'
import type { Tally } from './worker/measures.ts'
import { Pace } from './worker/pace.ts'
import { Places } from './worker/places.ts'
import { PriceLists } from './worker/price-lists.ts'
import { Unserved } from './worker/unserved.ts'
import type { Sharing } from './worker/worklist.ts'

const POLL_MS = 2_000
/** The base of a captured frame (D60). */
const NO_BIND = { bind: 0, exchange: null, called: false }
/** How long before the end of an unrenewed lease draining starts. */
const DRAIN_MS = 1_000
/** How long a stop waits for responses: a process has 20 s, and must then still record unknown outcomes. */
const STOP_TIMEOUT_MS = 15_000

interface CarriersOptions {
  log: Log
  lane: CarrierEventLane
  metrics: Metrics
  tally: Tally
  recently: MinuteCounter
  figures: Figures
  /** D50: restricts the addresses of HTTP carriers. */
  guard: GuardSettings
  /** The base URL of receipt callbacks. */
  publicUrl: string | null
  captures: Captures
}

export class Carriers {
  readonly #ports: Ports
  readonly #log: Log
  readonly #tally: Tally
  readonly #lane: CarrierEventLane
  readonly #recently: MinuteCounter
  readonly #figures: Figures
  readonly #places: Places
  readonly #guard: AddressGuard
  readonly #publicUrl: string | null
  readonly #prices: PriceLists
  readonly #unserved: Unserved
  readonly #processId: string
  readonly #workers = new Map<string, CarrierWorker>()
  /** The enabled carriers, including carriers of other processes. */
  #enabled: ReadonlyMap<string, Carrier> = new Map()
  /** By carrier name: 1 if any process has a working connection, else 0. */
  #working: ReadonlyMap<string, number> = new Map()
  readonly #draining = new DrainingConnections(() => this.#loop.wake())
  readonly #inbox: Inbox
  readonly #tests: CarrierTests
  readonly #captures: Captures
  readonly #pollers: ReceiptPollers
  readonly #shares = new RouteShares()
  readonly #sharing: Sharing = {
    isNext: (carrierId, among) =>
      this.#shares.isNext(carrierId, among, (id) => this.#workers.get(id)?.isReady ?? false),
    give: (carrierId, share) => {
      this.#shares.record(carrierId, share)
      for (const { carrierId: id } of share.among) this.#workers.get(id)?.wake()
    },
  }
  readonly #loop: Loop
  /** Connections whose first attempt a settle has already waited for. */
  readonly #attempted = new WeakSet<Connection>()
  /** The number of running settle calls; they refresh places without a pause. */
  #settling = 0
  /** The working binds and their fill state as last announced to other processes. */
  #announced: string[] = []
  /** The state of carriers as last published to consoles. */
  #publishedState: object = {}
  /** Uses the monotonic clock, like the expiry of leases. */
  #leaseTimer: NodeJS.Timeout | undefined

  constructor(ports: Ports, options: CarriersOptions) {
    const { log, lane, metrics, tally, recently, figures, guard, publicUrl, captures } = options
    this.#ports = ports
    this.#guard = new AddressGuard(guard)
    this.#publicUrl = publicUrl
    this.#recently = recently
    this.#figures = figures
    this.#log = log
    this.#tally = tally
    this.#lane = lane
    this.#places = new Places(ports.db)
    this.#prices = new PriceLists(ports.db)
    this.#inbox = new Inbox({ ports, log, lane, tally })
    this.#unserved = new Unserved(ports, log)
    this.#processId = ports.ids.next()
    this.#captures = captures
    this.#tests = new CarrierTests({
      ports,
      log,
      processId: this.#processId,
      find: (carrierId, number) => {
        const worker = this.#workers.get(carrierId)
        const bind = worker?.binds.get(number)
        return worker && bind ? { carrier: worker.carrier, bind } : null
      },
    })
    this.#pollers = new ReceiptPollers({
      ...{ ports, log, lane, guard: this.#guard, metrics, tally },
      paced: (perSecond) => new Pace(perSecond),
      onFrame: (carrierId, read) => captures.add(carrierId, () => ({ ...NO_BIND, ...read() })),
    })
    const turn = () => this.#turn()
    this.#loop = new Loop({
      name: 'carriers',
      clock: ports.clock,
      log,
      pollMs: POLL_MS,
      turn,
      isLoggedElsewhere: isAway,
    })
  }

  /** Call after a change of carriers or routes. */
  refresh(): void {
    this.#loop.wake()
  }

  /** Runs pending carrier tests. */
  test(): void {
    this.#tests.run()
  }

  /**
   * Call after new messages arrive. Failing carriers wake first: they must claim their single probe message before working carriers claim
   * all messages.
   */
  wake(): void {
    const wakeAll = () => {
      const workers = [...this.#workers.values()]
      for (const worker of workers) if (!worker.isWorking) worker.wake()
      for (const worker of workers) if (worker.isWorking) worker.wake()
    }
    wakeAll()
    // An outage is logged elsewhere, and the loops poll again.
    this.#places.refresh().then(wakeAll, () => {})
  }

  /** The number of bound binds in this process, by carrier name. */
  boundBinds(): Map<string, number> {
    const bound = (id: string) =>
      [...(this.#workers.get(id)?.binds.values() ?? [])].filter((bind) => bind.health.state === 'bound').length
    return new Map(Array.from(this.#enabled.values(), ({ id, name }) => [name, bound(id)]))
  }

  workingCarriers(): ReadonlyMap<string, number> {
    return this.#working
  }

  /** By carrier name: 1 if the circuit is open, else 0. */
  brokenCircuits(): Map<string, number> {
    return new Map(Array.from(this.#workers.values(), ({ carrier, isBroken }) => [carrier.name, Number(isBroken)]))
  }

  /** Schedules receipt polls for accepted submissions (D54). */
  schedulePolls(tx: Tx, accepted: AcceptedSubmission[]): Promise<void> | null {
    return schedulePolls(tx, accepted, (carrierId) => this.#pollers.waitsOf(carrierId))
  }

  find(carrierId: string): Carrier | undefined {
    return this.#enabled.get(carrierId)
  }

  async settle(): Promise<boolean> {
    this.#settling += 1
    try {
      await this.#loop.settle()
      if (this.#draining.held().length > 0) {
        await this.#draining.waitForAll()
        await this.#loop.settle()
      }
      const unattempted = this.#connections().filter((connection) => !this.#attempted.has(connection))
      if (unattempted.length > 0) {
        await Promise.all(unattempted.map((connection) => connection.firstAttempt))
        await this.#loop.settle()
        for (const connection of unattempted) this.#attempted.add(connection)
      }
      const worked = await this.#settleWorkers()
      const polled = await this.#pollers.settle()
      return polled || worked
    } finally {
      this.#settling -= 1
    }
  }

  /** An answer that a worker records may move its message to a new place: the workers continue until the places stay the same. */
  async #settleWorkers(): Promise<boolean> {
    let hasWorked = false
    for (;;) {
      const before = this.#places.known
      const worked = await Promise.all([...this.#workers.values()].map((worker) => worker.settle()))
      hasWorked ||= worked.includes(true)
      await this.#places.refresh({ atOnce: true })
      if (isDeepStrictEqual(before, this.#places.known)) return hasWorked
    }
  }

  async stop(): Promise<void> {
    await this.#loop.stop()
    await this.#tests.drain()
    await this.#pollers.stop()
    clearTimeout(this.#leaseTimer)
    const binds = this.#held()
    const connections = this.#connections()
    const abortTimer = setTimeout(() => {
      for (const connection of connections) connection.abort()
      this.#draining.abort()
    }, STOP_TIMEOUT_MS)
    await Promise.all([...this.#workers.values()].map((worker) => worker.stop()))
    await this.#draining.waitForAll()
    clearTimeout(abortTimer)
    this.#guard.close()
    await releaseHeldBinds(this.#ports, { processId: this.#processId, binds })
    await this.#figures.write((counted) => recordMetrics(this.#ports, counted))
  }

  /** Renews leases, opens and closes connections, and reassigns the work. */
  async #turn(): Promise<Turn> {
    // Read first: a revision read after the routes could hide a change that this turn has not seen.
    const revision = await readRoutingRevision(this.#ports.db)
    const startedAt = performance.now()
    const held = this.#held()
    const holding = await holdBinds(this.#ports, { processId: this.#processId, held, recently: this.#recently.counts })
    this.#closeBefore(startedAt + LEASE_MS)
    // A message accepted in this process may be for a carrier of another process.
    for (const station of ['delivery', 'carriers', 'carrierTests'] as const)
      this.#ports.notifications.share(station, holding.processes > 1)
    const enabled = new Map(holding.carriers.filter((it) => it.enabled).map((it) => [it.id, it]))
    this.#enabled = enabled
    this.#removeOutdated(enabled)
    const heldKeys = new Set(holding.held.map(bindKey))
    for (const worker of this.#workers.values()) this.#unbind(worker, (bind) => !heldKeys.has(bindKey(bind)))
    for (const bind of holding.held) {
      const carrier = enabled.get(bind.carrierId)
      if (carrier) this.#bind(carrier, bind)
    }
    this.#pollers.update(holding.held, enabled)
    await this.#assignWork(enabled, holding.workingElsewhere, revision)
    this.#notifyOthers(held)
    this.#publishState(held, holding)
    await this.#figures.write((counted) => recordMetrics(this.#ports, counted))
    return { worked: false }
  }

  /** Other processes route by which carriers work and have room. */
  #notifyOthers(held: HeldBind[]): void {
    const working = held.filter((bind) => bind.isWorking).map((bind) => `${bindKey(bind)} ${bind.isFull}`)
    if (isDeepStrictEqual(working, this.#announced)) return
    this.#announced = working
    this.#ports.notifications.notify('carriers')
  }

  /** Consoles show the state of carriers; their load changes with every message and is part of the figures. */
  #publishState(held: HeldBind[], { workingElsewhere, processes }: HoldResult): void {
    const binds = held.map(({ inFlight, segmentsPerSecond, isFull, isWorthTrying, ...bind }) => bind)
    const state = { binds, elsewhere: [...workingElsewhere.keys()], processes }
    if (isDeepStrictEqual(state, this.#publishedState)) return
    this.#publishedState = state
    this.#ports.changeFeed.publishIn(null, 'carriers')
  }

  /**
   * Without the database a process cannot renew its leases. It must unbind before they expire, because carriers limit the number of binds.
   */
  #closeBefore(lapsesAt: number): void {
    clearTimeout(this.#leaseTimer)
    this.#leaseTimer = setTimeout(() => this.#closeAll(lapsesAt), msUntil(lapsesAt - DRAIN_MS))
  }

  #closeAll(lapsesAt: number): void {
    const bound = [...this.boundBinds().values()].reduce((sum, count) => sum + count, 0)
    if (bound > 0) this.#log.warn({ binds: bound }, 'lease renewal failed, closing connections')
    for (const worker of this.#workers.values()) this.#unbind(worker, () => true)
    this.#leaseTimer = setTimeout(() => this.#draining.abort(), msUntil(lapsesAt))
  }

  /** Removes deleted and disabled carriers, and closes binds whose settings changed. */
  #removeOutdated(enabled: ReadonlyMap<string, Carrier>): void {
    for (const [id, worker] of this.#workers) {
      const carrier = enabled.get(id)
      if (!carrier) {
        this.#workers.delete(id)
        this.#draining.add([...worker.binds.values()], worker.stop())
      } else if (!isDeepStrictEqual(linkSettings(carrier), linkSettings(worker.carrier))) {
        this.#unbind(worker, () => true)
        // New binds use the new settings.
        worker.carrier = carrier
        worker.reset()
      }
    }
  }

  #unbind(worker: CarrierWorker, which: (bind: Connection) => boolean): void {
    for (const bind of [...worker.binds.values()].filter(which)) {
      worker.binds.delete(bind.number)
      this.#draining.add([bind], bind.close())
    }
  }

  #bind(carrier: Carrier, name: BindName & Pick<Connection, 'mode'>): void {
    const ports = this.#ports
    const onChange = () => this.#loop.wake()
    const sharing = this.#sharing
    const places = this.#places
    const options = { ports, places, log: this.#log, lane: this.#lane, tally: this.#tally, carrier, sharing, onChange }
    const worker = this.#workers.getOrInsertComputed(carrier.id, () => new CarrierWorker(options))
    if (worker.binds.has(name.number) || this.#draining.has(name)) return
    const events: ConnectionEvents = {
      receive: (delivered) => this.#inbox.receive(worker.carrier, delivered),
      changed: () => this.#loop.wake(),
      onFrame: (read) => this.#captures.add(name.carrierId, () => ({ ...NO_BIND, bind: name.number, ...read() })),
      onUnexpectedResponse: () => this.#tally.stray(carrier.id),
    }
    const link = { ...name, homes: () => worker.homes, ports, log: this.#log, events }
    const bind =
      carrier.kind === 'http'
        ? new HttpConnection({ ...link, carrier, guard: this.#guard, publicUrl: this.#publicUrl })
        : new Bind({ ...link, carrier: () => stillSmpp(worker.carrier) })
    worker.binds.set(name.number, bind)
  }

  async #assignWork(
    carriers: ReadonlyMap<string, Carrier>,
    workingElsewhere: HoldResult['workingElsewhere'],
    revision: number,
  ): Promise<void> {
    const { db, clock } = this.#ports
    const [routes, countries] = await Promise.all([
      listWorkingRoutes(db, clock.now()),
      listCountries(db),
      this.#places.refresh({ atOnce: this.#settling > 0 }),
      this.#prices.refresh(),
    ])
    const isWorkingHere = (id: string) => this.#workers.get(id)?.isWorking ?? false
    const isWorking = (id: string) => workingElsewhere.has(id) || isWorkingHere(id)
    const isFull = (id: string) =>
      (workingElsewhere.get(id)?.isFull ?? true) && (!isWorkingHere(id) || (this.#workers.get(id)?.isFull ?? true))
    this.#working = new Map(Array.from(carriers.values(), ({ id, name }) => [name, Number(isWorking(id))]))
    this.#places.setFacts({ revision, routes, isWorking, isFull })
    this.#figures.setPrefixes(routes, countries)
    for (const [id, worker] of this.#workers) {
      const carrier = carriers.get(id)
      if (!carrier) continue
      const share = [...worker.binds.values()].filter((bind) => bind.mode !== 'receiver').length / carrier.binds
      const homes = countriesOfCarrier(id, routes, countries)
      worker.assign({ carrier, share, homes, prices: this.#prices.of(id) })
    }
    await this.#unserved.check({ routes, places: this.#places.known, isEnabled: (id) => carriers.has(id) })
  }

  #connections(): Connection[] {
    return [...this.#workers.values()].flatMap((worker) => [...worker.binds.values()])
  }

  #held(): HeldBind[] {
    const working = [...this.#workers.values()].flatMap((worker) =>
      Array.from(worker.binds.values(), (bind) => worker.reportOn(bind)),
    )
    return [...working, ...this.#draining.held()]
  }
}

function msUntil(at: number): number {
  return Math.max(0, at - performance.now())
}

/** The settings that require a new connection when they change. */
function linkSettings(carrier: Carrier) {
  const { secretsSealed, window, answerSeconds } = carrier
  const protocol = carrier.kind === 'http' ? carrier.http : connectionSettingsOf(carrier.smpp)
  return { secretsSealed, window, answerSeconds, protocol }
}

/** The kind of a carrier never changes. */
function stillSmpp(carrier: Carrier): SmppCarrier {
  assert(carrier.kind === 'smpp')
  return carrier
}
