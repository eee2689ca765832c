// The carriers of this process: which binds it holds, what each carrier shall do, kept in step with the tables, so that
// whatever the management API changes is in force without a restart.
import { strict as assert } from 'node:assert'
import { isDeepStrictEqual } from 'node:util'
import type { Captures } from '../actions/carriers/captures.ts'
import type { Figures } from '../actions/carriers/figures.ts'
import { type Holding, holdBinds, LEASE_MS, releaseHeldBinds } from '../actions/carriers/hold-binds.ts'
import type { CountedMinute } from '../actions/carriers/last-minute.ts'
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
import { Departures } from './worker/departures.ts'
import { Inbox } from './worker/inbox.ts'
import type { Tally } from './worker/measures.ts'
import { Pace } from './worker/pace.ts'
import { Places } from './worker/places.ts'
import { PriceLists } from './worker/price-lists.ts'
import { Unserved } from './worker/unserved.ts'
import type { Sharing } from './worker/worklist.ts'

const LOOK_MS = 2_000
/** In a capture (D60). */
const OF_NO_BIND = { bind: 0, exchange: null, called: false }
/** Of a lease that is not renewed, so much is left to drain in before it lapses. */
const LEAVING_MS = 1_000
/** How long a stop waits for answers. A process has 20 s to stop in, and what is unknown then is still to be recorded. */
const STOPPING_MS = 15_000

export interface CarriersOptions {
  log: Log
  lane: CarrierEventLane
  metrics: Metrics
  tally: Tally
  lately: CountedMinute
  figures: Figures
  /** D50: by which carriers over HTTP are dialled. */
  guard: GuardSettings
  /** Where carriers over HTTP reach us with receipts. */
  publicUrl: string | null
  captures: Captures
}

export class Carriers {
  readonly #ports: Ports
  readonly #log: Log
  readonly #tally: Tally
  readonly #lane: CarrierEventLane
  readonly #lately: CountedMinute
  readonly #figures: Figures
  readonly #places: Places
  readonly #guard: AddressGuard
  readonly #publicUrl: string | null
  readonly #prices: PriceLists
  readonly #unserved: Unserved
  readonly #holder: string
  readonly #workers = new Map<string, CarrierWorker>()
  /** Those that are switched on, whoever holds their binds. */
  #enabled: ReadonlyMap<string, Carrier> = new Map()
  /** By name: 1 for each of them that works, whoever it is that has it bound, else 0. */
  #working: ReadonlyMap<string, number> = new Map()
  readonly #leaving = new Departures(() => this.#loop.wake())
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
  /** Connections whose first try a settle has waited for, and taken a turn after. */
  readonly #tried = new WeakSet<Connection>()
  /** Calls of settle under way: they look for messages at once. */
  #settling = 0
  /** The binds that others were last told to work, and whether they are full. */
  #told: string[] = []
  /** By the machine's own time, as leases are for whoever waits for them to lapse. */
  #lapse: NodeJS.Timeout | undefined

