// Migrations: once each, by one of many, and never over a schema that is not understood.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { httpSecretsOf, smppSecretsOf } from '../../../src/actions/carriers/carrier-secrets.ts'
import { matchKeyring } from '../../../src/actions/service/match-keyring.ts'
import { systemChance } from '../../../src/runtime/chance.ts'
import { newKeyringText, parseKeyring } from '../../../src/runtime/keyring.ts'
import { listAllCarriers } from '../../../src/store/carriers/carriers.ts'
import { Db } from '../../../src/store/database/db.ts'
import { migrate, SchemaFault } from '../../../src/store/database/migrate.ts'
import { sql } from '../../../src/store/database/sql.ts'
import { testDatabaseAddress } from '../../harness/database.ts'
import { describeSchema } from '../../harness/describe-schema.ts'
import { type Connection, query } from '../../harness/server.ts'

const NOW = new Date('2026-11-16T04:00:00.000Z')
const FOLDER = new URL('../../../src/store/database/migrations/', import.meta.url)
const FILES = readdirSync(FOLDER).sort()
const ALL = FILES.length

async function open({ template = 'hulaki_template' } = {}) {
  const address = await testDatabaseAddress({ template })
  const db = new Db(address, { connections: 12 })
  after(() => db.close())
  return { address, db }
}

const refusal = (pattern: RegExp) => (fault: unknown) => fault instanceof SchemaFault && pattern.test(fault.message)

test('an empty database gets every migration, a migrated one none', async () => {
  const { db } = await open({ template: 'template0' })
  assert.equal(await migrate(db, NOW), ALL)
  assert.equal(await migrate(db, NOW), 0)
  const [times] = await db.query<{ distinct: number }>(
    sql`select count(distinct applied_at) as distinct from schema_migration`,
  )
  assert.equal(times?.distinct, ALL, 'each migration has a time of its own')
})

test('many may start at once: one migrates, the others find the work done', async () => {
  const { db } = await open({ template: 'template0' })
  const applied = await Promise.all(Array.from({ length: 10 }, () => migrate(db, NOW)))
  assert.deepEqual(
    applied.toSorted((one, other) => one - other),
    [...Array(9).fill(0), ALL],
  )
  const { db: golden } = await open()
  assert.equal(await describeSchema(db), await describeSchema(golden))
})

test('a migration that fails leaves nothing behind', async () => {
  const { address, db } = await open({ template: 'template0' })
  await query(address, 'create table template (id int)')
  await assert.rejects(migrate(db, NOW), refusal(/already holds/))
  const tables = await query(address, `select tablename from pg_tables where schemaname = 'public'`)
  assert.deepEqual(tables, [{ tablename: 'template' }])
})

test('a newer schema is refused', async () => {
  const { address, db } = await open()
  await query(address, `insert into schema_migration values (9999, '9999_later.sql', 'x', now())`)
  await assert.rejects(migrate(db, NOW), refusal(/version 9999, newer than this Hulaki/))
})

test('a migration that was changed after it was applied is refused', async () => {
  const { address, db } = await open()
  await query(address, `update schema_migration set checksum = 'other' where number = 1`)
  await assert.rejects(migrate(db, NOW), refusal(/another form of migration 0001/))
})

test('a hole among the migrations is damage', async () => {
  const { address, db } = await open()
  await query(address, 'delete from schema_migration where number = 2')
  await assert.rejects(migrate(db, NOW), refusal(/damaged: migration 0002.* is missing/))
})

test('a table that is gone although its migration was applied is damage', async () => {
  const { address, db } = await open()
  await query(address, 'drop table delivery_queue')
  await assert.rejects(migrate(db, NOW), refusal(/damaged: its table delivery_queue is missing/))
})

test('the row about the service that is gone is damage', async () => {
  const { address, db } = await open()
  await query(address, 'delete from service')
  await assert.rejects(migrate(db, NOW), refusal(/damaged: its table service is empty/))
})

