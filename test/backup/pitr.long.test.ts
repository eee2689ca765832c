// Point-in-time recovery with the blocks of docs/operations/backup.md, on a PostgreSQL of this system. The bundled one has no pg_basebackup.
import assert from 'node:assert/strict'
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { dataFolder, ServiceProcess } from '../harness/process.ts'
import { query } from '../harness/server.ts'
import { call } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { noServer, OwnServer, printedOn } from './own-server.ts'

const printed = printedOn('docs/operations/backup.md')

test('restores a moment between two messages from a base backup and archived WAL', { skip: noServer }, async () => {
  const server = await OwnServer.create()
  const { folder, cluster } = server
  const inFolder = (text: string) =>
    text.replaceAll('/archive/', `${folder}/archive/`).replaceAll('/base/', `${folder}/base/`)
  const settings = join(cluster, 'postgresql.conf')
  server.run('mkdir archive base')
  const withoutArchive = readFileSync(settings, 'utf8')
  appendFileSync(settings, inFolder(printed('archive_mode = on')))
  server.start()
  const { port, password } = server.createDatabase()
  const env = {
    HULAKI_DATA_DIR: dataFolder(),
    HULAKI_DEMO: 'on',
    HULAKI_ROLES: 'all,simulator',
    DATABASE_URL: `postgres://hulaki@127.0.0.1:${port}/hulaki`,
    PGPASSWORD: password,
  }

  const service = new ServiceProcess({ env })
  const url = await service.url()
  const headers = { 'x-api-key': service.shown(/^ {4}live {2}(svc_live_\w+)$/m) ?? '' }
  const send = async (at: string, text: string): Promise<string> => {
    const answer = await call(`${at}/api/sms/v1/sms/send`, {
      method: 'POST',
      headers,
      body: { to: '9800000001', text },
    })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.messageId
  }
  const statusOf = async (at: string, id: string) =>
    call(`${at}/api/sms/v1/sms/messages/${id}`, { method: 'GET', headers })
  const inBackup = await send(url, 'before the base backup')
  server.run(inFolder(printed('pg_basebackup')))
  const inArchive = await send(url, 'only in archived WAL')
  await until(async () => (await statusOf(url, inArchive)).body.status === 'delivered')
  const [moment] = await query(server.admin, 'select clock_timestamp()::text as now')
  const later = await send(url, 'after the moment')
  assert.equal(await service.stop(), 0)
  server.stop()

  rmSync(cluster, { recursive: true })
  const [copy] = /\S+\/base\/\S+/.exec(inFolder(printed('pg_basebackup'))) ?? []
  server.run(`cp -a ${copy} cluster`)
  const recovery = inFolder(printed('recovery_target_time')).replace(/'[^']+\+05:45'/, `'${moment?.now}'`)
  appendFileSync(settings, recovery)
  server.run('touch cluster/recovery.signal')
  server.start()
  await until(async () => !(await query(server.admin, 'select pg_is_in_recovery() as is'))[0]?.is)
  server.stop()
  server.run('mkdir archive-2')
  writeFileSync(
    settings,
    withoutArchive + inFolder(printed('archive_mode = on')).replaceAll('/archive/', '/archive-2/'),
  )
  server.start()

  const restored = new ServiceProcess({ env })
  const newUrl = await restored.url()
  for (const id of [inBackup, inArchive]) assert.equal((await statusOf(newUrl, id)).body.status, 'delivered')
  assert.equal((await statusOf(newUrl, later)).status, 404)
  const afterwards = await send(newUrl, 'after the restore')
  await until(async () => (await statusOf(newUrl, afterwards)).body.status === 'delivered')
  assert.equal(await restored.stop(), 0)
  await query(server.admin, 'select pg_switch_wal()')
  await until(async () => readdirSync(join(folder, 'archive-2')).length > 0)
})
