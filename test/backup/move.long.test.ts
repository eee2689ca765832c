// Moves the bundled PostgreSQL to an older server without its tools, and continues after kill -9 (D81). Requires PostgreSQL 15 or later.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBundledPostgres } from '../../src/store/database/bundled-postgres.ts'
import { dataFolder, ServiceProcess } from '../harness/process.ts'
import { query } from '../harness/server.ts'
import { call } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { holdCopy, rowsOf } from './commands.ts'
import { noServer, OwnServer, printedOn } from './own-server.ts'
import { hulaki, runPrinted, startHulaki } from './program.ts'

const printed = printedOn('docs/operations/backup.md')

const MESSAGES = 30

test('moves to an older server: refuses while the service runs, continues after kill -9, and the service goes on', {
  skip: noServer,
}, async () => {
  const folder = dataFolder()
  const server = await OwnServer.create()
  server.start()
  const target = server.createDatabase()
  const to = `postgres://hulaki@127.0.0.1:${target.port}/hulaki`
  const settings = { HULAKI_DATA_DIR: folder, PGPASSWORD: target.password }
  const service = new ServiceProcess({ env: { HULAKI_DATA_DIR: folder, HULAKI_PROCESSES: '1' } })
  const url = await service.url()
  const headers = { 'x-api-key': service.shown(/^ {4}live {2}(svc_live_\w+)$/m) ?? '' }
  const ids: string[] = []
  for (let sent = 0; sent < MESSAGES; sent++) {
    const body = { to: '9800000001', text: `नमस्ते ${sent}` }
    const answer = await call(`${url}/api/sms/v1/sms/send`, { method: 'POST', headers, body })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    ids.push(answer.body.messageId)
  }
  const running = await hulaki(['move', '--to', to], settings)
  assert.match(running.err, /A service or command uses the database \(\d+ connections\); stop it/)
  assert.equal(running.code, 1)
  assert.equal(await service.stop(), 0)

  const inArgument = await hulaki(
    ['move', '--to', `postgres://hulaki:${target.password}@127.0.0.1:${target.port}/hulaki`],
    settings,
  )
  assert.deepEqual([inArgument.code, /set PGPASSWORD/.test(inArgument.err)], [2, true])

  // Killed at the end of the first table, and again later.
  const first = startHulaki(['move', '--to', to], settings)
  const held = await holdCopy(target)
  first.kill()
  await first.end
  await held.release()
  const half = startHulaki(['move', '--to', to], settings)
  const copied = async () => Object.keys((await query(target, 'select tables from unfinished_copy'))[0]?.tables ?? {})
  await until(async () => (await copied()).length > 3)
  half.kill()
  await half.end
  assert.ok((await copied()).length > 3)

  const unfinished = new ServiceProcess({
    env: { HULAKI_DATA_DIR: folder, DATABASE_URL: to, PGPASSWORD: target.password },
  })
  assert.equal((await unfinished.ended).code, 1)
  assert.match(unfinished.stderr, /A restore or a move into this database has not finished/)

  const moved = await runPrinted(
    printed('move --to').replace('hulaki@db.example.net', `hulaki@127.0.0.1:${target.port}`),
    {
      files: { 'password.txt': target.password },
      env: { HULAKI_DATA_DIR: folder },
    },
  )
  assert.equal(moved.code, 0, moved.err)
  assert.match(moved.out, new RegExp(`messages +${MESSAGES}`))
  assert.match(moved.err, new RegExp(`DATABASE_URL=${to}`))
  const bundled = await openBundledPostgres(folder)
  assert.deepEqual(await rowsOf(target), await rowsOf(bundled.connection))
  await bundled.release()
  const twice = await hulaki(['move', '--to', to], settings)
  assert.match(twice.err, /The database was moved to another server; set DATABASE_URL/)
  const old = new ServiceProcess({ env: { HULAKI_DATA_DIR: folder, HULAKI_PROCESSES: '1' } })
  assert.equal((await old.ended).code, 1)
  assert.match(old.stderr, /The database was moved to another server/)

  const after = new ServiceProcess({
    env: { HULAKI_DATA_DIR: folder, DATABASE_URL: to, PGPASSWORD: target.password, HULAKI_ROLES: 'all,simulator' },
  })
  const newUrl = await after.url()
  // Within the rate limit of the client.
  for (const id of ids.slice(-3)) {
    const found = await call(`${newUrl}/api/sms/v1/sms/messages/${id}`, { method: 'GET', headers })
    assert.equal(found.status, 200)
  }
  assert.equal(await after.stop(), 0)
})
