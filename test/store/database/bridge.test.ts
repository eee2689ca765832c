// The bridge from the last version before 0.1.0: same schema as a new database, and every row converted.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { createLog } from '../../../src/runtime/log.ts'
import { listAllCarriers } from '../../../src/store/carriers/carriers.ts'
import { Db } from '../../../src/store/database/db.ts'
import { migrate } from '../../../src/store/database/migrate.ts'
import { readSchemaState, SchemaError } from '../../../src/store/database/migrations.ts'
import { testDatabaseAddress } from '../../harness/database.ts'
import { describeSchema } from '../../harness/describe-schema.ts'
import { query } from '../../harness/server.ts'
import { until } from '../../harness/until.ts'

const NOW = new Date('2026-11-18T00:00:00.000Z')
/** No process of the earlier version runs. */
const AT_ONCE = { noticeMs: 0 }
const OLD = readFileSync(new URL('schema-0054.sql', import.meta.url), 'utf8')
const MIGRATIONS = readdirSync(new URL('../../../src/store/database/migrations', import.meta.url)).toSorted()
const GOLDEN = readFileSync(new URL('schema.sql', import.meta.url), 'utf8')

async function openOld() {
  const address = await testDatabaseAddress({ template: 'template0' })
  await query(address, OLD)
  const db = new Db(address, { connections: 4 })
  after(() => db.close())
  const list = async (text: string) => (await query(address, text)).map((row) => Object.values(row))
  return { address, db, list }
}

test('creates the schema of a new database, once, by one of many processes', async () => {
  const { address, db, list } = await openOld()
  const applied = await Promise.all(Array.from({ length: 4 }, () => migrate(db, NOW, AT_ONCE)))
  assert.deepEqual(applied.toSorted(), [0, 0, 0, MIGRATIONS.length])
  assert.equal(await describeSchema(db), GOLDEN)
  assert.deepEqual((await list('select name from schema_migration order by number')).flat(), MIGRATIONS)
  const fresh = await testDatabaseAddress()
  const checksums = 'select number, checksum from schema_migration order by number'
  assert.deepEqual(await query(address, checksums), await query(fresh, checksums))
  assert.equal(await migrate(db, NOW, AT_ONCE), 0)
})

test('renames outcomes in submissions, tests and the settings of carriers, and nowhere else', async () => {
  const { db, list } = await openOld()
  await migrate(db, NOW, AT_ONCE)
  const submissions = await list(
    'select outcome, error, reference, segment_count, resend_allowed_at is not null from submission order by message_id',
  )
  assert.deepEqual(submissions, [
    // It was never answered.
    ['unknown', '', null, 1, false],
    ['accepted', '', 'ref', 1, false],
    ['throttled', '', null, 1, false],
    ['other_carrier', '', null, 1, false],
    ['unwritten', '', null, 1, false],
    ['unknown', '', null, 1, true],
    ['retryable', '', null, 1, false],
    ['rejected', 'carrier_rejected', null, 1, false],
  ])
  assert.deepEqual((await list('select outcome from carrier_test order by id')).flat(), [
    'accepted',
    'rejected',
    'throttled',
    'other_carrier',
    'retryable',
    'unknown',
    'unwritten',
  ])
  const [smpp, http, plain] = await listAllCarriers(db)
  assert(smpp?.kind === 'smpp' && http?.kind === 'http' && plain?.kind === 'smpp')
  assert.deepEqual(smpp.smpp.statusOverrides, {
    answers: {
      '8': { outcome: 'rejected', error: 'invalid_number' },
      '1025': { outcome: 'throttled' },
      '1026': { outcome: 'other_carrier' },
      '1027': { outcome: 'retryable' },
      '1028': { outcome: 'accepted' },
    },
    reports: { refused: { error: 'carrier_rejected' } },
    states: {},
  })
  assert.deepEqual([plain.smpp.host, plain.smpp.systemId], ['taken.example', 'slow'])
  const { url, body, answer } = http.http.description
  assert.equal(url, 'https://api.example/slow')
  assert.deepEqual(body, { kind: 'json', value: { outcome: 'taken', text: '{text}' } })
  assert.deepEqual(answer, {
    id: '/id',
    said: '"outcome": "taken"',
    rules: [
      { at: '/code', is: ['refused', 'slow'], outcome: 'accepted' },
      {
        at: '/code',
        table: {
          '5': { outcome: 'rejected', error: 'invalid_number' },
          '6': { outcome: 'throttled' },
          outcome: { outcome: 'retryable' },
        },
      },
      { status: [503], outcome: 'other_carrier' },
      { status: [500], outcome: 'unknown' },
    ],
  })
  const secrets = [smpp, http, plain].map((it) => it.secretsSealed.toString('hex'))
  assert.deepEqual(secrets, ['0102', '0304', '0506'])
  // History and captured traffic stay as they were.
  assert.deepEqual(await list('select details from audit_entry union all select decoded from captured_frame'), [
    [{ outcome: 'taken' }],
    [{ outcome: 'taken' }],
  ])
})

