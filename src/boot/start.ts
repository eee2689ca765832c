// Starts and stops the service: settings, database, processes and roles.
import { fstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isatty } from 'node:tty'
import { parseEnv } from 'node:util'
import { type IssuedLink, inviteFirstOperator } from '../actions/people/invite-people.ts'
import { type DemoKeys, makeDemo } from '../actions/workspaces/make-demo.ts'
import { consoleLink } from '../manage/browser.ts'
import { inBackground, type Log } from '../runtime/log.ts'
import { RpcRouter } from '../runtime/process-rpc.ts'
import { openBundledPostgres } from '../store/database/bundled-postgres.ts'
import { type DatabaseAddress, Db } from '../store/database/db.ts'
import { banner } from './banner.ts'
import { type Config, isShared, readConfig } from './config.ts'
import { openLog } from './exit-on-bugs.ts'
import { readIfExists } from './first-start.ts'
import { connectionsOf, ROLES_CONNECTIONS } from './pools.ts'
import { type PreparedDatabase, prepareDatabase } from './prepare-database.ts'
import { HANGUP_SIGNAL, isWorker, STOP_SIGNALS, Workers } from './processes.ts'
import { CleanupStack, type Processes } from './run.ts'
import { describeStartFailure } from './start-errors.ts'
import { watchTlsFiles } from './tls-files.ts'

/** Checked at the start: a closed terminal is no longer detectable. */
const hasTerminal = isatty(0)

export async function start(): Promise<void> {
  if (isWorker()) return (await import('./worker.ts')).runWorker()
  const read = readSettings()
  if ('errors' in read) return exitWithErrors(read.errors)
  const log = openLog(read.config)
  const { stopping, forceStop } = handleSignals(log)
  const cleanup = new CleanupStack()
  try {
    const drain = await startAll(read.config, { log, cleanup, stopping })
    await aborted(stopping)
    drain()
    await waitForLoadBalancers(read.config, forceStop)
    await cleanup.run()
    process.exit(0)
  } catch (error) {
    await cleanup.run()
    if (stopping.aborted) process.exit(0)
    exitWithErrors([describeStartFailure(error)])
  }
}

function readSettings(): ReturnType<typeof readConfig> {
  try {
    const file = parseEnv(readIfExists(resolve('.env')) ?? '')
    // Environment variables override .env.
    for (const [name, value] of Object.entries(file)) process.env[name] ??= value
    return readConfig(process.env)
  } catch (error) {
    return { errors: [describeStartFailure(error)] }
  }
}

interface StartContext {
  log: Log
  cleanup: CleanupStack
  stopping: AbortSignal
}

/** Returns the function that starts draining. */
async function startAll(config: Config, { log, cleanup, stopping }: StartContext): Promise<() => void> {
  const processes = forkWorkers(config, log)
  // Loads the code and bundles the console while the database starts.
  if (!processes && config.roles.includes('api'))
    inBackground(
      import('../console/serve.ts').then((it) => it.startBundling(log)),
      log,
      'bundling the console',
    )
  const [{ address, data }, { runRoles }] = await Promise.all([
    openDatabase(config, { log, cleanup }),
    import('./run.ts'),
  ])
  stopping.throwIfAborted()
  const db = new Db(address, { connections: ROLES_CONNECTIONS, pooler: config.poolerUrl })
  cleanup.add(() => db.close())
  const prepared = await prepareDatabase(config, db, { stopping, log })
  stopping.throwIfAborted()
  const { service, url, useCertificate, drain } = await runRoles(
    { config, address, db, log, prepared, cleanup },
    processes,
  )
  // The last check for a stop: keys created after this line are shown only once and must be printed.
  stopping.throwIfAborted()
  const demo = config.demo && config.roles.includes('api') ? await makeDemo(service.ports) : null
  const tlsWatch = config.tls && watchTlsFiles(config.tls, log, useCertificate)
  cleanup.add(async () => tlsWatch?.stop())
  process.on(HANGUP_SIGNAL, () => {
    if (!hasTerminal) tlsWatch?.reload()
  })
  const link = config.roles.includes('api') ? await inviteFirstOperator(service.ports) : null
  printBanner({ config, log, url, data, prepared, demo, link })
  return drain
}

