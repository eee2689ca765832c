// Every kind of stop drains the service and stops its bundled database.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Db } from '../../src/store/database/db.ts'
import { sql } from '../../src/store/database/sql.ts'
import { testDatabaseAddress } from '../harness/database.ts'
import { CHECKOUT, dataFolder, ServiceProcess, statusOf, urlOf } from '../harness/process.ts'
import { until } from '../harness/until.ts'

const MIGRATION_LOCK = 0x68_75_6c_61
const folder = dataFolder()
const env = { HULAKI_DATA_DIR: folder, HULAKI_PROCESSES: '1' }
const postmasterFile = join(folder, 'postgres', 'cluster', 'postmaster.pid')
const hasScript = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0

test('SIGTERM during the first start stops it before keys are created', async () => {
  const service = new ServiceProcess({ env })
  await until(() => existsSync(postmasterFile))
  process.kill(service.pid, 'SIGTERM')
  assert.deepEqual(await service.ended, { code: 0, signal: null })
  assert.doesNotMatch(service.stdout, /Hulaki is running|svc_live_/)
  assert.ok(!existsSync(postmasterFile))
})

test('SIGTERM stops a start that waits for the migration of another process', async () => {
  const address = await testDatabaseAddress()
  const other = new Db(address, { connections: 2 })
  await other.ownConnection(async (connection) => {
    await connection.withoutTimeouts()
    await connection.query(sql`select pg_advisory_lock(${MIGRATION_LOCK}::bigint)`)
    const service = new ServiceProcess({ env: { ...env, DATABASE_URL: urlOf(address) } })
    const isWaiting = async () =>
      (
        await other.query(
          sql`select from pg_stat_activity
              where datname = current_database() and query like '%pg_try_advisory_lock%' and state = 'idle'`,
        )
      ).length > 0
    await until(isWaiting)
    process.kill(service.pid, 'SIGTERM')
    assert.deepEqual(await service.ended, { code: 0, signal: null })
    assert.doesNotMatch(service.stdout, /Hulaki is running/)
  })
  await other.close()
})

test('SIGTERM to npm alone stops the service', async () => {
  const npm = new ServiceProcess({ env, node: 'npm', nodeArguments: ['start', '--'] })
  const url = await npm.url()
  assert.match(npm.stdout, /svc_live_/)
  process.kill(npm.pid, 'SIGTERM')
  assert.deepEqual(await npm.ended, { code: 0, signal: null })
  assert.equal(await statusOf(`${url}/livez`), 0)
  assert.ok(!existsSync(postmasterFile))
})

test('a closed terminal stops the service, although its log can no longer be written', {
  skip: !hasScript,
}, async () => {
  const command = `"${process.execPath}" "${join(CHECKOUT, 'src', 'main.ts')}"`
  const terminal = spawn('script', ['-qfc', command, '/dev/null'], {
    cwd: CHECKOUT,
    env: { PATH: process.env.PATH, SHELL: '/bin/sh', PORT: '0', ...env },
  })
  let shown = ''
  terminal.stdout.on('data', (text) => {
    shown += text
  })
  await until(() => shown.includes('Hulaki is running'))
  assert.ok(existsSync(postmasterFile))
  terminal.kill('SIGKILL')
  await until(() => !existsSync(postmasterFile))
})
