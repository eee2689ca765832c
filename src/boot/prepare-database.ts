// Prepares every start before a role runs: connects and migrates the database, sets the clock and loads the keys.
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sharesSessions } from '../actions/service/check-pooler.ts'
import { matchKeyring } from '../actions/service/match-keyring.ts'
import { systemChance } from '../runtime/chance.ts'
import { type Clock, ManualClock, SystemClock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import { type Db, faultCode } from '../store/database/db.ts'
import { migrate } from '../store/database/migrate.ts'
import { listKnownKeys, readConnectionLimit, readService } from '../store/service/service.ts'
import type { Config } from './config.ts'
import { loadKeyring, loadOperatorToken, type OperatorToken, readKeyring } from './first-start.ts'
import { connectionsOf } from './pools.ts'
import { reason, StartFault } from './start-sentence.ts'

export interface PreparedDatabase {
  clock: Clock
  keyringText: string
  operator: OperatorToken
}

const DATABASE_PATIENCE_MS = 10_000
const GLANCE_MS = 200
const TELL_AGAIN_MS = 10_000

export async function prepareDatabase(
  config: Config,
  db: Db,
  { stopping, log }: { stopping: AbortSignal; log: Log },
): Promise<PreparedDatabase> {
  await reachDatabase(config, db, { stopping, log })
  stopping.throwIfAborted()
  if (config.databaseUrl !== null && (await sharesSessions(db)))
    throw new StartFault(
      'The database at DATABASE_URL lies behind a pooler that hands sessions from one connection to another (pgbouncer: pool_mode = transaction); use pool_mode = session, or connect to the server itself.',
    )
  await judgeRoom(config, db)
  await migrate(db, new SystemClock().now(), { stopping, log })
  const clock = await chooseClock(config, db)
  const keyringText = await chooseKeyring(config, db)
  const operator = config.operatorToken
    ? { token: config.operatorToken, made: false, file: null }
    : loadOperatorToken(join(config.dataDirectory, 'operator-token'), systemChance)
  return { clock, keyringText, operator }
}

/**
 * One at DATABASE_URL is waited for however long it takes: it may be recovering, or start after us, and whoever runs it reads in the log
 * what we wait for. The bundled one we have started ourselves.
 */
async function reachDatabase(
  { databaseUrl }: Config,
  db: Db,
  { stopping, log }: { stopping: AbortSignal; log: Log },
): Promise<void> {
  const which = databaseUrl ? 'The database at DATABASE_URL' : 'The bundled database'
  const beganAt = performance.now()
  let toldAt = Number.NEGATIVE_INFINITY
  for (;;) {
    const fault = await Promise.race([
      db.ping().then(
        () => null,
        (it: unknown) => it,
      ),
      silence(stopping),
    ])
    if (fault === null) return
    stopping.throwIfAborted()
    const obstacle = reason(fault)
    if (isRefusal(fault)) throw new StartFault(`${which} does not let us in (${obstacle}).`)
    if (isBeyondWaiting(fault)) throw new StartFault(`${which} cannot be used (${obstacle}).`)
    const waitedMs = performance.now() - beganAt
    if (!databaseUrl && waitedMs > DATABASE_PATIENCE_MS)
      throw new StartFault(`${which} cannot be reached within ${DATABASE_PATIENCE_MS / 1000} s (${obstacle}).`)
    if (performance.now() - toldAt > TELL_AGAIN_MS) {
      toldAt = performance.now()
      log.warn(
        { reason: obstacle, seconds: Math.round(waitedMs / 1000) },
        'the database cannot be reached; waiting for it',
      )
    }
    await sleep(GLANCE_MS, undefined, { signal: stopping })
  }
}

/** One that takes our connection and says nothing. */
async function silence(stopping: AbortSignal): Promise<unknown> {
  await sleep(DATABASE_PATIENCE_MS, undefined, { signal: stopping, ref: false }).catch(() => {})
  return new Error('no answer')
}

/** Found at the start, before the first busy hour finds it. */
async function judgeRoom(config: Config, db: Db): Promise<void> {
  const [most, needed] = [await readConnectionLimit(db), connectionsOf(config)]
  if (most >= needed) return
  const few = `takes at most ${most} connections, and the service needs up to ${needed} (HULAKI_PROCESSES=${config.processes})`
  throw new StartFault(
    config.databaseUrl
      ? `The database at DATABASE_URL ${few}; raise its max_connections, or lower HULAKI_PROCESSES.`
      : `The bundled database was started by a service with fewer processes: it ${few}; stop the other one first.`,
  )
}

/** A wrong password, name or right (classes 28, 3D and 42) does not become right by waiting. */
function isRefusal(fault: unknown): boolean {
  return /^(28|3D|42)/.test(faultCode(fault) ?? '')
}

/** Nor does what DATABASE_URL asks for: TLS that is not there or not to be trusted, a file of it that cannot be read. */
function isBeyondWaiting(fault: unknown): boolean {
  if (!(fault instanceof Error)) return false
  const { code = '', syscall, message } = fault as NodeJS.ErrnoException
  if (/^(ERR_(INVALID_URL|SSL|TLS)|UNABLE_TO)|CERT/.test(code) || /does not support SSL/.test(message)) return true
  return syscall === 'open' || fault instanceof URIError
}

/** A manual clock goes on where it stood, so that a restart does not turn time back. */
async function chooseClock(config: Config, db: Db): Promise<Clock> {
  const system = new SystemClock()
  if (config.clock === 'system') return system
  const { manualClockAt } = await readService(db)
  const now = system.now()
  return new ManualClock(manualClockAt && manualClockAt > now ? manualClockAt : now)
}

/** One is made only where the database never saw any, and only in the data folder: elsewhere a missing one is a mistake. */
async function chooseKeyring({ keyringFile, dataDirectory }: Config, db: Db): Promise<string> {
  const file = resolve(keyringFile ?? join(dataDirectory, 'keyring.json'))
  // Asked before the file is looked for: another process that starts beside us makes the file first, and then tells the database.
  const isFirst = keyringFile === null && (await listKnownKeys(db)).length === 0
  const { text, keyring } = isFirst ? loadKeyring(file, systemChance) : readKeyring(file, systemChance)
  const foreign = await matchKeyring(db, keyring)
  if (foreign) {
    const { isHeld, keyId, purpose } = foreign
    const why = isHeld
      ? `its key '${keyId}' for ${purpose} is another one`
      : `it lacks the key '${keyId}' for ${purpose}`
    throw new StartFault(`The keyring ${file} is not the one this database was used with: ${why}.`)
  }
  return text
}
