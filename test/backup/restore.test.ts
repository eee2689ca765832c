// A restore returns every row of every table, or fails with one sentence (D81).
import assert from 'node:assert/strict'
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { DatabaseShape } from '../../src/actions/service/copy-database.ts'
import { matchKeyring } from '../../src/actions/service/match-keyring.ts'
import { writeBackup } from '../../src/backup/backup-file.ts'
import { LocalError } from '../../src/cli/context.ts'
import { newKeyringText, parseKeyring } from '../../src/runtime/keyring.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { Db } from '../../src/store/database/db.ts'
import { migrate } from '../../src/store/database/migrate.ts'
import { listPartitions } from '../../src/store/database/partitions.ts'
import { testDatabaseAddress, useDatabase } from '../harness/database.ts'
import { describeSchema } from '../harness/describe-schema.ts'
import { addCarrierElsewhere, makeSender } from '../harness/sending.ts'
import { type Connection, query } from '../harness/server.ts'
import { ownService } from '../harness/service.ts'
import { commandsOn, holdCopy, rowsOf, scratch } from './commands.ts'

const folder = scratch()
const keyringFile = join(folder, 'keyring.json')
const plain = join(folder, 'plain.backup')
const sealed = join(folder, 'sealed.backup')
const PASSPHRASE = 'five plain words do well'
const MESSAGES = 40

const service = await ownService({ env: { HULAKI_ROLES: 'api,upkeep' } })
const source = service.address
writeFileSync(keyringFile, service.keyringText, { mode: 0o600 })
await addCarrierElsewhere(service)
const { send, sendCode } = await makeSender(service)
for (let sent = 0; sent < MESSAGES; sent++)
  assert.equal((await send({ to: '9800000001', text: `Tab\t, line\n, back\\slash, नमस्ते ${sent}` })).status, 200)
assert.equal((await sendCode('9800000002')).status, 200)
await query(
  source,
  `insert into listening_event (client_id, delivery_id, name, body, created_at)
   select id, id, 'message.inbound', 'x', created_at from client`,
)
await matchKeyring(service.db, parseKeyring(service.keyringText, systemRandom))
await service.stop()
const made = await commandsOn(source, keyringFile)('backup', [], { values: { to: plain } })
assert.equal(made.messages, MESSAGES + 1)
await commandsOn(source, keyringFile)('backup', [], { values: { to: sealed }, passphrase: PASSPHRASE })

async function emptyDatabase(): Promise<{ address: Connection; db: Db }> {
  const address = await testDatabaseAddress({ template: 'template0' })
  const db = new Db(address, { connections: 2 })
  useDatabase(address, () => db.close())
  return { address, db }
}

const newKeyringFile = () => join(scratch(), 'keyring.json')
const failure = (pattern: RegExp) => (error: unknown) => error instanceof LocalError && pattern.test(error.message)

test('restores all rows, partitions, sequences and the keyring, encrypted or not', async () => {
  for (const [backup, passphrase] of [
    [plain, undefined],
    [sealed, PASSPHRASE],
  ] as const) {
    const { address, db } = await emptyDatabase()
    const keyring = newKeyringFile()
    const restored = await commandsOn(address, keyring)('restore', [backup], { ...(passphrase && { passphrase }) })
    assert.equal(restored.messages, MESSAGES + 1)
    assert.deepEqual(await rowsOf(address), await rowsOf(source))
    const golden = new Db(source, { connections: 1 })
    useDatabase(source, () => golden.close())
    assert.equal(await describeSchema(db), await describeSchema(golden))
    assert.deepEqual(await listPartitions(db), await listPartitions(golden))
    assert.deepEqual(await sequenceOf(address), await sequenceOf(source))
    assert.equal(readFileSync(keyring, 'utf8'), readFileSync(keyringFile, 'utf8'))
    assert.equal(await migrate(db, new Date()), 0, 'the service can start')
  }
})

function sequenceOf(address: Connection): Promise<Record<string, unknown>[]> {
  return query(address, 'select sequencename, last_value from pg_sequences order by 1')
}

test('writes files that only their owner can read, and no readable secret with a passphrase', () => {
  const files = ['plain.backup', 'plain.keyring', 'sealed.backup', 'sealed.keyring'].map((name) => join(folder, name))
  for (const file of files) if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o600, file)
  const keyring = JSON.parse(readFileSync(keyringFile, 'utf8'))
  assert.ok(!readFileSync(join(folder, 'sealed.keyring'), 'latin1').includes(keyring.texts.keys.k1))
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.includes('draft')),
    [],
  )
})

