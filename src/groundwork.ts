// What every start lays before a role may run: the database reached and migrated, the clock, the keys.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { matchKeyring } from './actions/match-keyring.ts'
import type { Config } from './config.ts'
import { loadKeyring, loadOperatorToken } from './first-start.ts'
import { systemChance } from './runtime/chance.ts'
import { type Clock, ManualClock, SystemClock } from './runtime/clock.ts'
import { reason, StartFault } from './start-fault.ts'
import { type Db, faultCode } from './store/db.ts'
import { migrate } from './store/migrate.ts'
import { readService } from './store/service.ts'

export interface Groundwork {
  clock: Clock
  keyringText: string
  operator: { token: string; made: boolean }
}

const DATABASE_PATIENCE_MS = 10_000
const GLANCE_MS = 200

export async function layGroundwork(config: Config, db: Db, stopping: AbortSignal): Promise<Groundwork> {
  await reachDatabase(config, db, stopping)
  await migrate(db, new SystemClock().now())
  const clock = await chooseClock(config, db)
  const keyringText = await chooseKeyring(config, db)
  const operator = config.operatorToken
    ? { token: config.operatorToken, made: false }
    : loadOperatorToken(join(config.dataDirectory, 'operator-token'), systemChance)
  return { clock, keyringText, operator }
}

async function reachDatabase({ databaseUrl }: Config, db: Db, stopping: AbortSignal): Promise<void> {
  const which = databaseUrl ? 'The database at DATABASE_URL' : 'The bundled database'
  const bound = AbortSignal.any([stopping, AbortSignal.timeout(DATABASE_PATIENCE_MS)])
  let obstacle = 'no answer'
  const look = async (): Promise<void> => {
    try {
      await db.ping()
    } catch (fault) {
      obstacle = reason(fault)
      // A wrong password or name (classes 28 and 3D) does not become right by waiting.
      if (/^(28|3D)/.test(faultCode(fault) ?? '')) throw new StartFault(`${which} does not let us in (${obstacle}).`)
      await sleep(GLANCE_MS, undefined, { signal: bound })
      await look()
    }
  }
  const outOfTime = new Promise<never>((_, reject) => {
    bound.addEventListener('abort', () => {
      reject(new StartFault(`${which} cannot be reached within ${DATABASE_PATIENCE_MS / 1000} s (${obstacle}).`))
    })
  })
  await Promise.race([look(), outOfTime])
}

/** A manual clock goes on where it stood, so that a restart does not turn time back. */
async function chooseClock(config: Config, db: Db): Promise<Clock> {
  const system = new SystemClock()
  if (config.clock === 'system') return system
  const { manualClockAt } = await readService(db)
  const now = system.now()
  return new ManualClock(manualClockAt && manualClockAt > now ? manualClockAt : now)
}

async function chooseKeyring(config: Config, db: Db): Promise<string> {
  const file = config.keyringFile ?? join(config.dataDirectory, 'keyring.json')
  const { text, keyring } = loadKeyring(file, systemChance)
  const foreign = await matchKeyring(db, keyring)
  if (foreign) {
    throw new StartFault(
      `The keyring ${file} is not the one this database was used with: it lacks the key '${foreign.keyId}' for ${foreign.purpose}.`,
    )
  }
  return text
}
