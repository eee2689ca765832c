// A start: settings, database, processes and roles are brought up, and taken down again in reverse.
import { fstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isatty } from 'node:tty'
import { parseEnv } from 'node:util'
import { type IssuedLink, inviteFirstOperator } from '../actions/people/invite-people.ts'
import { type DemoKeys, makeDemo } from '../actions/workspaces/make-demo.ts'
import { consoleLink } from '../manage/browser.ts'
import { inBackground, type Log } from '../runtime/log.ts'
import { Switchboard } from '../runtime/switchboard.ts'
import { openBundledPostgres } from '../store/database/bundled-postgres.ts'
import { type DatabaseAddress, Db } from '../store/database/db.ts'
import { banner } from './banner.ts'
import { type Config, isShared, readConfig } from './config.ts'
import { openLog } from './exit-on-bugs.ts'
import { readIfThere } from './first-start.ts'
import { connectionsOf, ROLES_CONNECTIONS } from './pools.ts'
import { type PreparedDatabase, prepareDatabase } from './prepare-database.ts'
import { HANG_UP, isWorker, STOP_SIGNALS, Workers } from './processes.ts'
import { BroughtUp, type Processes } from './run.ts'
import { sentenceOf } from './start-sentence.ts'

/** Asked at the start: one that has closed does not tell that it was one. */
const hasTerminal = isatty(0)

export async function start(): Promise<void> {
  if (isWorker()) return (await import('./worker.ts')).runWorker()
  const read = readSettings()
  if ('faults' in read) return giveUp(read.faults)
  const log = openLog(read.config.logLevel)
  const { stopping, forceStop } = heedSignals(log)
  const brought = new BroughtUp()
  try {
    const drain = await bringUp(read.config, { log, brought, stopping })
    await aborted(stopping)
    drain()
    await waitForBalancers(read.config, forceStop)
    await brought.takeDown()
    process.exit(0)
  } catch (fault) {
    await brought.takeDown()
    if (stopping.aborted) process.exit(0)
    giveUp([sentenceOf(fault)])
  }
}

function readSettings(): ReturnType<typeof readConfig> {
  try {
    const file = parseEnv(readIfThere(resolve('.env')) ?? '')
    // What the environment says goes before what the file says.
    for (const [name, value] of Object.entries(file)) process.env[name] ??= value
    return readConfig(process.env)
  } catch (fault) {
    return { faults: [sentenceOf(fault)] }
  }
}

interface Bringing {
  log: Log
  brought: BroughtUp
  stopping: AbortSignal
}

/** Returns what begins a stop. */
async function bringUp(config: Config, { log, brought, stopping }: Bringing): Promise<() => void> {
  const processes = forkWorkers(config, log)
  // The code of the roles is loaded, and the console put together, while the database starts.
  if (!processes && config.roles.includes('api'))
    inBackground(
      import('../console/serve.ts').then((it) => it.startBundling(log)),
      log,
      'bundling the console',
    )
  const [{ address, data }, { runRoles }] = await Promise.all([
    openDatabase(config, { log, brought }),
    import('./run.ts'),
  ])
  stopping.throwIfAborted()
  const db = new Db(address, { connections: ROLES_CONNECTIONS })
  brought.add(() => db.close())
  const ground = await prepareDatabase(config, db, { stopping, log })
  stopping.throwIfAborted()
  const { service, url, reload, drain } = await runRoles({ config, address, db, log, ground, brought }, processes)
  // The last look: keys that are made from here on are also shown, for nobody can be shown them again.
  stopping.throwIfAborted()
  // Only where they can be used, and so are shown.
  const demo = config.demo && config.roles.includes('api') ? await makeDemo(service.ports) : null
  process.on(HANG_UP, () => {
    if (!hasTerminal) reload()
  })
  const link = config.roles.includes('api') ? await inviteFirstOperator(service.ports) : null
  tell({ config, log, url, data, ground, demo, link })
  return drain
}