test('never overwrites a file, and needs an existing folder', async () => {
  const run = commandsOn(source, keyringFile)
  await assert.rejects(run('backup', [], { values: { to: plain } }), failure(/plain.backup exists already/))
  await assert.rejects(run('backup', [], { values: { to: join(folder, 'absent', 'x.backup') } }), /no folder/)
  const typo = join(folder, 'bakcups')
  await assert.rejects(run('backup', [], { values: { to: typo } }), (error: Error) =>
    error.message.startsWith(`There is no folder ${typo};`),
  )
})

test('names a backup in a folder after its time, and can store the keyring elsewhere or not at all', async () => {
  const [here, elsewhere] = [scratch(), scratch()]
  const run = commandsOn(source, keyringFile)
  await run('backup', [], { values: { to: here, 'keyring-to': elsewhere } })
  assert.deepEqual([readdirSync(here).length, readdirSync(elsewhere).length], [1, 1])
  assert.match(readdirSync(here)[0] ?? '', /^hulaki-\d{8}T\d{6}Z\.backup$/)
  const bare = scratch()
  const notes: string[] = []
  await run('backup', [], { values: { to: bare, keyring: false }, note: (text) => notes.push(text) })
  assert.equal(readdirSync(bare).length, 1)
  assert.match(notes.join('\n'), /The keyring is not in this backup. Without it, OTP texts/)
})

test('rejects a wrong passphrase before anything is created', async () => {
  const { address } = await emptyDatabase()
  const run = commandsOn(address, newKeyringFile())
  await assert.rejects(
    run('restore', [sealed], { passphrase: 'five other words here' }),
    failure(/passphrase of .* is wrong/),
  )
  assert.deepEqual(await rowsOf(address), [])
})

test('rejects an unencrypted file if a passphrase is given: another person may have put it there', async () => {
  const { address } = await emptyDatabase()
  const run = commandsOn(address, newKeyringFile())
  for (const check of [false, true])
    await assert.rejects(
      run('restore', [plain], { passphrase: PASSPHRASE, values: { check } }),
      failure(/plain.backup is not encrypted, but a passphrase is given/),
    )
  assert.deepEqual(await rowsOf(address), [])
})

test('a backup with the keyring of another database fails, and leaves no file', async () => {
  const to = scratch()
  const foreign = join(scratch(), 'foreign.json')
  writeFileSync(foreign, newKeyringText(systemRandom), { mode: 0o600 })
  await assert.rejects(
    commandsOn(source, foreign)('backup', [], { values: { to } }),
    failure(/does not belong to this database/),
  )
  assert.deepEqual(readdirSync(to), [])
})

test('detects a changed byte and a truncated file before anything is created', async () => {
  const { address } = await emptyDatabase()
  const run = commandsOn(address, newKeyringFile())
  const damaged = join(scratch(), 'damaged.backup')
  for (const [whole, passphrase, randomPlaces] of [
    [readFileSync(plain), undefined, 40],
    // The key takes half a second for each try.
    [readFileSync(sealed), PASSPHRASE, 4],
  ] as const) {
    const places = [0, 60, whole.length - 1]
    for (let place = 0; place < randomPlaces; place++) places.push(systemRandom.below(whole.length))
    for (const place of places) {
      const flipped = Buffer.from(whole)
      flipped[place] = (flipped[place] ?? 0) ^ (1 << systemRandom.below(8))
      writeFileSync(damaged, flipped)
      const check = (values: Record<string, boolean>) =>
        run('restore', [damaged], { values, ...(passphrase && { passphrase }) })
      await assert.rejects(
        check({}),
        failure(/damaged|cut off|not a backup|passphrase|cannot read|content/),
        `byte ${place}`,
      )
      writeFileSync(damaged, whole.subarray(0, place))
      await assert.rejects(check({ check: true }), failure(/damaged|cut off|not a backup/), `cut at ${place}`)
    }
    writeFileSync(damaged, Buffer.concat([whole, Buffer.of(0)]))
    await assert.rejects(run('restore', [damaged], { ...(passphrase && { passphrase }) }), failure(/damaged/))
  }
  assert.deepEqual(await rowsOf(address), [])
})