/** Load balancers must see /readyz fail before the service stops accepting requests. */
async function waitForLoadBalancers({ roles, drainSeconds }: Config, forceStop: AbortSignal): Promise<void> {
  if (roles.includes('api')) await sleep(drainSeconds * 1000, null, { signal: forceStop }).catch(() => {})
}

function forkWorkers(config: Config, log: Log): Processes | null {
  if (config.processes === 1 || !config.roles.some(isShared)) return null
  const rpc = new RpcRouter()
  return { workers: new Workers(config.processes, { log, rpc }), rpc }
}

async function openDatabase(
  config: Config,
  { log, cleanup }: Pick<StartContext, 'log' | 'cleanup'>,
): Promise<{ address: DatabaseAddress; data: string }> {
  const folder = resolve(config.dataDirectory)
  if (config.databaseUrl !== null) return { address: config.databaseUrl, data: `${folder} (database at DATABASE_URL)` }
  const bundled = await openBundledPostgres(config.dataDirectory, { log, connections: connectionsOf(config) })
  cleanup.add(() => bundled.release())
  return { address: bundled.connection, data: `${folder} (database in ${bundled.directory})` }
}

interface StartResult {
  config: Config
  log: Log
  url: string
  data: string
  prepared: PreparedDatabase
  demo: DemoKeys | null
  /** null: an operator exists. */
  link: IssuedLink | null
}

function printBanner({ config, log, url, data, prepared: { clock, operator }, demo, link }: StartResult): void {
  const { roles, processes } = config
  const stoppedAt = config.clock === 'manual' ? clock.now() : null
  if (stoppedAt) log.warn({ stoppedAt }, 'manual clock: time advances only by API call')
  const origin = config.publicUrl ?? url
  const console = link ? consoleLink(origin, link.secret) : `${origin}/console`
  const info = { url, roles, processes, data, stoppedAt, operator, demo, console, isFirst: link !== null }
  const secretsFile =
    hasFileOutput() && (link || demo || operator.isNew)
      ? writeSecrets(config, banner({ ...info, secretsFile: null }))
      : null
  const withoutSecrets = {
    demo: null,
    console: `${origin}/console`,
    isFirst: false,
    operator: { ...operator, isNew: false },
  }
  process.stdout.write(banner({ ...info, ...(secretsFile !== null && withoutSecrets), secretsFile }))
}

/** A log file is often readable by others and outlives the keys. */
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

/** npm forwards Ctrl-C, so one key press may arrive as two signals. */
const SAME_SIGNAL_MS = 500

/** Signals also stop a start in progress. A second signal skips the wait for load balancers. */
function handleSignals(log: Log): { stopping: AbortSignal; forceStop: AbortSignal } {
  const stopping = new AbortController()
  const forceStop = new AbortController()
  let firstAt = Number.POSITIVE_INFINITY
  const onSignal = (signal: NodeJS.Signals) => {
    if (performance.now() - firstAt > SAME_SIGNAL_MS) forceStop.abort()
    if (stopping.signal.aborted) return
    log.info({ signal }, 'stopping')
    firstAt = performance.now()
    stopping.abort()
  }
  for (const signal of STOP_SIGNALS) process.on(signal, onSignal)
  // With a terminal, SIGHUP means that the terminal closed.
  process.on(HANGUP_SIGNAL, (signal) => {
    if (hasTerminal) onSignal(signal)
    else log.info({ signal }, 'reloading certificate')
  })
  return { stopping: stopping.signal, forceStop: forceStop.signal }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve())
  })
}

function exitWithErrors(errors: string[]): never {
  for (const error of errors) console.error(`hulaki: ${error}`)
  process.exit(1)
}
