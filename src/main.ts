// The entry: reads the settings, brings up the database and the service, and takes both down again.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { makeDemo } from './actions/make-demo.ts'
import { matchKeyring } from './actions/match-keyring.ts'
import { banner } from './banner.ts'
import { type Config, readConfig } from './config.ts'
import { loadKeyring, loadOperatorToken, reason, StartFault } from './first-start.ts'
import { systemChance } from './runtime/chance.ts'
import { type Clock, ManualClock, SystemClock } from './runtime/clock.ts'
import { createLog, type Log } from './runtime/log.ts'
import { Metrics } from './runtime/metrics.ts'
import { type Service, startService } from './service.ts'
import { type BundledPostgres, BundledPostgresFault, openBundledPostgres } from './store/bundled-postgres.ts'
import { Db } from './store/db.ts'
import { migrate, SchemaFault } from './store/migrate.ts'
import { readService } from './store/service.ts'

const DATABASE_PATIENCE_MS = 10_000
const CONNECTIONS = 20

await main()

async function main(): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const read = readConfig(process.env)
  if ('faults' in read) return giveUp(read.faults)
  const log = createLog(read.config.logLevel)
  try {
    await run(read.config, log)
  } catch (fault) {
    giveUp([sentence(fault)])
  }
}

/** Things are taken down in the reverse of the order they were brought up, also when the start fails half-way. */
async function run(config: Config, log: Log): Promise<void> {
  const undo: (() => Promise<void>)[] = []
  const takeDown = async () => {
    for (const step of undo.toReversed()) await step()
  }
  try {
    const bundled = config.databaseUrl === null ? await openBundledPostgres(config.dataDirectory) : null
    if (bundled) undo.push(() => bundled.release())
    const db = new Db(config.databaseUrl ?? bundled?.connection ?? '', { connections: CONNECTIONS })
    undo.push(() => db.close())
    const { service, text } = await prepare(config, { db, log, bundled })
    undo.push(() => service.stop())
    process.stdout.write(text)
  } catch (fault) {
    await takeDown()
    throw fault
  }
  stopOnSignal(takeDown, log)
}

async function prepare(
  config: Config,
  { db, log, bundled }: { db: Db; log: Log; bundled: BundledPostgres | null },
): Promise<{ service: Service; text: string }> {
  await reachDatabase(db, config)
  await migrate(db, new SystemClock().now())
  const clock = await chooseClock(config, db)
  const keyringFile = config.keyringFile ?? join(config.dataDirectory, 'keyring.json')
  const keyring = loadKeyring(keyringFile, systemChance)
  const foreignKey = await matchKeyring(db, keyring)
  if (foreignKey) {
    throw new StartFault(
      `The keyring ${keyringFile} is not the one this database was used with: it lacks the key '${foreignKey.keyId}' for ${foreignKey.purpose}.`,
    )
  }
  const operator = config.operatorToken
    ? { token: config.operatorToken, made: false }
    : loadOperatorToken(join(config.dataDirectory, 'operator-token'), systemChance)
  const parts = {
    config,
    db,
    clock,
    chance: systemChance,
    keyring,
    operatorToken: operator.token,
    log,
    metrics: new Metrics(),
  }
  const service = await startService(parts)
  const demo = config.demo ? await makeDemo(service.house) : null
  const data = bundled
    ? `${resolve(config.dataDirectory)} (database in ${bundled.directory})`
    : 'the database at DATABASE_URL'
  const text = banner({ url: service.url, roles: config.roles, data, operator, demo, vendor: config.vendor })
  return { service, text }
}

async function reachDatabase(db: Db, config: Config): Promise<void> {
  const until = performance.now() + DATABASE_PATIENCE_MS
  for (;;) {
    try {
      await db.ping()
      return
    } catch (fault) {
      if (performance.now() > until) {
        const which = config.databaseUrl ? 'The database at DATABASE_URL' : 'The bundled database'
        throw new StartFault(`${which} cannot be reached within 10 s (${reason(fault) || 'no answer'}).`)
      }
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
}

/** A manual clock goes on where it stood, so that a restart does not turn time back. */
async function chooseClock(config: Config, db: Db): Promise<Clock> {
  const system = new SystemClock()
  if (config.clock === 'system') return system
  const { manualClockAt } = await readService(db)
  const now = system.now()
  return new ManualClock(manualClockAt && manualClockAt > now ? manualClockAt : now)
}

function stopOnSignal(takeDown: () => Promise<void>, log: Log): void {
  let stopping = false
  const onSignal = async (signal: NodeJS.Signals) => {
    if (stopping) return
    stopping = true
    log.info({ signal }, 'stopping')
    await takeDown()
    process.exit(0)
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
}

/** One clear sentence, never a stack trace, for what a person can put right; the rest is a bug and shows itself. */
function sentence(fault: unknown): string {
  if (fault instanceof StartFault || fault instanceof SchemaFault || fault instanceof BundledPostgresFault)
    return fault.message
  if (fault instanceof Error && 'code' in fault) {
    if (fault.code === 'EADDRINUSE')
      return `The port is taken by another program (${fault.message}); choose another with PORT.`
    if (fault.code === 'EACCES') return `The port may not be used (${fault.message}); choose another with PORT.`
    if (fault.code === 'EADDRNOTAVAIL') return `HOST is no address of this machine (${fault.message}).`
    if (fault.code === 'ENOENT') return `A file is missing (${fault.message}).`
  }
  return `Hulaki could not start: ${reason(fault)}`
}

function giveUp(sentences: string[]): void {
  for (const line of sentences) console.error(`hulaki: ${line}`)
  process.exitCode = 1
}
