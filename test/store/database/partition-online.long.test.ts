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
const MESSAGE = `message (id, workspace_id, client_id, to_number, country, sender, text, type, encoding, segments, cost_e4, status, created_at, updated_at)`
const valuesOf = (id: string) =>
  `${id}, '${OWNER}'::uuid, '${OWNER}'::uuid, '+9779841000000', 'NP', 'Shop', 'Your order is on its way.', 'transactional', 'GSM7', 1, 0, 'sent',
   '2026-11-16'::timestamptz, '2026-11-16'::timestamptz`
const SUBMISSION = `submission (message_id, ordinal, segment, segment_count, carrier_id, to_number, sender, outcome, reference, claimed_at, answered_at)`
const submissionOf = (id: string) =>
  `${id}, 1, 1, 1, '${OWNER}'::uuid, '+9779841000000', 'Shop', 'accepted', ${id}::text, '2026-11-16'::timestamptz, '2026-11-16'::timestamptz`

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
    `insert into ${MESSAGE} select ${valuesOf(id)} from generate_series(1, ${MESSAGES}) n`,
    `insert into ${SUBMISSION} select ${submissionOf(id)} from generate_series(1, ${MESSAGES}) n`,
  )
  return address
}

/** Each in the middle of the statement, or just after it. */
const KILLED_AT = [
  'add constraint submission_until',
  'validate constraint submission_until',
  'add constraint message_until',
  'validate constraint message_until',
  'lock table message',
  null,
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

/** Accepts messages, stores their answers, and updates and reads them, as fast as it can. */
async function startLoad(address: Connection): Promise<Load> {
  const load: Load = { written: 0, longestMs: 0, stop: async () => {} }
  let isOver = false
  const write = async (writer: number) => {
    const client = new pg.Client(address)
    await client.connect()
    await client.query(`
      prepare accept (uuid) as insert into ${MESSAGE} values (${valuesOf('$1')});
      prepare answer (uuid) as insert into ${SUBMISSION} values (${submissionOf('$1')});
      prepare report (uuid) as update message set status = 'delivered', submissions = 1 where id = $1;
      prepare look (text) as select message.id from submission join message on message.id = message_id
        where carrier_id = '${OWNER}' and reference = $1`)
    for (let n = 1; !isOver; n += 1) {
      const id = `${idAt('2026-11-16')}${String(writer * 10_000_000 + n).padStart(12, '0')}`
      for (const statement of ['accept', 'answer', 'report', 'look']) {
        const startedAt = performance.now()
        const { rows } = await client.query(`execute ${statement} ('${id}')`)
        if (statement === 'look') assert.deepEqual(rows, [{ id }])
        load.longestMs = Math.max(load.longestMs, performance.now() - startedAt)
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
  const before = load.written
  await until(() => load.written > before + 100)
  const lines: object[] = []
  const info = (fields: object) => lines.push(fields)
  const log = { info, debug: info, warn: info, error: info } as never
  let kills = 0
  const startedAt = performance.now()
  const { script } = PipelinedQueries.prototype
  for (const killedAt of KILLED_AT) {
    const scripts = t.mock.method(
      PipelinedQueries.prototype,
      'script',
      async function (this: PipelinedQueries, text: string) {
        const isKilled = killedAt !== null && text.includes(killedAt)
        const done = script.call(this, text)
        await Promise.all([done, ...(isKilled ? [query(address, END_MIGRATION)] : [])])
      },
    )
    const db = new Db(address, { connections: 2 })
    const isConverted = await migrate(db, NOW, { log }).then(
      () => true,
      () => false,
    )
    assert.equal(isConverted, killedAt === null, `killed at ${killedAt}`)
    if (!isConverted) kills += 1
    await db.close()
    scripts.mock.restore()
  }
  const seconds = (performance.now() - startedAt) / 1000
  const atEnd = load.written
  await until(() => load.written > atEnd + 100)
  await load.stop()
  assert.equal(kills, KILLED_AT.length - 1)
  const [row] = await query(
    address,
    `select (select count(*)::int from message) as messages, (select count(*)::int from submission) as submissions,
       (select count(*)::int from message where submissions = 1) as delivered,
       (select count(*)::int from pg_class where relkind = 'p' and relname in ('message', 'submission')) as partitioned`,
  )
  const all = MESSAGES + load.written
  assert.deepEqual(row, { messages: all, submissions: all, delivered: load.written, partitioned: 2 })
  assert.ok(
    lines.some((line) => 'rows' in line && 'step' in line),
    'shows its progress',
  )
  t.diagnostic(
    `${MESSAGES} messages in ${seconds.toFixed(1)} s, ${kills} kills, ${load.written} written, longest ${load.longestMs.toFixed(0)} ms`,
  )
  // The longest wait for a lock is half a second; the rest is the machine.
  assert.ok(load.longestMs < 1_000, `a statement took ${load.longestMs} ms`)
})