/** As a Hulaki of that time has left it. */
async function migrateTo(address: Connection, last: number): Promise<void> {
  await query(
    address,
    'create table schema_migration (number int primary key, name text, checksum text, applied_at timestamptz)',
  )
  for (const file of FILES.slice(0, last)) {
    const text = readFileSync(new URL(file, FOLDER), 'utf8')
    const checksum = createHash('sha256').update(text).digest('hex')
    await query(address, text)
    await query(
      address,
      `insert into schema_migration values (${Number(file.slice(0, 4))}, '${file}', '${checksum}', now())`,
    )
  }
}

test('0005: old reservations are named by their messages, and refunds are what they were, in whichever schema', async () => {
  const { address } = await open({ template: 'template0' })
  await query(address, 'create schema elsewhere')
  const inSchema = { ...address, options: '-c search_path=elsewhere' }
  await migrateTo(inSchema, 4)
  const id = (number: number) => `00000000-0000-7000-8000-00000000000${number}`
  const message = (number: number, status: string) =>
    `('${id(number)}', '${id(0)}', '${id(0)}', '+9779841000001', 'NP', 'Shop', 'Hi', 'transactional', 'GSM7', 1, 100, '${status}', now(), now())`
  await query(
    inSchema,
    `insert into message (id, workspace_id, client_id, to_number, country, sender, text, type, encoding, segments, cost_e4,
       status, created_at, updated_at)
     values ${[message(1, 'queued'), message(2, 'failed'), message(3, 'test')].join()}`,
  )
  const entry = (number: number, kind: string, messageId: string | null) =>
    `('${id(0)}', '${id(number)}', '2026-10-01', '${kind}', 100, 900, ${messageId && `'${messageId}'`}, now())`
  await query(
    inSchema,
    `insert into ledger_entry (workspace_id, id, period, kind, amount_e4, balance_e4, message_id, at)
     values ${[entry(4, 'grant', null), entry(5, 'reservation', id(1)), entry(6, 'reservation', id(2)), entry(7, 'refund', id(2)), entry(8, 'expiry', id(2))].join()}`,
  )
  const db = new Db(inSchema, { connections: 1 })
  after(() => db.close())
  assert.equal(await migrate(db, NOW), ALL - 4)
  assert.deepEqual(await query(inSchema, 'select id, reservation_id from message order by id'), [
    { id: id(1), reservation_id: id(5) },
    { id: id(2), reservation_id: id(6) },
    { id: id(3), reservation_id: null },
  ])
  assert.deepEqual(await query(inSchema, 'select kind, message_id, messages from ledger_entry order by id'), [
    { kind: 'grant', message_id: null, messages: null },
    { kind: 'reservation', message_id: null, messages: 1 },
    { kind: 'reservation', message_id: null, messages: 1 },
    { kind: 'refund', message_id: id(2), messages: null },
    { kind: 'expiry', message_id: id(2), messages: null },
  ])
  await assert.rejects(query(inSchema, 'update ledger_entry set note = null'), /only ever added/)
})

test('0014: what went out before is known by the sender it had on the wire, as far back as a reply may answer (D18)', async () => {
  const { address, db } = await open({ template: 'template0' })
  await migrateTo(address, 13)
  const id = (number: number) => `00000000-0000-7000-8000-00000000000${number}`
  const senders = ['Shop', '+9779801234567', 'Himal Bank Nepal', 'Café', '1234567890123456789012345', 'Shop']
  for (const [number, sender] of senders.entries()) {
    const age = number === 5 ? '32 days' : '1 day'
    await query(
      address,
      `insert into message (id, workspace_id, client_id, to_number, country, sender, text, type, encoding, segments, cost_e4,
         status, created_at, updated_at)
       values ('${id(number)}', '${id(0)}', '${id(0)}', '+9779841000001', 'NP', '${sender}', 'Hi', 'transactional', 'GSM7', 1, 100,
         'sent', now(), now());
       insert into submission (message_id, number, segment, of_segments, carrier_id, to_number, outcome, claimed_at, answered_at)
       values ('${id(number)}', 1, 1, 1, '${id(0)}', '+9779841000001', 'taken', now() - interval '${age}', now())`,
    )
  }
  await migrate(db, NOW)
  const kept = await query(address, 'select sender from submission order by message_id')
  assert.deepEqual(
    kept.map(({ sender }) => sender),
    ['Shop', '9779801234567', 'Himal Bank', null, null, null],
  )
})

