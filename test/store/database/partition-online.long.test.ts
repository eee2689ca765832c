// The conversion of a database with many messages, while statements like those of the previous version run and the process is killed (D44).
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import pg from 'pg'
import { lowestIdOf } from '../../../src/runtime/ids.ts'
import { PipelinedQueries } from '../../../src/store/database/db/transaction.ts'
import { Db } from '../../../src/store/database/db.ts'
import { migrate } from '../../../src/store/database/migrate.ts'
import { testDatabaseAddress } from '../../harness/database.ts'
import { type Connection, query } from '../../harness/server.ts'
import { until } from '../../harness/until.ts'

const MESSAGES = Number(process.env.MESSAGES ?? 200_000)
const MIGRATIONS = join(import.meta.dirname, '../../../src/store/database/migrations')
const NOW = new Date('2026-11-16T04:00:00.000Z')
const OWNER = '00000000-0000-7000-8000-000000000001'
const WRITERS = 4

const idAt = (at: string) => lowestIdOf(new Date(at)).slice(0, 24)
const AT = `'2026-11-16'::timestamptz`
const NUMBER = `'+9779841000000'`
/** The partitioned tables, with the columns and values of one message. */
const TABLES: [name: string, columns: string, values: (id: string) => string][] = [
  [
    'message',
    `id, workspace_id, client_id, to_number, country, sender, text, type, encoding, segments, cost_e4, status, created_at, updated_at`,
    (id) =>
      `${id}, '${OWNER}'::uuid, '${OWNER}'::uuid, ${NUMBER}, 'NP', 'Shop', 'Your order is on its way.', 'transactional', 'GSM7', 1, 0, 'sent', ${AT}, ${AT}`,
  ],
  [
    'submission',
    `message_id, ordinal, segment, segment_count, carrier_id, to_number, sender, outcome, reference, claimed_at, answered_at`,
    (id) => `${id}, 1, 1, 1, '${OWNER}'::uuid, ${NUMBER}, 'Shop', 'accepted', ${id}::text, ${AT}, ${AT}`,
  ],
  [
    'report',
    `message_id, id, ordinal, segment, state, code, status, error, raw, received_at`,
    (id) => `${id}, ${id}, 1, 1, 'DELIVRD', '000', 'delivered', '', 'id:1 stat:DELIVRD err:000', ${AT}`,
  ],
  [
    'inbound_message',
    `id, carrier_id, workspace_id, client_id, from_number, to_address, text, in_reply_to, received_at`,
    (id) => `${id}, '${OWNER}'::uuid, '${OWNER}'::uuid, '${OWNER}'::uuid, ${NUMBER}, '1234', 'Yes', ${id}, ${AT}`,
  ],
  [
    'audit_entry',
    `id, workspace_id, actor, action, subject, details, at`,
    (id) => `${id}, '${OWNER}'::uuid, 'operator', 'message.resent', ${id}::text, '{}'::jsonb, ${AT}`,
  ],
]

async function openPlain(): Promise<Connection> {
  const folder = mkdtempSync(join(tmpdir(), 'hulaki-migrations-'))
  after(() => rmSync(folder, { recursive: true }))
  for (const file of readdirSync(MIGRATIONS)) if (file < '0118') cpSync(join(MIGRATIONS, file), join(folder, file))
  const address = await testDatabaseAddress({ template: 'template0' })
  const db = new Db(address, { connections: 1 })
  await migrate(db, NOW, { folder })
  await db.close()
  const id = `('${idAt('2026-08-01')}' || lpad(n::text, 12, '0'))::uuid`
  await query(
    address,
    `insert into workspace (id, name, country, currency, time_zone, plan, status, monthly_credit_e4, transactional_price_e4, otp_price_e4,
       promotional_price_e4, allowed_types, templates_required, balance_e4, period, period_ends_at, created_at, updated_at)
     values ('${OWNER}', 'Shop', 'NP', 'NPR', 'Asia/Kathmandu', 'standard', 'active', 10000, 100, 100, 100, '{otp,transactional}', false, 0,
       '2026-11-01', '2026-12-01', '2026-11-01', '2026-11-01')`,
    ...TABLES.map(
      ([name, columns, values]) =>
        `insert into ${name} (${columns}) select ${values(id)} from generate_series(1, ${MESSAGES}) n`,
    ),
    'analyze',
  )
  return address
}

/** Each in the middle of the statement, or just after it; at least one for each table. */
const KILLED_AT = [
  'validate constraint inbound_message_until',
  'lock table report',
  'lock table audit_entry',
  'add constraint submission_until',
  'validate constraint submission_until',
  'add constraint message_until',
  'validate constraint message_until',
  'lock table message',
]
/** Ends the connection that holds the lock of migrations. */
const END_MIGRATION = `
  select pg_terminate_backend(pid) from pg_locks join pg_database on pg_database.oid = database
  where locktype = 'advisory' and objid = ${0x68_75_6c_61} and datname = current_database() and pid <> pg_backend_pid()`