test('--check verifies a backup without a database', async () => {
  const { complete, messages } = await commandsOn(source, keyringFile)('restore', [plain], { values: { check: true } })
  assert.deepEqual([complete, messages], [true, MESSAGES + 1])
})

test('rejects a target with tables, another keyring, and a keyring that does not belong to the backup', async () => {
  await assert.rejects(commandsOn(source, keyringFile)('restore', [plain]), failure(/not empty/))
  const { address } = await emptyDatabase()
  const foreign = join(scratch(), 'foreign.json')
  writeFileSync(foreign, newKeyringText(systemRandom), { mode: 0o600 })
  await assert.rejects(commandsOn(address, foreign)('restore', [plain]), failure(/does not belong to this database/))
  const typed = { values: { keyring: foreign } }
  await assert.rejects(commandsOn(address, newKeyringFile())('restore', [plain], typed), failure(/does not belong/))
  assert.deepEqual(await rowsOf(address), [])
})

test('rejects a backup of a newer version, and of a newer format', async () => {
  const { address } = await emptyDatabase()
  const newer = join(scratch(), 'newer.backup')
  const file = await open(newer, 'wx')
  const shape: DatabaseShape = {
    ...{ tables: [], sequences: [], keys: [], partitions: { firstEnds: {}, lastEnd: null } },
    revision: [{ number: 9999, checksum: 'x' }],
  }
  const description = { id: 'x', version: '9.0.0', takenAt: '2026-11-18T06:00:00Z' }
  const options = { passphrase: null, random: systemRandom, description, onRows: () => {} }
  await writeBackup(file, { shape, copyOut: async () => ({ rows: 0, checksum: '' }) }, options)
  await file.close()
  const run = commandsOn(address, newKeyringFile())
  await assert.rejects(
    run('restore', [newer]),
    failure(/^The backup \(of Hulaki 9.0.0\) has schema version 9999, which is newer than this version of Hulaki/),
  )
  const text = readFileSync(plain, 'latin1').replace('"version":1', '"version":2')
  writeFileSync(newer, text, 'latin1')
  await assert.rejects(run('restore', [newer]), failure(/format 2, which this version of Hulaki cannot read/))
  await assert.rejects(run('restore', [folder]), failure(/^\S.* is a folder; name the file of a backup\.$/))
})

test('a restore that was stopped in the middle is continued by the same command, and no service starts before', async () => {
  const { address, db } = await emptyDatabase()
  const keyring = newKeyringFile()
  const run = commandsOn(address, keyring)
  const stop = new AbortController()
  const restoring = assert.rejects(
    run('restore', [plain], { signal: stop.signal }),
    failure(/Stopped; the same command can be run again/),
  )
  const held = await holdCopy(address)
  stop.abort()
  await held.release()
  await restoring
  assert.notDeepEqual(await query(address, 'select tables from unfinished_copy'), [{ tables: {} }])
  const again = { values: { to: join(scratch(), 'half.backup'), keyring: false } }
  await assert.rejects(run('backup', [], again), failure(/has not finished, so it is not complete/))
  await assert.rejects(migrate(db, new Date()), /A restore or a move into this database has not finished/)
  await assert.rejects(run('restore', [sealed], { passphrase: PASSPHRASE }), failure(/a part of another copy/))
  await run('restore', [plain])
  assert.deepEqual(await rowsOf(address), await rowsOf(source))
})

test('restores a backup of an earlier schema, which the next start migrates', async () => {
  const migrations = join(import.meta.dirname, '../../src/store/database/migrations')
  const earlier = scratch()
  for (const name of readdirSync(migrations)) if (name < '0118') cpSync(join(migrations, name), join(earlier, name))
  const old = await emptyDatabase()
  await migrate(old.db, new Date('2026-11-16T04:00:00Z'), { folder: earlier })
  await query(
    old.address,
    `insert into verified_number values (gen_random_uuid(), '+9779800000001', '2026-11-16T04:00:00Z')`,
  )
  const backup = join(scratch(), 'old.backup')
  await commandsOn(old.address, keyringFile)('backup', [], { values: { to: backup } })
  const { address, db } = await emptyDatabase()
  await commandsOn(address, newKeyringFile())('restore', [backup])
  assert.deepEqual(await rowsOf(address), await rowsOf(old.address))
  assert.ok((await migrate(db, new Date())) > 0)
  const golden = new Db(source, { connections: 1 })
  useDatabase(source, () => golden.close())
  assert.equal(await describeSchema(db), await describeSchema(golden))
})
