// Hulaki on its bundled PostgreSQL, with a configurable batch size.
import { join } from 'node:path'
import { startOwnService } from '../scripts/own-service.ts'
import { loadKeyring } from '../src/boot/first-start.ts'
import { disablePretenuring } from '../src/runtime/collector.ts'
import { createLog } from '../src/runtime/log.ts'
import { systemRandom } from '../src/runtime/random.ts'
import { openBundledPostgres } from '../src/store/database/bundled-postgres.ts'
import { Db } from '../src/store/database/db.ts'
import { migrate } from '../src/store/database/migrate.ts'
import { listener } from '../test/harness/background.ts'
import { LOCAL_RECEIVERS, reportToBenchmark } from './processes.ts'

const { BENCH_FOLDER: folder = '', BENCH_OPERATOR_TOKEN: operatorToken = '', BENCH_LARGEST_BATCH } = process.env
const { BENCH_ROLES: roles = 'api', BENCH_TRUSTED_PROXIES = '' } = process.env

disablePretenuring()
const postgres = await openBundledPostgres(folder)
const db = new Db(postgres.connection, { connections: 20 })
await migrate(db, new Date())
const options = {
  db,
  keyring: loadKeyring(join(folder, 'keyring.json'), systemRandom).keyring,
  operatorToken,
  log: createLog('warn'),
  listen: true,
  batching: BENCH_LARGEST_BATCH ? { maxBatch: Number(BENCH_LARGEST_BATCH) } : {},
}
const service = await startOwnService(roles, options, {
  ...LOCAL_RECEIVERS,
  HULAKI_TRUSTED_PROXIES: BENCH_TRUSTED_PROXIES,
})

process.once(
  'SIGTERM',
  listener(async () => {
    await service.stop()
    await db.close()
    await postgres.release()
    process.exit()
  }),
)
reportToBenchmark(Number(new URL(service.url).port))
