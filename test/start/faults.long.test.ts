// A start that cannot succeed says why in one clear sentence, never with a stack trace, and ends with code 1.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { matchKeyring } from '../../src/actions/service/match-keyring.ts'
import { connectionsOf } from '../../src/boot/pools.ts'
import { systemChance } from '../../src/runtime/chance.ts'
import { newKeyringText, parseKeyring } from '../../src/runtime/keyring.ts'
import { Db } from '../../src/store/database/db.ts'
import { testDatabaseAddress } from '../harness/database.ts'
import { dataFolder, ServiceProcess, urlOf } from '../harness/process.ts'
import { query } from '../harness/server.ts'

/** Every start here has a database of its own, but for those that are about it. */
const address = await testDatabaseAddress()
const usual = { DATABASE_URL: urlOf(address), HULAKI_DATA_DIR: dataFolder() }

async function sentencesOf(env: Record<string, string>): Promise<string> {
  const service = new ServiceProcess({ env: { ...usual, ...env } })
  const { code } = await service.ended
  assert.equal(code, 1, service.stdout)
  assert.match(service.stderr, /^(hulaki: .*\.\n)+$/)
  assert.doesNotMatch(service.stderr + service.stdout, /^ +at |Error:/m)
  return service.stderr.replaceAll('hulaki: ', '').trimEnd()
}