test('0012: who disabled a client is taken from the audit log, and deliveries and rare statuses are found by their new columns', async () => {
  const { address, db } = await open({ template: 'template0' })
  await migrateTo(address, 11)
  const id = (number: number) => `00000000-0000-7000-8000-00000000000${number}`
  await query(
    address,
    `insert into workspace (id, name, country, currency, time_zone, plan, status, monthly_credit_e4, transactional_price_e4,
       otp_price_e4, promotional_price_e4, allowed_types, templates_required, period, period_ends_at, created_at, updated_at)
     values ('${id(9)}', 'Shop', 'NP', 'NPR', 'Asia/Kathmandu', 'standard', 'active', 0, 1, 1, 1, '{otp}', true, '2026-11-01',
       now(), now(), now())`,
  )
  const client = (number: number, disabledAt: string) =>
    `('${id(number)}', '${id(9)}', 'App', 'App', 'live', 'App', 20, ${disabledAt}, sha256('${number}'), 'svc', '', now(), now())`
  await query(
    address,
    `insert into client (id, workspace_id, name, brand_name, mode, default_sender, requests_per_second, disabled_at,
       api_key_hash, api_key_prefix, webhook_secret_sealed, created_at, updated_at)
     values ${[client(1, 'now()'), client(2, 'now()'), client(3, 'now()'), client(4, 'null')].join()}`,
  )
  const entry = (number: number, actor: string, subject: number) =>
    `('${id(number)}', '${id(9)}', '${actor}', 'client.disabled', '${id(subject)}', '{}', now())`
  await query(
    address,
    `insert into audit_entry (id, workspace_id, actor, action, subject, details, at)
     values ${[entry(1, 'operator', 1), entry(2, 'owner:x', 1), entry(3, 'operator', 2), entry(4, 'operator', 4)].join()}`,
  )
  await query(
    address,
    `insert into webhook_queue (delivery_id, client_id, due_at) values ('${id(5)}', '${id(1)}', now());
     insert into message (id, workspace_id, client_id, to_number, country, sender, text, type, encoding, segments, cost_e4,
       status, created_at, updated_at)
     select ('00000000-0000-7000-8000-00000000001' || place)::uuid, '${id(9)}', '${id(1)}', '+9779841000001', 'NP', 'Shop', 'Hi',
       'otp', 'GSM7', 1, 1, status, now(), now()
     from unnest('{delivered,failed,test,queued}'::text[]) with ordinality as made (status, place)`,
  )
  assert.equal(await migrate(db, NOW), ALL - 11)
  const disabled = await query(address, 'select disabled_by from client order by id')
  assert.deepEqual(
    disabled.map((row) => row.disabled_by),
    ['owner', 'operator', 'operator', null],
  )
  assert.deepEqual(await query(address, 'select workspace_id from webhook_queue'), [{ workspace_id: id(9) }])
  const rare = await query(address, 'select rare_status from message order by id')
  assert.deepEqual(
    rare.map((row) => row.rare_status),
    [null, 'failed', 'test', null],
  )
})

