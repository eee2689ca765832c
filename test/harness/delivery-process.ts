// A delivery role in a process of its own, for tests that kill it. Started with fork; says when it is up.
import { readConfig } from '../../src/config.ts'
import { systemChance } from '../../src/runtime/chance.ts'
import { SystemClock } from '../../src/runtime/clock.ts'
import { parseKeyring } from '../../src/runtime/keyring.ts'
import { createLog } from '../../src/runtime/log.ts'
import { Metrics } from '../../src/runtime/metrics.ts'
import { Switchboard } from '../../src/runtime/switchboard.ts'
import { startService } from '../../src/service.ts'
import { Db } from '../../src/store/db.ts'

const { TEST_ADDRESS = '', TEST_KEYRING = '' } = process.env
const read = readConfig({ PORT: '0', DATABASE_URL: 'postgres://the-test-gives-its-own', HULAKI_ROLES: 'delivery' })
if ('faults' in read) throw new Error(read.faults.join('\n'))
const db = new Db(JSON.parse(TEST_ADDRESS), { connections: 10 })
const metrics = new Metrics()
const service = await startService({
  config: read.config,
  db,
  clock: new SystemClock(),
  chance: systemChance,
  keyring: parseKeyring(TEST_KEYRING, systemChance),
  operatorToken: 'nobody-asks-this-process',
  log: createLog('error'),
  metrics,
  board: new Switchboard(),
  listen: false,
  readMetrics: () => metrics.text(),
})
process.on('SIGTERM', async () => {
  await service.stop()
  await db.close()
  process.exit(0)
})
process.send?.('up')
