// At no moment can both databases of a move be used, and an interrupted move goes on (D81).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { LocalError, UsageError } from '../../src/cli/context.ts'
import { Db } from '../../src/store/database/db.ts'
import { migrate } from '../../src/store/database/migrate.ts'
import { testDatabaseAddress, useDatabase } from '../harness/database.ts'
import { urlOf } from '../harness/process.ts'
import { type Connection, query } from '../harness/server.ts'
import { until } from '../harness/until.ts'
import { commandsOn, holdCopy, rowsOf } from './commands.ts'

const NOW = new Date('2026-11-19T06:00:00Z')
const failure = (pattern: RegExp) => (error: unknown) => error instanceof LocalError && pattern.test(error.message)

const { PGPASSWORD } = process.env
after(() => {
  if (PGPASSWORD === undefined) delete process.env.PGPASSWORD
  else process.env.PGPASSWORD = PGPASSWORD
})

async function openPair() {
  const source = await testDatabaseAddress()
  const target = await testDatabaseAddress({ template: 'template0' })
  process.env.PGPASSWORD = target.password
  await query(source, `insert into verified_number values (gen_random_uuid(), '+9779800000001', now())`)
  const run = commandsOn(source, 'no keyring')
  const moveTo = (address: Connection, signal?: AbortSignal) => {
    const to = urlOf({ ...address, password: '' }).replace(':@', '@')
    return run('move', [], { values: { to }, ...(signal && { signal }) })
  }
  return {
    ...{ source, target, moveTo },
    move: (signal?: AbortSignal) => moveTo(target, signal),
    undo: () => run('move', [], { values: { undo: true } }),
  }
}

type Pair = Awaited<ReturnType<typeof openPair>>

/** What the start of a service does first. */
async function start(address: Connection): Promise<void> {
  const db = new Db(address, { connections: 1 })
  useDatabase(address, () => db.close())
  await migrate(db, NOW)
}

/** Without the mark of a moved database, which has a row. */
const dataOf = async (address: Connection) => (await rowsOf(address)).filter((line) => !line.startsWith('moved_away '))

const marksOf = async (address: Connection) =>
  (await query(address, `select relname from pg_class where relname in ('moved_away', 'unfinished_copy')`)).map(
    ({ relname }) => relname,
  )

test('a service that starts during a move waits for its end, and then does not start on the old database', async () => {
  const { source, target, move } = await openPair()
  const moving = move()
  const held = await holdCopy(target)
  let isDecided = false
  const starting = start(source)
    .catch((error: unknown) => error)
    .finally(() => {
      isDecided = true
    })
  // It is connected, and asks for the lock again and again.
  const waiting = `select 1 from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and query like '%pg_try_advisory_lock%'`
  await until(async () => (await query(source, waiting)).length > 0)
  assert.equal(isDecided, false)
  await held.release()
  await moving
  assert.match(String(await starting), /The database was moved to another server/)
  assert.deepEqual([await marksOf(source), await marksOf(target)], [['moved_away'], []])
  assert.deepEqual(await dataOf(target), await dataOf(source))
  await start(target)
})

/** Ends the connection of the move to its target after the source is marked and before the target is complete. */
async function endBetweenMarks({ source, target, move }: Pick<Pair, 'source' | 'target' | 'move'>): Promise<void> {
  const moving = assert.rejects(move())
  const copy = await holdCopy(target)
  const reader = new pg.Client(target)
  await reader.connect()
  // Conflicts with the end of the copy only, which drops the table.
  await reader.query('begin')
  const locked = reader.query('lock table unfinished_copy in access share mode')
  await copy.release()
  await locked
  await until(async () => (await marksOf(source)).length > 0)
  await until(
    async () =>
      (
        await query(
          target,
          `select pg_terminate_backend(pid) from pg_locks where not granted and relation = 'unfinished_copy'::regclass`,
        )
      ).length > 0,
  )
  await moving
  await reader.end()
  assert.deepEqual([await marksOf(source), await marksOf(target)], [['moved_away'], ['unfinished_copy']])
}

test('a move that ended between its two marks is completed by the same command', async () => {
  const pair = await openPair()
  const { source, target, move } = pair
  await endBetweenMarks(pair)
  await assert.rejects(start(source), /The database was moved to another server/)
  await assert.rejects(start(target), /A restore or a move into this database has not finished/)
  await move()
  assert.deepEqual([await marksOf(source), await marksOf(target)], [['moved_away'], []])
  assert.deepEqual(await dataOf(target), await dataOf(source))
  await start(target)
})

test('an interrupted move does not go on after the database was moved elsewhere', async () => {
  const { source, target, move, moveTo } = await openPair()
  const stop = new AbortController()
  const moving = assert.rejects(move(stop.signal), failure(/Stopped; the same command can be run again/))
  const held = await holdCopy(target)
  stop.abort()
  await held.release()
  await moving
  await moveTo(await testDatabaseAddress({ template: 'template0' }))
  await assert.rejects(move(), failure(/The database was moved to another server; set DATABASE_URL/))
  await assert.rejects(start(target), /A restore or a move into this database has not finished/)
  assert.deepEqual(await marksOf(source), ['moved_away'])
})

test('an undo is refused while a service or another command uses the database', async () => {
  const { source, move, undo } = await openPair()
  await move()
  const other = new Db(source, { connections: 1 })
  await other.ping()
  await assert.rejects(undo(), failure(/A service or command uses the database \(1 connections\)/))
  await other.close()
  assert.deepEqual(await marksOf(source), ['moved_away'])
  await undo()
})

const FAULTS: [what: string, result: string][] = [
  ['changes', `new.to_number := '+9779800000002'; return new`],
  ['leaves out', 'return null'],
]
for (const [what, result] of FAULTS) {
  test(`a target that ${what} a row is not used, and the old database stays the one in use`, async () => {
    const { source, target, move } = await openPair()
    const moving = move().catch((error: unknown) => error)
    const held = await holdCopy(target)
    await query(
      target,
      `create function spoil() returns trigger language plpgsql as $$ begin ${result}; end $$`,
      'create trigger spoil before insert on verified_number for each row execute function spoil()',
    )
    await held.release()
    const different = failure(/^Table verified_number has other rows in the target than in the source\.$/)
    assert.ok(different(await moving), String(await moving))
    assert.deepEqual([await marksOf(source), await marksOf(target)], [[], ['unfinished_copy']])
    await assert.rejects(start(target), /A restore or a move into this database has not finished/)
    await start(source)
    // Repeated, it continues with this table.
    await assert.rejects(move(), different)
    await query(target, 'drop function spoil cascade')
    await move()
    assert.deepEqual([await marksOf(source), await marksOf(target)], [['moved_away'], []])
    assert.deepEqual(await dataOf(target), await dataOf(source))
  })
}

test('a database that was moved is not moved again, until the move is undone', async () => {
  const { source, move, undo } = await openPair()
  await assert.rejects(undo(), failure(/was not moved; nothing was changed/))
  await move()
  await assert.rejects(move(), failure(/The database was moved to another server; set DATABASE_URL/))
  await assert.rejects(start(source), /run hulaki move --undo/)
  await undo()
  await start(source)
})

test('needs either --to or --undo', async () => {
  const run = commandsOn((await openPair()).source, 'no keyring')
  await assert.rejects(run('move', []), UsageError)
  await assert.rejects(run('move', [], { values: { to: 'postgres://h/d', undo: true } }), UsageError)
})