test('renames the states and failure reasons of webhook events, and keeps their bodies', async () => {
  const { db, list } = await openOld()
  await migrate(db, NOW, AT_ONCE)
  assert.deepEqual(await list('select state, failure_reason from webhook_event order by delivery_id'), [
    ['pending', null],
    ['delivered', null],
    ['failed', 'retries_exhausted'],
    ['failed', 'rejected'],
    ['failed', 'no_url'],
    ['failed', 'abandoned'],
  ])
  assert.deepEqual(await list(`select distinct convert_from(body, 'UTF8') from webhook_event`), [['{"state":"dead"}']])
})

test('keeps the values of renamed tables and columns', async () => {
  const { db, list } = await openOld()
  await migrate(db, NOW, AT_ONCE)
  const kept = {
    'select balance_e4, right(last_ledger_entry_id::text, 1) from workspace': [['9000', '3']],
    'select counter_shard, sent, delivered from client_counter order by 1': [
      [0, '5', '0'],
      [1, '0', '4'],
    ],
    'select counter_shard, accepted, delivered from message_quarter_hour order by 1': [
      [1, '0', '4'],
      [3, '8', '0'],
    ],
    'select accepted, rejected, unexpected_answers, unreadable_receipts, account_rejections, unreadable_answers, duplicate_message_ids from carrier_stats':
      [['1', '2', '9', '10', '11', '12', '13']],
    'select process_id is not null as held, is_working, is_at_rate_limit from carrier_bind': [[true, true, true]],
    'select process_id is not null as held, sends_message, started_at is not null as started from carrier_test_bind': [
      [true, true, true],
    ],
    "select steps -> 0 ->> 'detail' as detail, steps -> 0 ? 'told' as is_old from carrier_test_bind": [
      ['HTTP 200 {"told": 1}', false],
    ],
    'select sequence, is_callback from captured_frame': [[1, true]],
    'select accepted, rejected from delivery_process': [[1, 2]],
    'select is_queue_updated from route': [[true]],
    'select match_attempts, is_by_text from pending_report': [[2, true]],
    'select receipts from unmatched_receipt_hour': [['3']],
    'select attempts, last_state from receipt_poll': [[4, 'ENROUTE']],
    'select attempts, claims from webhook_queue': [[3, 1]],
    'select convert_from(response_body, $$UTF8$$) from webhook_attempt': [['ok']],
    'select is_forwarded from listening_event': [[true]],
    'select scope from rate_limit_hit': [['scope']],
    'select cardinality(requested_at) from otp_caller': [[1]],
    'select stage, codes from otp_day': [['verified', '2']],
    'select message_sent_at < webhook_delivered_at from onboarding': [[true]],
    'select attempts from failed_sign_in': [[3]],
    'select requester from challenge': [['network']],
    'select created_by from invitation': [['operator']],
    'select count(*), bool_and(swept_at < now()) from expiry_sweep': [['3', true]],
    'select demo_created_at is not null, routing_revision from service': [[true, '7']],
    'select policy from country': [['cheapest']],
  }
  for (const [statement, rows] of Object.entries(kept)) assert.deepEqual(await list(statement), rows, statement)
})

