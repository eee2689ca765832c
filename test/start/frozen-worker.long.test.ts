// A worker that is frozen, not dead, holds connections of the database and callers of the API: the primary ends and replaces it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabaseAddress } from '../harness/database.ts'
import { dataFolder, isAlive, ServiceProcess, statusOf, urlOf } from '../harness/process.ts'
import { until } from '../harness/until.ts'

test('a worker that answers nothing is ended, and another takes its place', async () => {
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
  assert.match(service.stdout, /does not answer; it is ended/)
  assert(isAlive(other), 'who answers stays')
  for (const _ of Array(10)) assert.equal(await statusOf(`${url}/readyz`), 200)
  assert.equal(await service.stop(), 0)
})