test('0019: what waits keeps its place under two columns, what was being submitted waits for its answer, outcomes keep their meaning', async () => {
  const { address, db } = await open({ template: 'template0' })
  await migrateTo(address, 18)
  const id = (number: number) => `00000000-0000-7000-8000-00000000000${number}`
  const message = (number: number, status: string) =>
    `('${id(number)}', '${id(6)}', '${id(7)}', '+9779841000001', 'NP', 'Shop', 'Hi', 'transactional', 'GSM7', 1, 100, '${status}', now(), now())`
  await query(
    address,
    `insert into message (id, workspace_id, client_id, to_number, country, sender, text, type, encoding, segments, cost_e4,
       status, created_at, updated_at)
     values ${[message(1, 'queued'), message(2, 'submitting')].join()};
     insert into delivery_queue (message_id, destination, lane, due_at, claim_id, claims)
     values ('${id(1)}', 'NP+97798~${id(9)}', 1, '2026-01-01Z', null, 1), ('${id(2)}', 'NP', 0, '2026-01-02Z', '${id(8)}', 1);
     insert into submission (message_id, number, segment, of_segments, carrier_id, to_number, outcome, claimed_at, answered_at)
     values ('${id(1)}', 1, 1, 1, '${id(9)}', '+9779841000001', 'twice', now(), now())`,
  )
  await migrate(db, NOW)
  const at = (time: string) => new Date(time)
  assert.deepEqual(
    await query(
      address,
      `select destination, avoid_carrier_id as avoids, priority, workspace_id as workspace, client_id as client, leased_until as until
       from delivery_queue order by message_id`,
    ),
    [
      { destination: 'NP+97798', avoids: id(9), priority: 1, workspace: id(6), client: id(7), until: null },
      { destination: 'NP', avoids: id(0), priority: 0, workspace: id(6), client: id(7), until: at('2026-01-02Z') },
    ].map((row) => ({ ...row, avoids: row.avoids === id(0) ? '00000000-0000-0000-0000-000000000000' : row.avoids })),
  )
  assert.deepEqual(await query(address, 'select status from message order by id'), [
    { status: 'queued' },
    { status: 'queued' },
  ])
  assert.deepEqual(await query(address, 'select ordinal, outcome from submission'), [
    { ordinal: 1, outcome: 'retry_twice' },
  ])
})

test('0024: codes of the last days and refunds of all time are summed up from what is known of them', async () => {
  const { address, db } = await open({ template: 'template0' })
  await migrateTo(address, 19)
  const id = (number: number) => `00000000-0000-7000-8000-00000000000${number}`
  const [workspace, client] = [id(6), id(7)]
  // Half an hour before midnight in Kathmandu, and half an hour after it.
  const [evening, night] = ['2026-01-01T17:45Z', '2026-01-01T18:45Z']
  const message = (number: number, status: string, at: string) =>
    `('${id(number)}', '${workspace}', '${client}', '+9779841000001', 'NP', 'Shop', 'otp', 'GSM7', 1, 100, '${status}', '${at}', '${at}')`
  const stat = (number: number, at: string, verifiedAt: string) =>
    `('${id(number)}', '${client}', '+9779841000001', '+977984', '+977984100', 1, '${at}', ${verifiedAt})`
  await query(
    address,
    `insert into workspace (id, name, country, currency, time_zone, plan, status, monthly_credit_e4, transactional_price_e4, otp_price_e4,
       promotional_price_e4, allowed_types, templates_required, period, period_ends_at, created_at, updated_at)
     values ('${workspace}', 'W', 'NP', 'NPR', 'Asia/Kathmandu', 'standard', 'active', 0, 0, 100, 0, '{otp}', true, '2026-01-01',
       '2026-02-01', '2026-01-01', '2026-01-01');
     insert into client (id, workspace_id, name, brand_name, mode, default_sender, requests_per_second, api_key_hash, api_key_prefix,
       webhook_secret_sealed, created_at, updated_at)
     values ('${client}', '${workspace}', 'C', 'C', 'live', 'C', 20, decode(repeat('00', 32), 'hex'), 'k', '', now(), now());
     insert into message (id, workspace_id, client_id, to_number, country, sender, type, encoding, segments, cost_e4, status, created_at,
       updated_at)
     values ${[message(1, 'delivered', evening), message(2, 'failed', night), message(3, 'sent', night)].join()};
     insert into otp_send_stat (id, client_id, to_number, operator_prefix, block, last_four, sent_at, verified_at)
     values ${[stat(1, evening, `'${night}'`), stat(2, night, 'null'), stat(3, night, 'null')].join()};
     insert into usage_day (workspace_id, client_id, day, type, messages, segments, cost_e4)
     values ('${workspace}', '${client}', '2026-01-01', 'otp', 1, 1, 100), ('${workspace}', '${client}', '2026-01-02', 'otp', 2, 2, 200);
     insert into ledger_entry (workspace_id, id, period, kind, amount_e4, balance_e4, message_id, at)
     values ('${workspace}', '${id(8)}', '2026-01-01', 'refund', 100, 100, '${id(2)}', '2026-01-09')`,
  )
  await migrate(db, NOW)
  const sums = await query(
    address,
    `select day::text || ' ' || operator_prefix || ' ' || stage || ' ' || codes as sum from otp_day order by 1`,
  )
  assert.deepEqual(
    sums.map((row) => row.sum),
    [
      ...['2026-01-01  delivered 1', '2026-01-01  sent 1', '2026-01-01  verified 1'],
      ...['2026-01-01 +977984 delivered 1', '2026-01-01 +977984 sent 1', '2026-01-01 +977984 verified 1'],
      ...['2026-01-02  sent 2', '2026-01-02 +977984 sent 2'],
    ],
  )
  const refunds = await query(address, 'select day::text, refunds::int, refunded_e4::int from usage_day order by day')
  assert.deepEqual(refunds, [
    { day: '2026-01-01', refunds: 0, refunded_e4: 0 },
    { day: '2026-01-02', refunds: 1, refunded_e4: 100 },
  ])
})

