// A database per test file, cloned from the migrated template; kept if a test fails.
import { basename } from 'node:path'
import { after, afterEach } from 'node:test'
import { scratchFolder } from '../../scripts/scratch-folder.ts'
import { Db } from '../../src/store/database/db.ts'
import { cloneDatabase, dropDatabase } from './clone-database.ts'
import { type Connection, openTestServer, TEMPLATE, testServerOfRun } from './server.ts'

let anyFailed = false
afterEach((test) => {
  if ('passed' in test && !test.passed) anyFailed = true
})

/** The server of the run; a file that runs alone starts its own. */
async function openServer(): Promise<{ connection: Connection; close: () => Promise<void> }> {
  const connection = testServerOfRun()
  return connection ? { connection, close: async () => {} } : openTestServer(scratchFolder('hulaki-test'))
}

const users = new Map<string, (() => Promise<void>)[]>()

/** Users of a database close before it is dropped. */
export function useDatabase({ database }: Connection, leave: () => Promise<void>): void {
  users.getOrInsertComputed(database, () => []).push(leave)
}

export async function testDatabaseAddress({ template = TEMPLATE } = {}): Promise<Connection> {
  const server = await openServer()
  const address = await cloneDatabase(
    server.connection,
    `test_${basename(process.argv[1] ?? 'file', '.test.ts')}`,
    template,
  )
  const { database } = address
  after(async () => {
    for (const leave of users.get(database)?.toReversed() ?? []) await leave()
    if (anyFailed) console.error(`The database ${database} is kept.`)
    else await dropDatabase(server.connection, database)
    await server.close()
  })
  return address
}

export async function testDatabase({ connections = 10 } = {}): Promise<Db> {
  const address = await testDatabaseAddress()
  const db = new Db(address, { connections })
  useDatabase(address, () => db.close())
  return db
}