describe('a start that cannot succeed says why', { concurrency: 2 }, () => {
  for (const HULAKI_PROCESSES of ['1', '2']) {
    test(`a port that is taken, for ${HULAKI_PROCESSES} process(es)`, async (t) => {
      const other = createServer().listen(0, '127.0.0.1')
      t.after(() => other.close())
      await once(other, 'listening')
      const { port } = other.address() as AddressInfo
      const said = await sentencesOf({ PORT: String(port), HULAKI_PROCESSES })
      assert.equal(said, `Port ${port} of 127.0.0.1 is taken by another program; choose another with PORT.`)
    })
  }

  test('an address that is not of this machine', async () => {
    assert.match(await sentencesOf({ HOST: '192.0.2.1' }), /^HOST is no address of this machine/)
  })

  test('wrong settings, all at once', async () => {
    const said = await sentencesOf({ PORT: 'http', HULAKI_CLOCK: 'sun', HULAKI_PROT: '1' })
    assert.equal(said.split('\n').length, 3)
  })

  test('files for TLS that are not there', async () => {
    const files = { HULAKI_TLS_CERT_FILE: '/no/such/cert.pem', HULAKI_TLS_KEY_FILE: '/no/such/key.pem' }
    const said = await sentencesOf(files)
    assert.match(
      said,
      /^HULAKI_TLS_CERT_FILE: .*\/no\/such\/cert\.pem.*\nHULAKI_TLS_KEY_FILE: .*\/no\/such\/key\.pem.*$/,
    )
  })

  test('a data folder that cannot be written, with the bundled database and without', async () => {
    const folder = dataFolder()
    writeFileSync(folder, 'a file where a folder should be')
    const HULAKI_DATA_DIR = join(folder, 'data')
    const bundled = await sentencesOf({ DATABASE_URL: '', HULAKI_DATA_DIR })
    assert.ok(bundled.startsWith(`The data folder ${HULAKI_DATA_DIR} cannot be created`), bundled)
    const beside = await sentencesOf({ HULAKI_DATA_DIR })
    assert.ok(beside.includes(HULAKI_DATA_DIR), beside)
  })

  test('a database that does not let us in, without waiting for it', async () => {
    const said = await sentencesOf({ DATABASE_URL: urlOf({ ...address, password: 'wrong' }) })
    assert.match(said, /^The database at DATABASE_URL does not let us in \(password authentication failed/)
    const absent = await sentencesOf({ DATABASE_URL: urlOf({ ...address, database: 'nothing_here' }) })
    assert.match(absent, /does not let us in \(database "nothing_here" does not exist\)/)
  })

  for (const [what, query, why] of [
    ['TLS of a database that has none', '&sslmode=require', /SSL/],
    ['a certificate that is not there', '&sslmode=verify-full&sslrootcert=/no/such/ca.pem', /\/no\/such\/ca\.pem/],
  ] as const) {
    test(`${what}, without waiting for it`, async () => {
      const said = await sentencesOf({ DATABASE_URL: `${urlOf(address)}${query}` })
      // Of one that was waited for it is said that it cannot be reached within 10 s.
      assert.match(said, /^The database at DATABASE_URL cannot be used \(.*\)\.$/)
      assert.match(said, why)
    })
  }

  test('a database in which nothing may be made', async () => {
    const closed = await testDatabaseAddress({ template: 'template0' })
    const advice = 'make it the owner of the database, or grant it all on schema public.'
    for (const right of ['create', 'usage']) {
      await query(closed, `revoke ${right} on schema public from pg_database_owner, public`)
      const said = await sentencesOf({ DATABASE_URL: urlOf(closed) })
      assert.match(said, /^The role of DATABASE_URL lacks a right \(.*\); /)
      assert.ok(said.endsWith(advice), said)
    }
  })

  test('a schema that is newer, and one that is damaged', async () => {
    const newer = await testDatabaseAddress()
    await query(newer, `insert into schema_migration values (9999, '9999_later.sql', 'x', now())`)
    assert.match(
      await sentencesOf({ DATABASE_URL: urlOf(newer) }),
      /^The database has schema version 9999, which is newer/,
    )
    const damaged = await testDatabaseAddress()
    await query(damaged, 'drop table message')
    assert.match(await sentencesOf({ DATABASE_URL: urlOf(damaged) }), /^The database is damaged: its table message/)
  })

  test('a keyring that is not the one the database was used with, one that is none, and none', async () => {
    const used = await testDatabaseAddress()
    const db = new Db(used, { connections: 1 })
    await matchKeyring(db, parseKeyring(newKeyringText(systemChance), systemChance))
    await db.close()
    const HULAKI_DATA_DIR = dataFolder()
    const file = join(HULAKI_DATA_DIR, 'keyring.json')
    const missing = await sentencesOf({ DATABASE_URL: urlOf(used), HULAKI_DATA_DIR })
    assert.equal(missing, `There is no keyring at ${file}; bring the one this database was used with.`)
    assert.ok(!existsSync(file), 'a new one would be of no use')
    mkdirSync(HULAKI_DATA_DIR)
    writeFileSync(file, newKeyringText(systemChance), { mode: 0o600 })
    const foreign = await sentencesOf({ DATABASE_URL: urlOf(used), HULAKI_DATA_DIR })
    const other = `The keyring ${file} is not the one this database was used with: its key 'k1' for codes is another one.`
    assert.equal(foreign, other)
    writeFileSync(file, '{}')
    const said = await sentencesOf({ HULAKI_KEYRING_FILE: file })
    assert.match(said, /^The keyring .*keyring\.json cannot be used: the keyring has no active key for codes\.$/)
  })

  test('a keyring and an operator token that others may read, with the command that closes them', async () => {
    for (const [name, mode] of [
      ['keyring.json', 0o640],
      ['operator-token', 0o604],
    ] as const) {
      const HULAKI_DATA_DIR = dataFolder()
      const file = join(HULAKI_DATA_DIR, name)
      mkdirSync(HULAKI_DATA_DIR)
      writeFileSync(file, name === 'keyring.json' ? newKeyringText(systemChance) : 'x'.repeat(48))
      chmodSync(file, mode)
      const said = await sentencesOf({ DATABASE_URL: urlOf(await testDatabaseAddress()), HULAKI_DATA_DIR })
      assert.equal(said, `${file} is open to other users of this machine; close it with: chmod 600 '${file}'.`)
    }
  })

  test('an operator token that is short enough to be guessed', async () => {
    const HULAKI_DATA_DIR = dataFolder()
    mkdirSync(HULAKI_DATA_DIR)
    writeFileSync(join(HULAKI_DATA_DIR, 'operator-token'), 'x'.repeat(31), { mode: 0o600 })
    const kept = await sentencesOf({ DATABASE_URL: urlOf(await testDatabaseAddress()), HULAKI_DATA_DIR })
    assert.match(kept, /^The operator token in .*operator-token must have at least 32 characters; /)
    const given = await sentencesOf({ HULAKI_OPERATOR_TOKEN: 'x'.repeat(31) })
    assert.match(given, /^HULAKI_OPERATOR_TOKEN must be at least 32 printable characters/)
  })

  test('a database with too few connections for the processes', async () => {
    const narrow = await testDatabaseAddress()
    await query(narrow, `alter database ${narrow.database} connection limit 50`)
    const said = await sentencesOf({ DATABASE_URL: urlOf(narrow), HULAKI_PROCESSES: '2' })
    const needed = connectionsOf({ processes: 2, roles: ['api', 'delivery', 'webhooks', 'upkeep'] })
    const few = `takes at most 50 connections, and the service needs up to ${needed} (HULAKI_PROCESSES=2)`
    assert.equal(said, `The database at DATABASE_URL ${few}; raise its max_connections, or lower HULAKI_PROCESSES.`)
  })

  test('a HULAKI_KEYRING_FILE that is not there, which is not made', async () => {
    const folder = dataFolder()
    const said = await sentencesOf({ HULAKI_KEYRING_FILE: join(folder, 'keyring.json') })
    assert.match(said, /^HULAKI_KEYRING_FILE names .*keyring\.json, where none can be found/)
    assert.ok(!existsSync(folder))
  })
})