interface Load {
  written: number
  longestMs: number
  stop: () => Promise<void>
}

const STATEMENTS = [
  ...TABLES.map(
    ([name, columns, values]) =>
      `prepare add_${name} (uuid) as insert into ${name} (${columns}) values (${values('$1')})`,
  ),
  `prepare deliver (uuid) as update message set status = 'delivered', submissions = 1 where id = $1`,
  // The audit log refers to the workspace, so its conversion locks the workspaces too.
  `prepare charge (uuid) as update workspace set balance_e4 = balance_e4 + 1 where id = '${OWNER}' and $1 is not null`,
  `prepare look (uuid) as select message.id, report.state, inbound_message.text, audit_entry.action
     from submission join message on message.id = message_id join report using (message_id)
       join inbound_message on in_reply_to = message.id and inbound_message.id = message.id join audit_entry on audit_entry.id = message.id
     where submission.carrier_id = '${OWNER}' and reference = $1::text`,
]
/** The last change is one transaction, as those of actions are. */
const ROUND = [
  ...['add_message', 'add_submission', 'add_report', 'deliver', 'add_inbound_message'],
  ...['begin', 'charge', 'add_audit_entry', 'commit', 'look'],
]

/**
 * Accepts messages, stores answers, receipts, replies and audit entries, and updates and reads them, as fast as it can. A statement that waits
 * a second for a lock fails.
 */
async function startLoad(address: Connection): Promise<Load> {
  const load: Load = { written: 0, longestMs: 0, stop: async () => {} }
  let isOver = false
  const write = async (writer: number) => {
    const client = new pg.Client(address)
    await client.connect()
    await client.query([`set lock_timeout = '1s'`, ...STATEMENTS].join(';'))
    for (let n = 1; !isOver; n += 1) {
      const id = `${idAt('2026-11-16')}${String(writer * 10_000_000 + n).padStart(12, '0')}`
      for (const statement of ROUND) {
        const startedAt = performance.now()
        const { rows } = await client.query(
          /begin|commit/.test(statement) ? statement : `execute ${statement} ('${id}')`,
        )
        load.longestMs = Math.max(load.longestMs, performance.now() - startedAt)
        if (statement === 'look')
          assert.deepEqual(rows, [{ id, state: 'DELIVRD', text: 'Yes', action: 'message.resent' }])
      }
      load.written += 1
    }
    await client.end()
  }
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer + 1))
  load.stop = async () => {
    isOver = true
    await Promise.all(writers)
  }
  return load
}

test('D44: converts a large database under load and kills, without a lost row or a lock over a second', async (t) => {
  const address = await openPlain()
  const load = await startLoad(address)
  t.after(load.stop)
  await until(() => load.written > 100)
  const lines: object[] = []
  const info = (fields: object) => lines.push(fields)
  const log = { info, debug: info, warn: info, error: info } as never
  const startedAt = performance.now()
  const atStart = load.written
  const left = new Set(KILLED_AT)
  const { script } = PipelinedQueries.prototype
  t.mock.method(PipelinedQueries.prototype, 'script', async function (this: PipelinedQueries, text: string) {
    const killedAt = [...left].find((it) => text.includes(it))
    if (killedAt) left.delete(killedAt)
    await Promise.all([script.call(this, text), ...(killedAt ? [query(address, END_MIGRATION)] : [])])
  })
  for (let isConverted = false; !isConverted; ) {
    const before = left.size
    const db = new Db(address, { connections: 2 })
    isConverted = await migrate(db, NOW, { log }).then(
      () => true,
      () => false,
    )
    assert.equal(left.size, isConverted ? 0 : before - 1)
    await db.close()
  }
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10
  const atEnd = load.written
  await until(() => load.written > atEnd + 100)
  await load.stop()
  const all = MESSAGES + load.written
  for (const [name] of TABLES) {
    const [row] = await query(
      address,
      `select relkind::text as kind, (select count(*)::int from ${name}) as rows from pg_class where oid = '${name}'::regclass`,
    )
    assert.deepEqual(row, { kind: 'p', rows: all }, name)
  }
  const [changed] = await query(
    address,
    `select (select count(*)::int from message where submissions = 1) as delivered,
       (select balance_e4::int from workspace where id = '${OWNER}') as charged`,
  )
  assert.deepEqual(changed, { delivered: load.written, charged: load.written })
  assert.ok(
    lines.some((line) => 'rows' in line && 'step' in line),
    'shows its progress',
  )
  const figures = {
    ...{ rows: MESSAGES * TABLES.length, seconds, kills: KILLED_AT.length },
    ...{ written: (atEnd - atStart) * TABLES.length, longestMs: Math.round(load.longestMs) },
  }
  t.diagnostic(JSON.stringify(figures))
})