  constructor(ports: Ports, options: CarriersOptions) {
    const { log, lane, metrics, tally, lately, figures, guard, publicUrl, captures } = options
    this.#ports = ports
    this.#guard = new AddressGuard(guard)
    this.#publicUrl = publicUrl
    this.#lately = lately
    this.#figures = figures
    this.#log = log
    this.#tally = tally
    this.#lane = lane
    this.#places = new Places(ports.db)
    this.#prices = new PriceLists(ports.db)
    this.#inbox = new Inbox({ ports, log, lane, tally })
    this.#unserved = new Unserved(ports, log)
    this.#holder = ports.ids.next()
    this.#captures = captures
    this.#tests = new CarrierTests({
      ports,
      log,
      holder: this.#holder,
      find: (carrierId, number) => {
        const worker = this.#workers.get(carrierId)
        const bind = worker?.binds.get(number)
        return worker && bind ? { carrier: worker.carrier, bind } : null
      },
    })
    this.#pollers = new ReceiptPollers({
      ...{ ports, log, lane, guard: this.#guard, metrics, tally },
      paced: (perSecond) => new Pace(perSecond),
      exchanged: (carrierId, read) => captures.add(carrierId, () => ({ ...OF_NO_BIND, ...read() })),
    })
    const turn = () => this.#turn()
    this.#loop = new Loop({
      name: 'carriers',
      clock: ports.clock,
      log,
      pollMs: LOOK_MS,
      turn,
      isLoggedElsewhere: isAway,
    })
  }

  /** Carriers or routes may have changed. */
  look(): void {
    this.#loop.wake()
  }

  /** Somebody asks whether the carriers behind our binds are there. */
  test(): void {
    this.#tests.look()
  }

  /**
   * There may be messages, and some of them where nobody waited before. Where a carrier is to be tried with one, it must be there
   * before those that take them all.
   */
  wake(): void {
    const wakeAll = () => {
      const workers = [...this.#workers.values()]
      for (const worker of workers) if (!worker.isWorking) worker.wake()
      for (const worker of workers) if (worker.isWorking) worker.wake()
    }
    wakeAll()
    // While the database is away, the log tells so, and all look again now and then.
    this.#places.look().then(wakeAll, () => {})
  }

  /** How many binds of each carrier are bound in this process, by the carrier's name. */
  boundBinds(): Map<string, number> {
    const bound = (id: string) =>
      [...(this.#workers.get(id)?.binds.values() ?? [])].filter((bind) => bind.health.state === 'bound').length
    return new Map(Array.from(this.#enabled.values(), ({ id, name }) => [name, bound(id)]))
  }

  workingCarriers(): ReadonlyMap<string, number> {
    return this.#working
  }

  /** By name: 1 for each carrier of this process that takes nothing though it is bound, else 0. */
  brokenCircuits(): Map<string, number> {
    return new Map(Array.from(this.#workers.values(), ({ carrier, isBroken }) => [carrier.name, Number(isBroken)]))
  }

  /** Stores when to ask about accepted submissions, where their carriers are asked (D54). */
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
      if (this.#leaving.held().length > 0) {
        await this.#leaving.over()
        await this.#loop.settle()
      }
      const untried = this.#connections().filter((connection) => !this.#tried.has(connection))
      if (untried.length > 0) {
        await Promise.all(untried.map((connection) => connection.tried))
        await this.#loop.settle()
        for (const connection of untried) this.#tried.add(connection)
      }
      await this.#places.look({ atOnce: true })
      const worked = await Promise.all([...this.#workers.values()].map((worker) => worker.settle()))
      const asked = await this.#pollers.settle()
      return asked || worked.includes(true)
    } finally {
      this.#settling -= 1
    }
  }

  async stop(): Promise<void> {
    await this.#loop.stop()
    await this.#tests.drain()
    await this.#pollers.stop()
    clearTimeout(this.#lapse)
    const binds = this.#held()
    const connections = this.#connections()
    const hangUp = setTimeout(() => {
      for (const connection of connections) connection.hangUp()
      this.#leaving.hangUp()
    }, STOPPING_MS)
    await Promise.all([...this.#workers.values()].map((worker) => worker.stop()))
    await this.#leaving.over()
    clearTimeout(hangUp)
    this.#guard.close()
    await releaseHeldBinds(this.#ports, { holder: this.#holder, binds })
    await this.#figures.write((counted) => recordMetrics(this.#ports, counted))
  }

  /** Renews what is held, takes up and lets go, and deals out the work anew. */
  async #turn(): Promise<Turn> {
    // Before carriers and routes: read after them, it could hide a change that this turn has not seen.
    const revision = await readRoutingRevision(this.#ports.db)
    const askedAt = performance.now()
    const held = this.#held()
    const holding = await holdBinds(this.#ports, { holder: this.#holder, held, lately: this.#lately.counts })
    this.#holdUntil(askedAt + LEASE_MS)
    // A message taken in here may be for a carrier that another process has bound.
    for (const station of ['delivery', 'carriers', 'carrierTests'] as const)
      this.#ports.notifications.share(station, holding.processes > 1)
    const enabled = new Map(holding.carriers.filter((it) => it.enabled).map((it) => [it.id, it]))
    this.#enabled = enabled
    this.#dismiss(enabled)
    const named = new Set(holding.held.map(bindKey))
    for (const worker of this.#workers.values()) this.#unbind(worker, (bind) => !named.has(bindKey(bind)))
    for (const bind of holding.held) {
      const carrier = enabled.get(bind.carrierId)
      if (carrier) this.#bind(carrier, bind)
    }
    this.#pollers.keep(holding.held, enabled)
    await this.#dealOut(enabled, holding.workingElsewhere, revision)
    this.#tellOthers(held)
    await this.#figures.write((counted) => recordMetrics(this.#ports, counted))
    return { worked: false }
  }

  /** That a carrier works here, or has room, or does not any more, is news for whoever has the next one bound. */
  #tellOthers(held: HeldBind[]): void {
    const working = held.filter((bind) => bind.works).map((bind) => `${bindKey(bind)} ${bind.isFull}`)
    if (isDeepStrictEqual(working, this.#told)) return
    this.#told = working
    this.#ports.notifications.notify('carriers')
  }

  /**
   * Cut off from the database, a process cannot renew its leases, and hears nothing of who takes its binds over: by then it must
   * have unbound, or the carrier, which counts binds, lets nobody else in.
   */
  #holdUntil(lapsesAt: number): void {
    clearTimeout(this.#lapse)
    this.#lapse = setTimeout(() => this.#letGo(lapsesAt), msUntil(lapsesAt - LEAVING_MS))
  }

  #letGo(lapsesAt: number): void {
    const bound = [...this.boundBinds().values()].reduce((sum, count) => sum + count, 0)
    if (bound > 0) this.#log.warn({ binds: bound }, 'binds are let go, for their leases could not be renewed')
    for (const worker of this.#workers.values()) this.#unbind(worker, () => true)
    this.#lapse = setTimeout(() => this.#leaving.hangUp(), msUntil(lapsesAt))
  }

  /** Carriers that are gone or switched off, and binds whose settings have changed. */
  #dismiss(enabled: ReadonlyMap<string, Carrier>): void {
    for (const [id, worker] of this.#workers) {
      const carrier = enabled.get(id)
      if (!carrier) {
        this.#workers.delete(id)
        this.#leaving.add([...worker.binds.values()], worker.stop())
      } else if (!isDeepStrictEqual(linkSettings(carrier), linkSettings(worker.carrier))) {
        this.#unbind(worker, () => true)
        // What is bound from here on goes by what is set now.
        worker.carrier = carrier
        worker.beginAnew()
      }
    }
  }

  #unbind(worker: CarrierWorker, which: (bind: Connection) => boolean): void {
    for (const bind of [...worker.binds.values()].filter(which)) {
      worker.binds.delete(bind.number)
      this.#leaving.add([bind], bind.close())
    }
  }

  #bind(carrier: Carrier, name: BindName & Pick<Connection, 'mode'>): void {
    const ports = this.#ports
    const onChange = () => this.#loop.wake()
    const sharing = this.#sharing
    const places = this.#places
    const options = { ports, places, log: this.#log, lane: this.#lane, tally: this.#tally, carrier, sharing, onChange }
    const worker = this.#workers.getOrInsertComputed(carrier.id, () => new CarrierWorker(options))
    if (worker.binds.has(name.number) || this.#leaving.has(name)) return
    const events: ConnectionEvents = {
      hear: (delivered) => this.#inbox.hear(worker.carrier, delivered),
      changed: () => this.#loop.wake(),
      exchanged: (read) => this.#captures.add(name.carrierId, () => ({ ...OF_NO_BIND, bind: name.number, ...read() })),
      strayed: () => this.#tally.stray(carrier.id),
    }
    const link = { ...name, homes: () => worker.homes, ports, log: this.#log, events }
    const bind =
      carrier.kind === 'http'
        ? new HttpConnection({ ...link, carrier, guard: this.#guard, publicUrl: this.#publicUrl })
        : new Bind({ ...link, carrier: () => stillSmpp(worker.carrier) })
    worker.binds.set(name.number, bind)
  }

  async #dealOut(
    carriers: ReadonlyMap<string, Carrier>,
    workingElsewhere: Holding['workingElsewhere'],
    revision: number,
  ): Promise<void> {
    const { db, clock } = this.#ports
    const [routes, countries] = await Promise.all([
      listWorkingRoutes(db, clock.now()),
      listCountries(db),
      this.#places.look({ atOnce: this.#settling > 0 }),
      this.#prices.look(),
    ])
    const isWorkingHere = (id: string) => this.#workers.get(id)?.isWorking ?? false
    const isWorking = (id: string) => workingElsewhere.has(id) || isWorkingHere(id)
    const isFull = (id: string) =>
      (workingElsewhere.get(id)?.isFull ?? true) && (!isWorkingHere(id) || (this.#workers.get(id)?.isFull ?? true))
    this.#working = new Map(Array.from(carriers.values(), ({ id, name }) => [name, Number(isWorking(id))]))
    this.#places.judgeBy({ revision, routes, isWorking, isFull })
    this.#figures.setPrefixes(routes, countries)
    for (const [id, worker] of this.#workers) {
      const carrier = carriers.get(id)
      if (!carrier) continue
      const share = [...worker.binds.values()].filter((bind) => bind.mode !== 'receiver').length / carrier.binds
      const homes = countriesOfCarrier(id, routes, countries)
      worker.assign({ carrier, share, homes, prices: this.#prices.of(id) })
    }
    await this.#unserved.look({ routes, places: this.#places.known, isEnabled: (id) => carriers.has(id) })
  }

  #connections(): Connection[] {
    return [...this.#workers.values()].flatMap((worker) => [...worker.binds.values()])
  }

  #held(): HeldBind[] {
    const working = [...this.#workers.values()].flatMap((worker) =>
      Array.from(worker.binds.values(), (bind) => worker.reportOn(bind)),
    )
    return [...working, ...this.#leaving.held()]
  }
}

function msUntil(at: number): number {
  return Math.max(0, at - performance.now())
}

/** What cannot change while a connection stands. */
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
