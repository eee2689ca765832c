// `hulaki upgrade --check` against real databases: at your DATABASE_URL, and in the data folder of a service.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { latestMigration } from '../../src/store/database/migrations.ts'
import { testDatabaseAddress } from '../harness/database.ts'
import { freePort } from '../harness/free-port.ts'
import { CHECKOUT, dataFolder, ServiceProcess, urlOf } from '../harness/process.ts'
import { query } from '../harness/server.ts'

const folder = mkdtempSync(join(tmpdir(), 'hulaki upgrade-'))
after(() => rmSync(folder, { recursive: true }))
/** No service listens there. */
const NOWHERE = `http://127.0.0.1:${await freePort()}`

async function check(env: Record<string, string>, ...more: string[]) {
  const program = join(CHECKOUT, 'src', 'hulaki.ts')
  const child = spawn(process.execPath, [program, 'upgrade', '--check', '--url', NOWHERE, ...more], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  return { printed, code }
}

test('says that a database of this version needs no migration', async () => {
  const { printed, code } = await check({ DATABASE_URL: urlOf(await testDatabaseAddress()) })
  assert.equal(code, 0, printed)
  assert.match(printed, /^ok {4}no service responds at /)
  assert.match(printed, /^ok {4}PostgreSQL \d+\.\d+ is supported$/m)
  assert.match(printed, /^ok {4}upgrade machine by machine, without downtime$/m)
  assert.match(printed, /^ok {4}before the upgrade, make a backup: hulaki backup --to <folder>$/m)
  assert.doesNotMatch(printed, /^warn/m)
  const reports = printed.split('\n').filter((line) => !line.includes(NOWHERE))
  for (const line of reports) assert.ok(line.length <= 80, line)
})

test('lists the migrations of an upgrade, whether they are online, and the size of their tables', async () => {
  const address = await testDatabaseAddress()
  await query(address, 'delete from schema_migration where number >= 104')
  const { printed, code } = await check({ DATABASE_URL: urlOf(address) }, '--json')
  const { plan, findings, ok } = JSON.parse(printed)
  assert.deepEqual([code, ok], [0, true])
  assert.equal(plan.missing.at(-1).name.slice(0, 4), String(latestMigration()).padStart(4, '0'))
  for (const { name, isOnline } of plan.missing) assert.equal(isOnline, name.endsWith('_online.sql'))
  const tables = plan.missing.flatMap((it: { tables: { name: string; bytes: number }[] }) => it.tables)
  assert.ok(tables.some((it: { name: string; bytes: number }) => it.name === 'message' && it.bytes > 0))
  assert.ok(findings.some((it: { what: string }) => it.what.startsWith('stop all machines')))
})

test('fails for a newer schema, a moved database, an unreachable database, invalid settings and a folder without data', async () => {
  const newer = await testDatabaseAddress()
  await query(newer, `insert into schema_migration values (9999, '9999_later.sql', 'x', now())`)
  const moved = await testDatabaseAddress()
  await query(moved, 'create table moved_away ()')
  const cases: [env: Record<string, string>, reason: RegExp][] = [
    [{ DATABASE_URL: urlOf(moved) }, /^FAIL {2}The database was moved to another server; set DATABASE_URL/m],
    [{ DATABASE_URL: urlOf(newer) }, /^FAIL {2}The database has schema version 9999, which is newer/m],
    [{ DATABASE_URL: `postgres://a:b@127.0.0.1:${await freePort()}/c` }, /^FAIL {2}.*ECONNREFUSED/m],
    [{ HULAKI_PROCESSES: 'many' }, /^FAIL {2}HULAKI_PROCESSES /m],
    [{ HULAKI_DATA_DIR: join(folder, 'none') }, /^FAIL {2}There is no database in /m],
  ]
  for (const [env, reason] of cases) {
    const { printed, code } = await check(env)
    assert.match(printed, reason)
    assert.equal(code, 1)
  }
})

test('reads the bundled database of a stopped service, and names the version of a running one', async () => {
  const env = { HULAKI_DATA_DIR: dataFolder(), HULAKI_PROCESSES: '1' }
  const service = new ServiceProcess({ env })
  const url = await service.url()
  const running = await check(env, '--url', url)
  assert.equal(running.code, 0, running.printed)
  assert.ok(running.printed.startsWith(`ok    version 0.1.0 runs at ${url}\n`), running.printed)
  assert.equal(await service.stop(), 0)
  const stopped = await check(env)
  assert.equal(stopped.code, 0, stopped.printed)
  assert.match(stopped.printed, /^ok {4}\d+ MB free in the data folder; the migrations may need 0 MB$/m)
})
