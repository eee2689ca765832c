// One PostgreSQL for the whole run: a migrated template database that every test file clones.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { openBundledPostgres } from '../../src/store/bundled-postgres.ts'
import { Db } from '../../src/store/db.ts'
import { migrate } from '../../src/store/migrate.ts'

export type Connection = { host: string; port: number; user: string; password: string; database: string }

export const TEMPLATE = 'hulaki_template'

export async function openTestServer(folder: string) {
  const server = await openBundledPostgres(folder, { connections: 500 })
  try {
    await letInCheaply(server.connection)
    forgoDisk(join(server.directory, 'cluster'))
    await makeTemplate(server.connection)
  } catch (fault) {
    await server.release()
    throw fault
  }
  return {
    connection: server.connection,
    /** Connections nobody closed, and databases of files that passed but did not clear up. */
    leaks: async (): Promise<string[]> => {
      const connections = await query(
        server.connection,
        `select datname as name, count(*) as count from pg_stat_activity where datname like 'test_%' group by 1`,
      )
      return connections.map(({ name, count }) => `${count} open connections to ${name}`)
    },
    close: () => server.release(),
  }
}

/** A password is still asked for, but what is kept of it, and so every one of the thousands of connections, costs next to nothing. */
async function letInCheaply(connection: Connection): Promise<void> {
  const password = connection.password.replaceAll("'", "''")
  await query(connection, `set scram_iterations = 1; alter role current_user password '${password}'`)
}

/** No test pulls the plug of the machine; and a database that comes and goes would have all wait until everything is on disk. */
function forgoDisk(cluster: string): void {
  if (process.platform === 'win32') return
  const access = join(cluster, 'pg_hba.conf')
  writeFileSync(access, readFileSync(access, 'utf8').replaceAll('scram-sha-256', 'password'))
  appendFileSync(join(cluster, 'postgresql.auto.conf'), 'fsync = off\nfull_page_writes = off\n')
  const [pid] = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')
  process.kill(Number(pid), 'SIGHUP')
}

async function makeTemplate(connection: Connection): Promise<void> {
  await query(connection, `create database ${TEMPLATE}`)
  const db = new Db({ ...connection, database: TEMPLATE }, { connections: 1 })
  try {
    await migrate(db, new Date())
  } finally {
    await db.close()
  }
}

export async function query(connection: Connection, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
