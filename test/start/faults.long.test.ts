// A start that cannot succeed prints one clear sentence without a stack trace and exits with code 1.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { matchKeyring } from '../../src/actions/service/match-keyring.ts'
import { connectionsOf } from '../../src/boot/pools.ts'
import { newKeyringText, parseKeyring } from '../../src/runtime/keyring.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { Db } from '../../src/store/database/db.ts'
import { testDatabaseAddress } from '../harness/database.ts'
import { dataFolder, ServiceProcess, urlOf } from '../harness/process.ts'
import { query } from '../harness/server.ts'

/** The starts use a separate database, except where a test sets another. */
const address = await testDatabaseAddress()
const usual = { DATABASE_URL: urlOf(address), HULAKI_DATA_DIR: dataFolder() }

async function errorsOf(env: Record<string, string>): Promise<string> {
  const service = new ServiceProcess({ env: { ...usual, ...env } })
  const { code } = await service.ended
  assert.equal(code, 1, service.stdout)
  assert.match(service.stderr, /^(hulaki: .*\.\n)+$/)
  assert.doesNotMatch(service.stderr + service.stdout, /^ +at |Error:/m)
  return service.stderr.replaceAll('hulaki: ', '').trimEnd()
}

describe('a failing start prints the reason', { concurrency: 2 }, () => {
  for (const HULAKI_PROCESSES of ['1', '2']) {
    test(`a port in use, with ${HULAKI_PROCESSES} process(es)`, async (t) => {
      const other = createServer().listen(0, '127.0.0.1')
      t.after(() => other.close())
      await once(other, 'listening')
      const { port } = other.address() as AddressInfo
      const printed = await errorsOf({ PORT: String(port), HULAKI_PROCESSES })
      assert.equal(printed, `Port ${port} of 127.0.0.1 is in use; choose another with PORT.`)
    })
  }

  test('an address of another machine', async () => {
    assert.match(await errorsOf({ HOST: '192.0.2.1' }), /^HOST is not an address of this machine/)
  })

  test('all invalid settings at once', async () => {
    const printed = await errorsOf({ PORT: 'http', HULAKI_CLOCK: 'sun', HULAKI_PROT: '1' })
    assert.equal(printed.split('\n').length, 3)
  })

  test('missing TLS files', async () => {
    const files = { HULAKI_TLS_CERT_FILE: '/no/such/cert.pem', HULAKI_TLS_KEY_FILE: '/no/such/key.pem' }
    const printed = await errorsOf(files)
    assert.match(
      printed,
      /^HULAKI_TLS_CERT_FILE: .*\/no\/such\/cert\.pem.*\nHULAKI_TLS_KEY_FILE: .*\/no\/such\/key\.pem.*$/,
    )
  })

  test('a data folder that cannot be written, with and without the bundled database', async () => {
    const folder = dataFolder()
    writeFileSync(folder, 'a file where a folder should be')
    const HULAKI_DATA_DIR = join(folder, 'data')
    const bundled = await errorsOf({ DATABASE_URL: '', HULAKI_DATA_DIR })
    assert.ok(bundled.startsWith(`The data folder ${HULAKI_DATA_DIR} cannot be created`), bundled)
    const beside = await errorsOf({ HULAKI_DATA_DIR })
    assert.ok(beside.includes(HULAKI_DATA_DIR), beside)
  })

  test('a database that refuses the connection, without retries', async () => {
    const printed = await errorsOf({ DATABASE_URL: urlOf({ ...address, password: 'wrong' }) })
    assert.match(printed, /^The database at DATABASE_URL refused the connection \(password authentication failed/)
    const absent = await errorsOf({ DATABASE_URL: urlOf({ ...address, database: 'nothing_here' }) })
    assert.match(absent, /refused the connection \(database "nothing_here" does not exist\)/)
  })

  for (const [what, query, why] of [
    ['sslmode=require for a database without TLS', '&sslmode=require', /SSL/],
    ['a missing root certificate', '&sslmode=verify-full&sslrootcert=/no/such/ca.pem', /\/no\/such\/ca\.pem/],
  ] as const) {
    test(`${what}, without retries`, async () => {
      const printed = await errorsOf({ DATABASE_URL: `${urlOf(address)}${query}` })
      assert.match(printed, /^The database at DATABASE_URL cannot be used \(.*\)\.$/)
      assert.match(printed, why)
    })
  }

  test('a database role without privileges', async () => {
    const closed = await testDatabaseAddress({ template: 'template0' })
    const advice = 'make it the owner of the database, or grant it all on schema public.'
    for (const right of ['create', 'usage']) {
      await query(closed, `revoke ${right} on schema public from pg_database_owner, public`)
      const printed = await errorsOf({ DATABASE_URL: urlOf(closed) })
      assert.match(printed, /^The role of DATABASE_URL lacks a privilege \(.*\); /)
      assert.ok(printed.endsWith(advice), printed)
    }
  })

  test('a newer or damaged schema', async () => {
    const newer = await testDatabaseAddress()
    await query(newer, `insert into schema_migration values (9999, '9999_later.sql', 'x', now())`)
    assert.match(
      await errorsOf({ DATABASE_URL: urlOf(newer) }),
      /^The database has schema version 9999, which is newer/,
    )
    const damaged = await testDatabaseAddress()
    await query(damaged, 'drop table message')
    assert.match(await errorsOf({ DATABASE_URL: urlOf(damaged) }), /^The database is damaged: its table message/)
  })

  test('a keyring of another database, an invalid keyring and a missing keyring', async () => {
    const used = await testDatabaseAddress()
    const db = new Db(used, { connections: 1 })
    await matchKeyring(db, parseKeyring(newKeyringText(systemRandom), systemRandom))
    await db.close()
    const HULAKI_DATA_DIR = dataFolder()
    const file = join(HULAKI_DATA_DIR, 'keyring.json')
    const missing = await errorsOf({ DATABASE_URL: urlOf(used), HULAKI_DATA_DIR })
    assert.equal(missing, `There is no keyring at ${file}; restore the keyring of this database.`)
    assert.ok(!existsSync(file), 'no new keyring is created')
    mkdirSync(HULAKI_DATA_DIR)
    writeFileSync(file, newKeyringText(systemRandom), { mode: 0o600 })
    const foreign = await errorsOf({ DATABASE_URL: urlOf(used), HULAKI_DATA_DIR })
    const other = `The keyring ${file} does not belong to this database: its key 'k1' for codes is different.`
    assert.equal(foreign, other)
    writeFileSync(file, '{}')
    const printed = await errorsOf({ HULAKI_KEYRING_FILE: file })
    assert.match(printed, /^The keyring .*keyring\.json cannot be used: the keyring has no active key for codes\.$/)
  })

  test('a keyring or operator token readable by other users, with the chmod command', async () => {
    for (const [name, mode] of [
      ['keyring.json', 0o640],
      ['operator-token', 0o604],
    ] as const) {
      const HULAKI_DATA_DIR = dataFolder()
      const file = join(HULAKI_DATA_DIR, name)
      mkdirSync(HULAKI_DATA_DIR)
      writeFileSync(file, name === 'keyring.json' ? newKeyringText(systemRandom) : 'x'.repeat(48))
      chmodSync(file, mode)
      const printed = await errorsOf({ DATABASE_URL: urlOf(await testDatabaseAddress()), HULAKI_DATA_DIR })
      assert.equal(printed, `Other users can read ${file}; run: chmod 600 '${file}'.`)
    }
  })

  test('an operator token that is too short', async () => {
    const HULAKI_DATA_DIR = dataFolder()
    mkdirSync(HULAKI_DATA_DIR)
    writeFileSync(join(HULAKI_DATA_DIR, 'operator-token'), 'x'.repeat(31), { mode: 0o600 })
    const kept = await errorsOf({ DATABASE_URL: urlOf(await testDatabaseAddress()), HULAKI_DATA_DIR })
    assert.match(kept, /^The operator token in .*operator-token must have at least 32 characters; /)
    const given = await errorsOf({ HULAKI_OPERATOR_TOKEN: 'x'.repeat(31) })
    assert.match(given, /^HULAKI_OPERATOR_TOKEN must be at least 32 printable characters/)
  })

  test('a database with too few connections for the processes', async () => {
    const narrow = await testDatabaseAddress()
    await query(narrow, `alter database ${narrow.database} connection limit 50`)
    const printed = await errorsOf({ DATABASE_URL: urlOf(narrow), HULAKI_PROCESSES: '2' })
    const needed = connectionsOf({ processes: 2, roles: ['api', 'delivery', 'webhooks', 'upkeep'], poolerUrl: null })
    const few = `allows 50 connections, and the service needs up to ${needed} (HULAKI_PROCESSES=2)`
    assert.equal(printed, `The database at DATABASE_URL ${few}; raise its max_connections, or lower HULAKI_PROCESSES.`)
  })

  test('a missing HULAKI_KEYRING_FILE, which is not created', async () => {
    const folder = dataFolder()
    const printed = await errorsOf({ HULAKI_KEYRING_FILE: join(folder, 'keyring.json') })
    assert.match(printed, /^HULAKI_KEYRING_FILE: .*keyring\.json does not exist; /)
    assert.ok(!existsSync(folder))
  })
})