/** They ask whether it is ready, and must have heard that it is not before it stops taking requests. */
async function waitForBalancers({ roles, drainSeconds }: Config, forceStop: AbortSignal): Promise<void> {
  if (roles.includes('api')) await sleep(drainSeconds * 1000, null, { signal: forceStop }).catch(() => {})
}

/** Should the start fail before they serve, they end with this process. */
function forkWorkers(config: Config, log: Log): Processes | null {
  if (config.processes === 1 || !config.roles.some(isShared)) return null
  const board = new Switchboard()
  return { workers: new Workers(config.processes, { log, board }), board }
}

async function openDatabase(
  config: Config,
  { log, brought }: Pick<Bringing, 'log' | 'brought'>,
): Promise<{ address: DatabaseAddress; data: string }> {
  const folder = resolve(config.dataDirectory)
  if (config.databaseUrl !== null) return { address: config.databaseUrl, data: `${folder} (database at DATABASE_URL)` }
  const bundled = await openBundledPostgres(config.dataDirectory, { log, connections: connectionsOf(config) })
  brought.add(() => bundled.release())
  return { address: bundled.connection, data: `${folder} (database in ${bundled.directory})` }
}

interface News {
  config: Config
  log: Log
  url: string
  data: string
  ground: PreparedDatabase
  demo: DemoKeys | null
  /** Until there is an operator. */
  link: IssuedLink | null
}

function tell({ config, log, url, data, ground: { clock, operator }, demo, link }: News): void {
  const { roles, processes } = config
  const standsAt = config.clock === 'manual' ? clock.now() : null
  // Nothing expires and nothing is tried again by itself: whoever reads the log has to know.
  if (standsAt) log.warn({ standsAt }, 'the clock is manual: time stands still until it is advanced')
  const at = config.publicUrl ?? url
  const console = link ? consoleLink(at, link.secret) : `${at}/console`
  const news = { url, roles, processes, data, standsAt, operator, demo, console, isFirst: link !== null }
  const secretsFile =
    hasFileOutput() && (link || demo || operator.made)
      ? writeSecrets(config, banner({ ...news, secretsFile: null }))
      : null
  const without = { demo: null, console: `${at}/console`, isFirst: false, operator: { ...operator, made: false } }
  process.stdout.write(banner({ ...news, ...(secretsFile !== null && without), secretsFile }))
}

/** A file is often open to others, and kept longer than the keys should be. */
function hasFileOutput(): boolean {
  return fstatSync(process.stdout.fd).isFile()
}

function writeSecrets({ dataDirectory }: Config, text: string): string {
  const file = resolve(dataDirectory, 'first-start.txt')
  mkdirSync(dataDirectory, { recursive: true })
  rmSync(file, { force: true })
  writeFileSync(file, text, { mode: 0o600, flush: true })
  return file
}

/** A terminal's Ctrl-C may come twice, once from the terminal and once through npm: that is still one. */
const ONE_SIGNAL_MS = 500

/** Also heard in the middle of the start. Whoever signals again does not want to wait for balancers. */
function heedSignals(log: Log): { stopping: AbortSignal; forceStop: AbortSignal } {
  const stopping = new AbortController()
  const forceStop = new AbortController()
  let firstAt = Number.POSITIVE_INFINITY
  const onSignal = (signal: NodeJS.Signals) => {
    if (performance.now() - firstAt > ONE_SIGNAL_MS) forceStop.abort()
    if (stopping.signal.aborted) return
    log.info({ signal }, 'stopping')
    firstAt = performance.now()
    stopping.abort()
  }
  for (const signal of STOP_SIGNALS) process.on(signal, onSignal)
  // Its terminal has closed. Without one it is another order, to which a start has nothing to do.
  process.on(HANG_UP, (signal) => {
    if (hasTerminal) onSignal(signal)
    else
      log.info(
        { signal },
        'certificates are read again, where there are some; the log goes to standard output as before',
      )
  })
  return { stopping: stopping.signal, forceStop: forceStop.signal }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve())
  })
}

function giveUp(sentences: string[]): never {
  for (const sentence of sentences) console.error(`hulaki: ${sentence}`)
  process.exit(1)
}
