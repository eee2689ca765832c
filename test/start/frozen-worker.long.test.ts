// The primary kills and replaces a frozen worker, which would keep database connections and API callers waiting.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabaseAddress } from '../harness/database.ts'
import { dataFolder, isAlive, ServiceProcess, statusOf, urlOf } from '../harness/process.ts'
import { until } from '../harness/until.ts'

test('kills and replaces a worker that does not respond', async () => {
  const service = new ServiceProcess({
    env: {
      DATABASE_URL: urlOf(await testDatabaseAddress()),
      HULAKI_DATA_DIR: dataFolder(),
      HULAKI_ROLES: 'api,delivery',
      HULAKI_PROCESSES: '2',
    },
  })
  const url = await service.url()
  await until(() => service.workerPids.length === 2)
  const [frozen = 0, other = 0] = service.workerPids
  process.kill(frozen, 'SIGSTOP')
  await until(() => !isAlive(frozen), { ms: 120_000 })
  await until(() => service.workerPids.length === 3)
  assert.match(service.stdout, /worker not responding/)
  assert(isAlive(other), 'a responding worker stays')
  for (const _ of Array(10)) assert.equal(await statusOf(`${url}/readyz`), 200)
  assert.equal(await service.stop(), 0)
})
