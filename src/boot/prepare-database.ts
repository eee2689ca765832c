// Runs before the roles start: connects and migrates the database, sets the clock and loads the keys.
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findPoolerFault, sharesSessions } from '../actions/service/check-pooler.ts'
import { matchKeyring } from '../actions/service/match-keyring.ts'
import { type Clock, ManualClock, SystemClock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import { systemRandom } from '../runtime/random.ts'
import { type Db, sqlState } from '../store/database/db.ts'
import { migrate } from '../store/database/migrate.ts'
import { listKnownKeys, readConnectionLimit, readService } from '../store/service/service.ts'
import type { Config } from './config.ts'
import { loadKeyring, loadOperatorToken, type OperatorToken, readKeyring, usualKeyringFile } from './first-start.ts'
import { connectionsOf } from './pools.ts'
import { errorMessage, StartError } from './start-errors.ts'

export interface PreparedDatabase {
  clock: Clock
  keyringText: string
  operator: OperatorToken
}

const DATABASE_TIMEOUT_MS = 10_000
const POLL_MS = 200
const LOG_AGAIN_MS = 10_000

export async function prepareDatabase(
  config: Config,
  db: Db,
  { stopping, log }: { stopping: AbortSignal; log: Log },
): Promise<PreparedDatabase> {
  const { databaseUrl, poolerUrl } = config
  const which = databaseUrl ? 'The database at DATABASE_URL' : 'The bundled database'
  await reachDatabase(db.direct, which, { isOwn: databaseUrl === null, stopping, log })
  stopping.throwIfAborted()
  if (databaseUrl !== null && (await sharesSessions(db.direct)))
    throw new StartError(
      'The database at DATABASE_URL is behind a pooler that shares sessions between connections (pgbouncer: pool_mode = transaction); use pool_mode = session, or set the pooler as HULAKI_POOLER_URL and the server itself as DATABASE_URL.',
    )
  await checkMaxConnections(config, db.direct)
  if (poolerUrl !== null) await checkPooler(db, { stopping, log })
  await migrate(db, new SystemClock().now(), { stopping, log })
  const clock = await chooseClock(config, db)
  const keyringText = await chooseKeyring(config, db)
  const operator = config.operatorToken
    ? { token: config.operatorToken, isNew: false, file: null }
    : loadOperatorToken(join(config.dataDirectory, 'operator-token'), systemRandom)
  return { clock, keyringText, operator }
}

/**
 * Waits without a limit for a database at DATABASE_URL, which may be recovering or starting, and logs the reason. The bundled database has
 * a timeout.
 */
async function reachDatabase(
  db: Db,
  which: string,
  { isOwn, stopping, log }: { isOwn: boolean; stopping: AbortSignal; log: Log },
): Promise<void> {
  const beganAt = performance.now()
  let loggedAt = Number.NEGATIVE_INFINITY
  for (;;) {
    const error = await Promise.race([
      db.ping().then(
        () => null,
        (it: unknown) => it,
      ),
      timeOut(stopping),
    ])
    if (error === null) return
    stopping.throwIfAborted()
    const obstacle = errorMessage(error)
    if (isRefusal(error)) throw new StartError(`${which} refused the connection (${obstacle}).`)
    if (isPermanent(error)) throw new StartError(`${which} cannot be used (${obstacle}).`)
    const waitedMs = performance.now() - beganAt
    if (isOwn && waitedMs > DATABASE_TIMEOUT_MS)
      throw new StartError(`${which} is not reachable within ${DATABASE_TIMEOUT_MS / 1000} s (${obstacle}).`)
    if (performance.now() - loggedAt > LOG_AGAIN_MS) {
      loggedAt = performance.now()
      log.warn({ reason: obstacle, seconds: Math.round(waitedMs / 1000) }, 'database not reachable, retrying')
    }
    await sleep(POLL_MS, undefined, { signal: stopping })
  }
}

async function checkPooler(db: Db, { stopping, log }: { stopping: AbortSignal; log: Log }): Promise<void> {
  const which = 'The pooler at HULAKI_POOLER_URL'
  await reachDatabase(db, which, { isOwn: false, stopping, log })
  const fault = await findPoolerFault(db)
  if (fault !== null) throw new StartError(`${which} ${fault}.`)
}

/** A server that accepts the connection but does not respond. */
async function timeOut(stopping: AbortSignal): Promise<unknown> {
  await sleep(DATABASE_TIMEOUT_MS, undefined, { signal: stopping, ref: false }).catch(() => {})
  return new Error('no response')
}

/** Fails at the start instead of under load. */
async function checkMaxConnections(config: Config, db: Db): Promise<void> {
  const [most, needed] = [await readConnectionLimit(db), connectionsOf(config)]
  if (most >= needed) return
  const few = `allows ${most} connections, and the service needs up to ${needed} (HULAKI_PROCESSES=${config.processes})`
  throw new StartError(
    config.databaseUrl
      ? `The database at DATABASE_URL ${few}; raise its max_connections, or lower HULAKI_PROCESSES.`
      : `The bundled database was started by a service with fewer processes: it ${few}; stop that service first.`,
  )
}

/** Classes 28, 3D and 42: a wrong password, database name or privilege. Waiting does not help. */
function isRefusal(error: unknown): boolean {
  return /^(28|3D|42)/.test(sqlState(error) ?? '')
}

/** A wrong TLS setting or an unreadable certificate file. Waiting does not help. */
function isPermanent(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code = '', syscall, message } = error as NodeJS.ErrnoException
  if (/^(ERR_(INVALID_URL|SSL|TLS)|UNABLE_TO)|CERT/.test(code) || /does not support SSL/.test(message)) return true
  return syscall === 'open' || error instanceof URIError
}

/** A manual clock continues from its stored time, so that a restart does not turn time back. */
async function chooseClock(config: Config, db: Db): Promise<Clock> {
  const system = new SystemClock()
  if (config.clock === 'system') return system
  const { manualClockAt } = await readService(db)
  const now = system.now()
  return new ManualClock(manualClockAt && manualClockAt > now ? manualClockAt : now)
}

/** Creates a keyring only for a database that has never used one, and only in the data folder. */
async function chooseKeyring({ keyringFile, dataDirectory }: Config, db: Db): Promise<string> {
  const file = resolve(keyringFile ?? usualKeyringFile(dataDirectory))
  // Queried before the file is read: a process that starts at the same time creates the file first and then registers its keys.
  const isFirst = keyringFile === null && (await listKnownKeys(db)).length === 0
  const { text, keyring } = isFirst ? loadKeyring(file, systemRandom) : readKeyring(file, systemRandom)
  const foreign = await matchKeyring(db, keyring)
  if (foreign) {
    const { isHeld, keyId, purpose } = foreign
    const difference = isHeld
      ? `its key '${keyId}' for ${purpose} is different`
      : `it lacks the key '${keyId}' for ${purpose}`
    throw new StartError(`The keyring ${file} does not belong to this database: ${difference}.`)
  }
  return text
}