test('works in any schema of the database', async () => {
  const address = await testDatabaseAddress({ template: 'template0' })
  await query(address, 'create schema elsewhere')
  const inSchema = { ...address, options: '-c search_path=elsewhere' }
  await query(inSchema, OLD)
  const db = new Db(inSchema, { connections: 1 })
  after(() => db.close())
  assert.equal(await migrate(db, NOW, AT_ONCE), MIGRATIONS.length)
  assert.deepEqual(await query(inSchema, `select count(*)::int from submission where outcome = 'accepted'`), [
    { count: 1 },
  ])
})

test('processes of the earlier version find a newer migration before tables change, and none after a start that is stopped', async () => {
  const { db, list } = await openOld()
  assert.equal((await readSchemaState(db, 54)).newer, null)
  const stopping = new AbortController()
  const migrating = assert.rejects(migrate(db, NOW, { noticeMs: 60_000, stopping: stopping.signal }), {
    name: 'AbortError',
  })
  await until(async () => (await readSchemaState(db, 54)).newer === '0100_initial.sql')
  assert.deepEqual(await list(`select count(*)::int from submission where outcome = 'taken'`), [[1]])
  stopping.abort()
  await migrating
  assert.equal((await readSchemaState(db, 54)).newer, null)
  assert.equal(await migrate(db, NOW, AT_ONCE), MIGRATIONS.length)
  assert.equal((await readSchemaState(db, 54)).newer, '0100_initial.sql')
})

test('continues after a kill between the announcement and the conversion', async () => {
  const { address, db, list } = await openOld()
  await query(address, `insert into schema_migration values (100, '0100_initial.sql', 'converting', now())`)
  assert.equal(await migrate(db, NOW, AT_ONCE), MIGRATIONS.length)
  assert.deepEqual(await list(`select checksum <> 'converting' from schema_migration where number = 100`), [[true]])
})

test('rejects an older database, another text of a migration, and carrier secrets in the old form, and changes nothing', async () => {
  const { address, db, list } = await openOld()
  const rejects = async (change: string, undo: string, why: RegExp) => {
    await query(address, change)
    await assert.rejects(migrate(db, NOW, AT_ONCE), (error) => error instanceof SchemaError && why.test(error.message))
    await query(address, undo)
  }
  const older = /older than the last version of Hulaki before 0\.1\.0; start that version once, then this one/
  await rejects(
    `update schema_migration set number = -54 where number = 54`,
    `update schema_migration set number = 54 where number = -54`,
    older,
  )
  await rejects(
    `update schema_migration set checksum = 'x' || checksum where number = 3`,
    `update schema_migration set checksum = substr(checksum, 2) where number = 3`,
    older,
  )
  await rejects(
    `update carrier set password_sealed = secrets_sealed, secrets_sealed = null where name = 'Over SMPP'`,
    `update carrier set secrets_sealed = password_sealed, password_sealed = null where name = 'Over SMPP'`,
    /was stopped during its first start; start that version once, then this one/,
  )
  assert.deepEqual((await list('select count(*)::int from submission where outcome = $$taken$$')).flat(), [1])
  assert.equal(await migrate(db, NOW, AT_ONCE), MIGRATIONS.length)
})

test('retries while a process of the earlier version holds a table', async () => {
  const { address, db } = await openOld()
  const retries = Promise.withResolvers<void>()
  const log = createLog('warn', { write: () => retries.resolve() })
  const released = Promise.withResolvers<void>()
  const processId = new Db(address, { connections: 1 })
  after(() => processId.close())
  const holding = processId.ownConnection(async (connection) => {
    await connection.script('begin; select 1 from webhook_event')
    await released.promise
    await connection.script('commit')
  })
  const migrating = migrate(db, NOW, { log, lockMs: 50, ...AT_ONCE })
  await retries.promise
  released.resolve()
  await holding
  assert.equal(await migrating, MIGRATIONS.length)
})
