// Statements that are sent together: what each gives, and what a fault among them leaves behind.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { CommitUnknown, Db, isOutage, type Queries, sqlState, type Tx } from '../../../src/store/database/db.ts'
import { sql } from '../../../src/store/database/sql.ts'
import { testDatabase, testDatabaseAddress } from '../../harness/database.ts'

// One connection: whatever a test leaves on it, the next one meets.
const db = await testDatabase({ connections: 1 })
await db.query(sql`create table thing (id int primary key, size bigint not null default 0)`)

const put = (queries: Queries, id: number) => queries.query(sql`insert into thing (id) values (${id})`)
const count = async (queries: Queries = db) => {
  const [row] = await queries.query<{ things: number }>(sql`select count(*) as things from thing`)
  return row?.things ?? Number.NaN
}
const isUnique = (error: unknown) => sqlState(error) === '23505'

test('each statement gets its own rows, read by their types, however often it is sent', async () => {
  const ask = (queries: Queries, number: number) =>
    queries.query<{ number: number; day: string; nothing: null; list: string[] }>(
      sql`select ${number}::bigint as number, date '2026-11-15' as day, null as nothing, array['a', 'b'] as list`,
    )
  for (const round of [1, 2, 3]) {
    const [one, none, many] = await db.pipelined((queries) =>
      Promise.all([ask(queries, round), queries.query(sql`select 1 where false`), ask(queries, 10 * round)]),
    )
    assert.deepEqual(one, [{ number: round, day: '2026-11-15', nothing: null, list: ['a', 'b'] }])
    assert.deepEqual(none, [])
    assert.equal(many?.[0]?.number, 10 * round)
  }
})

test('statements of later turns see what those of earlier turns did', async () => {
  const seen = await db.transaction(async (tx) => {
    await put(tx, 1)
    const between = await count(tx)
    await put(tx, 2)
    return [between, await count(tx)]
  })
  assert.deepEqual(seen, [1, 2])
  assert.equal(await count(), 2)
})

test('without a transaction they are one: nothing is kept of those that stood beside a fault', async () => {
  const before = await count()
  const together = db.pipelined((queries) => Promise.all([put(queries, 100), put(queries, 1), put(queries, 101)]))
  await assert.rejects(together, isUnique)
  assert.equal(await count(), before)
})

test('a fault among the last statements is what the transaction fails with, and nothing of it is kept', async () => {
  const before = await count()
  const finish = (tx: Tx, ...ids: number[]) => tx.finishWith(...ids.map((id) => put(tx, id)))
  await assert.rejects(
    db.transaction(async (tx) => finish(tx, 200, 1, 201)),
    isUnique,
  )
  assert.equal(await count(), before)
  await db.transaction(async (tx) => finish(tx, 200, 201))
  assert.equal(await count(), before + 2)
})

test('what fails before it is sent is not committed without', async () => {
  const before = await count()
  const unwritable = { toJSON: () => assert.fail('cannot be written') }
  const failing = db.transaction(async (tx) => {
    tx.finishWith(put(tx, 300), tx.query(sql`select ${unwritable}::text`))
  })
  await assert.rejects(failing, /cannot be written/)
  const thrown = db.transaction(async (tx) => {
    tx.finishWith(put(tx, 300), Promise.reject(new Error('no statement at all')))
  })
  await assert.rejects(thrown, /no statement at all/)
  assert.equal(await count(), before)
})

test('a statement met first beside a fault can be used after it, whether the server got to know it or not', async () => {
  const first = (tx: Tx) => tx.query(sql`select 'before the fault' as place`)
  const last = (tx: Tx) => tx.query(sql`select 'behind the fault' as place`)
  await assert.rejects(
    db.transaction((tx) => Promise.all([first(tx), put(tx, 1), last(tx)])),
    isUnique,
  )
  const places = await db.transaction((tx) => Promise.all([first(tx), last(tx)]))
  assert.deepEqual(places, [[{ place: 'before the fault' }], [{ place: 'behind the fault' }]])
})

test('a number that JavaScript cannot hold fails its reader, not the process', async () => {
  const tooLarge = db.pipelined((queries) => queries.query(sql`select ${'9007199254740993'}::bigint as number`))
  await assert.rejects(tooLarge, RangeError)
  assert.ok((await count()) > 0)
})

test('a script is in its transaction, in its turn', async () => {
  const before = await count()
  const failing = db.transaction(async (tx) => {
    await tx.script('insert into thing (id) values (500); insert into thing (id) values (501)')
    throw new Error('after the script')
  })
  await assert.rejects(failing, /after the script/)
  await db.transaction(async (tx) => {
    const first = put(tx, 500)
    await tx.script('update thing set size = 5 where id = 500')
    await first
  })
  assert.deepEqual(await db.query(sql`select size from thing where id = 500`), [{ size: 5 }])
  assert.equal(await count(), before + 1)
})

test('a row that cannot be read costs its reader alone, and leaves it open whether the transaction is stored', async () => {
  const unreadable = (queries: Queries) => queries.query(sql`select ${'9007199254740993'}::bigint as number`)
  const [read, other] = await db.pipelined((queries) => Promise.allSettled([unreadable(queries), count(queries)]))
  assert.deepEqual([read?.status, other?.status], ['rejected', 'fulfilled'])
  const failing = db.transaction(async (tx) => tx.finishWith(put(tx, 600), unreadable(tx)))
  await assert.rejects(failing, CommitUnknown)
})

test('a fault says who asked, and is told instead of what follows from it', async () => {
  const failing = db.transaction(async (tx) => {
    const lost = put(tx, 1)
    await new Promise(setImmediate)
    await Promise.all([count(tx), lost])
  })
  await assert.rejects(
    failing,
    (error) => isUnique(error) && /at async put|pipeline\.test/.test((error as Error).stack ?? ''),
  )
})

