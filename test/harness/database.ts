// A database of its own for a test file, cloned from the migrated template; it is kept when one of its tests fails.
import { randomBytes } from 'node:crypto'
import { basename } from 'node:path'
import { after, afterEach } from 'node:test'
import { scratchFolder } from '../../scripts/scratch-folder.ts'
import { Db } from '../../src/store/db.ts'
import { type Connection, openTestServer, query, TEMPLATE } from './server.ts'

let anyFailed = false
afterEach((test) => {
  if ('passed' in test && !test.passed) anyFailed = true
})

/** The server of the run; a file that is run alone brings its own. */
async function serverConnection(): Promise<Connection> {
  const given = process.env.TEST_DATABASE_SERVER
  if (given) return JSON.parse(given)
  const server = await openTestServer(scratchFolder('hulaki-test'))
  after(() => server.close())
  return server.connection
}

const users = new Map<string, (() => Promise<void>)[]>()

/** Whoever uses a database leaves before it goes. */
export function useDatabase({ database }: Connection, leave: () => Promise<void>): void {
  users.getOrInsertComputed(database, () => []).push(leave)
}

export async function testDatabaseAddress({ template = TEMPLATE } = {}): Promise<Connection> {
  const server = await serverConnection()
  const file = basename(process.argv[1] ?? 'file', '.test.ts').replaceAll(/[^a-z0-9]/gi, '_')
  const database = `test_${file}_${randomBytes(4).toString('hex')}`.toLowerCase()
  await query(server, `create database ${database} template ${template} strategy file_copy`)
  after(async () => {
    for (const leave of users.get(database)?.toReversed() ?? []) await leave()
    if (anyFailed) console.error(`The database ${database} is kept.`)
    else await dropDatabase(server, database)
  })
  return { ...server, database }
}

/** Not `with (force)`: that is refused while autovacuum is at work, whom a plain drop sends away. */
async function dropDatabase(server: Connection, database: string): Promise<void> {
  // A role that still runs would be back before the drop.
  await query(server, `alter database ${database} with allow_connections false`)
  await query(
    server,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}' and usename = current_user`,
  )
  await query(server, `drop database ${database}`)
}

export async function testDatabase({ connections = 10 } = {}): Promise<Db> {
  const address = await testDatabaseAddress()
  const db = new Db(address, { connections })
  useDatabase(address, () => db.close())
  return db
}