test('0053: carriers of both kinds keep their settings, and the first start seals their secrets together', async () => {
  const { address, db } = await open({ template: 'template0' })
  await migrateTo(address, FILES.indexOf('0053_carrier_kinds.sql'))
  const [smpp, http] = ['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002']
  const keyring = parseKeyring(newKeyringText(systemChance), systemChance)
  const sealed = (context: string, text: string) => `'\\x${keyring.seal('secrets', context, text).toString('hex')}'`
  const carrier = (id: string, own: string, secrets: string) =>
    `('${id}', ${own}, ${secrets}, '', 'separate', 2, 10, 30, 'hex', 'decimal', 'latin1', 'sar', 5, null,
      '{"answers": {}, "reports": {}}', true, true, '2026-01-01', '2026-01-01')`
  await query(
    address,
    `insert into carrier (id, name, kind, host, port, tls, system_id, smpp_settings, password_sealed, tls_key_sealed, system_type,
       bind_mode, binds, window_size, answer_seconds, answer_id_format, report_id_format, alphabet, long_messages, source_ton,
       source_npi, status_overrides, resend_unknown, enabled, created_at, updated_at)
     values ${[
       carrier(
         smpp,
         `'A', 'smpp', 'smsc.example', 2775, true, 'himal', '{"receivers": 3}'`,
         `${sealed(`carrier-password:${smpp}`, 'pass')}, ${sealed(`carrier-tls-key:${smpp}`, 'key')}`,
       ),
       carrier(
         http,
         `'B', 'http', 'api.example', 443, true, '', '{}'`,
         `${sealed(`carrier-password:${http}`, '{"token":"t"}')}, null`,
       ),
     ].join()};
     insert into http_carrier (carrier_id, description, secret_names) values ('${http}', '{"url": "https://api.example"}', '{token}')`,
  )
  await migrate(db, NOW)
  assert.equal(await matchKeyring(db, keyring), null)
  const [first, second, ...others] = await listAllCarriers(db)
  assert(first?.kind === 'smpp' && second?.kind === 'http' && others.length === 0)
  assert.deepEqual(smppSecretsOf({ keyring }, first), { password: 'pass', tlsKey: 'key' })
  assert.deepEqual(httpSecretsOf({ keyring }, second), { token: 't' })
  const { host, port, tls, systemId, bindMode, receivers, answerIdFormat, reportIdFormat, alphabet } = first.smpp
  assert.deepEqual(
    { host, port, tls, systemId, bindMode, receivers, answerIdFormat, reportIdFormat, alphabet },
    {
      ...{ host: 'smsc.example', port: 2775, tls: true, systemId: 'himal', bindMode: 'separate', receivers: 3 },
      ...{ answerIdFormat: 'hex', reportIdFormat: 'decimal', alphabet: 'latin1' },
    },
  )
  assert.deepEqual([first.smpp.sourceTon, first.smpp.statusOverrides.states, first.binds], [5, {}, 2])
  assert.deepEqual([second.http.description.url, second.http.secretNames], ['https://api.example', ['token']])
  const left = await query(address, 'select 1 from carrier where num_nonnulls(password_sealed, tls_key_sealed) > 0')
  assert.deepEqual(left, [])
})
