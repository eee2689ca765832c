// Starts the whole service in this process on a test database.
import { readConfig } from '../../src/boot/config.ts'
import { startService } from '../../src/boot/service.ts'
import type { Batching } from '../../src/runtime/batcher.ts'
import { type Clock, ManualClock } from '../../src/runtime/clock.ts'
import { newKeyringText, parseKeyring } from '../../src/runtime/keyring.ts'
import { createLog } from '../../src/runtime/log.ts'
import { RpcRouter } from '../../src/runtime/process-rpc.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { Db } from '../../src/store/database/db.ts'
import { ListedMetrics } from './listed-metrics.ts'
import { keepLog } from './log-leaks.ts'
import type { Connection } from './server.ts'

export const OPERATOR_TOKEN = 'operator-token-of-the-tests'
/** A morning in Kathmandu, in the middle of a month. */
export const START = new Date('2026-11-16T04:00:00.000Z')

/** Long database timeouts, because a slow machine is not an outage. */
const PATIENCE_MS = 60_000

/** Few connections, because each costs PostgreSQL about 20 ms of CPU. */
const CONNECTIONS = 6

export interface BootOptions {
  address: Connection
  env?: Record<string, string>
  clock?: Clock
  batching?: Partial<Batching>
  keyringText?: string
  /** Production limits, for tests about them. */
  limits?: 'generous' | 'production'
  /** Gets the lines of the log, also those of the start. */
  logged?: string[]
}

export async function bootService({
  address,
  env = {},
  clock,
  batching = {},
  keyringText,
  limits,
  logged = [],
}: BootOptions) {
  const read = readConfig({ PORT: '0', DATABASE_URL: 'postgres://the-tests-give-their-own', ...env })
  if ('errors' in read) throw new Error(read.errors.join('\n'))
  const { config } = read
  const db = new Db(address, { connections: CONNECTIONS, ...(limits !== 'production' && { answerMs: PATIENCE_MS }) })
  keepLog(() => logged)
  const keyring = keyringText ?? newKeyringText(systemRandom)
  const time = clock ?? new ManualClock(START)
  const metrics = new ListedMetrics()
  const service = await startService({
    config,
    db,
    clock: time,
    random: systemRandom,
    keyring: parseKeyring(keyring, systemRandom),
    operatorToken: OPERATOR_TOKEN,
    log: createLog('debug', { write: (line) => logged.push(line) }),
    metrics,
    rpc: new RpcRouter(),
    listen: true,
    readMetrics: () => metrics.text(),
    listensForMetrics: true,
    batching: { ...(limits !== 'production' && { maxWaitMs: PATIENCE_MS }), ...batching },
  }).catch(async (error) => {
    await db.close()
    throw error
  })
  const { vendor, publicUrl, roles } = config
  return {
    /** The settings that its OpenAPI documents depend on. */
    description: { vendor, publicUrl, roles, clock: time.constructor.name },
    url: service.url,
    address,
    keyringText: keyring,
    clock: time,
    db,
    ports: service.ports,
    logged,
    /** Uncached, unlike /metrics. */
    readMetrics: () => metrics.text(),
    listedMetrics: metrics.listed,
    drain: () => service.drain(),
    down: async () => {
      await service.stop()
      await db.close()
    },
  }
}