test('a statement whose rows have changed since it was prepared costs one transaction', async () => {
  const read = () => db.transaction((tx) => tx.query(sql`select * from thing where id = 1`))
  await read()
  await db.query(sql`alter table thing add column colour text`)
  await assert.rejects(read(), (error) => sqlState(error) === '0A000')
  assert.deepEqual(await read(), [{ id: 1, size: 0, colour: null }])
})

test('a commit that the server did before its last word is a commit', async () => {
  const server = await testDatabaseAddress()
  const mine = new Db(server, { connections: 1 })
  const others = new Db(server, { connections: 1 })
  await others.query(sql`create table thing (id int primary key)`)
  let isStopped = false
  let next = 1
  const killer = async () => {
    while (!isStopped) {
      await others.query(sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and query in ('commit', 'begin')`)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }
  const killing = killer()
  const ends = { done: 0, failed: 0, unknown: 0 }
  while (ends.failed + ends.unknown < 30) {
    const ids = [next++, next++]
    const outcome = await mine
      .transaction(async (tx) => tx.finishWith(...ids.map((id) => put(tx, id))))
      .then(
        () => 'done' as const,
        (error) => (error instanceof CommitUnknown ? ('unknown' as const) : ('failed' as const)),
      )
    ends[outcome] += 1
    const kept = await others.query(sql`select id from thing where id = any(${ids}::int[])`)
    if (outcome === 'done') assert.equal(kept.length, 2)
    if (outcome === 'failed') assert.equal(kept.length, 0)
  }
  isStopped = true
  await killing
  await mine.close()
  await others.close()
})

test('a COMMIT that was never handed to the socket is known not to be done: an outage, and no doubt', async () => {
  const others = db.openPool({ connections: 1 })
  const before = await count()
  const broken = db.transaction(async (tx) => {
    const [backend] = await tx.query<{ pid: number }>(sql`select pg_backend_pid() as pid`)
    await others.query(sql`select pg_terminate_backend(${backend?.pid ?? 0}::int, 5000)`)
    // Once this has failed, the connection is known to be gone.
    await assert.rejects(tx.query(sql`select 1`))
    tx.finishWith(put(tx, 400))
  })
  await assert.rejects(broken, (error) => !(error instanceof CommitUnknown) && isOutage(error))
  await others.close()
  assert.equal(await count(), before)
})

test('a database that is gone without a word is given up in time, and asked anew over another connection', async () => {
  const server = await testDatabaseAddress()
  const isFolder = server.host.startsWith('/')
  const open = new Set<Socket>()
  const silenced = new Set<Socket>()
  const between = createServer((near) => {
    const far = connect(isFolder ? { path: join(server.host, `.s.PGSQL.${server.port}`) } : server)
    near.on('data', (bytes) => silenced.has(near) || far.write(bytes))
    far.on('data', (bytes) => silenced.has(near) || near.write(bytes))
    near.on('error', () => {}).on('close', () => far.destroy())
    far.on('error', () => {}).on('close', () => near.destroy())
    open.add(near)
  })
  between.listen(0, '127.0.0.1')
  await once(between, 'listening')
  const { port } = between.address() as AddressInfo
  const dark = new Db({ ...server, host: '127.0.0.1', port }, { connections: 1, answerMs: 500 })
  await dark.query(sql`select 1`)
  for (const socket of open) silenced.add(socket)
  await assert.rejects(
    dark.transaction((tx) => tx.query(sql`select 1`)),
    /did not answer in time/,
  )
  assert.deepEqual(await dark.query(sql`select 1 as one`), [{ one: 1 }])
  await dark.close()
  between.close()
})

test('a statement that waits too long is ended by the server, and is not done later', async () => {
  // The client waits much longer than the server: on a busy machine the server's error would arrive too late otherwise.
  const others = db.openPool({ connections: 1, answerMs: 20_000, statementMs: 800 })
  const release = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const holding = db.transaction(async (tx) => {
    await tx.query(sql`lock table thing in access exclusive mode`)
    held.resolve()
    await release.promise
  })
  await held.promise
  const late = others.transaction(async (tx) => tx.finishWith(put(tx, 900)))
  await assert
    .rejects(late, (error) => ['57014', '55P03'].includes(sqlState(error) ?? ''))
    .finally(() => release.resolve())
  await holding
  await others.close()
  assert.deepEqual(await db.query(sql`select id from thing where id = 900`), [])
})

const two = () => db.pipelined((queries) => Promise.all([queries.query(sql`select 1`), queries.query(sql`select 2`)]))
const slow = (queries: Queries) => queries.query(sql`select pg_sleep(60)::text`)

test('a connection that the server ends fails those on it, and not the next', async () => {
  const server = db.openPool({ connections: 1 })
  const [backend] = await db.query<{ pid: number }>(sql`select pg_backend_pid() as pid`)
  const asleep = db.pipelined((queries) => Promise.all([slow(queries), queries.query(sql`select 2`)]))
  const failed = assert.rejects(asleep, /terminating connection|Connection terminated/)
  await server.query(sql`select pg_terminate_backend(${backend?.pid ?? 0}::int)`)
  await server.close()
  await failed
  assert.equal((await two()).length, 2)
})

test('a statement that fails leaves none of its company to the next', async () => {
  const failing = db.pipelined((queries) => Promise.all([queries.query(sql`select 1 / 0`), slow(queries)]))
  await assert.rejects(failing, /division by zero/)
  assert.equal((await two()).length, 2)
})
