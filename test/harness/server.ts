// One PostgreSQL for the whole run: a migrated template database that every test file clones.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { openBundledPostgres } from '../../src/store/database/bundled-postgres.ts'
import { Db } from '../../src/store/database/db.ts'
import { migrate } from '../../src/store/database/migrate.ts'

export type Connection = { host: string; port: number; user: string; password: string; database: string }

export const TEMPLATE = 'hulaki_template'

export async function openTestServer(folder: string) {
  const server = await openBundledPostgres(folder, { connections: 500 })
  try {
    await letInCheaply(server.connection)
    forgoDisk(join(server.directory, 'cluster'))
    await makeTemplate(server.connection)
  } catch (error) {
    await server.release()
    throw error
  }
  return {
    connection: server.connection,
    postmasterPid: postmasterPid(join(server.directory, 'cluster')),
    /** Open connections, and databases that passing files did not drop. */
    leaks: async (): Promise<string[]> => {
      const connections = await query(
        server.connection,
        `select datname as name, count(*) as count from pg_stat_activity where datname like 'test\\_%' and datname not like 'test\\_shared\\_%' group by 1`,
      )
      return connections.map(({ name, count }) => `${count} open connections to ${name}`)
    },
    close: () => server.release(),
  }
}

/** A cheap password hash, because a run opens thousands of connections. */
async function letInCheaply(connection: Connection): Promise<void> {
  const password = connection.password.replaceAll("'", "''")
  await query(connection, `set scram_iterations = 1; alter role current_user password '${password}'`)
}

/** No fsync: no test cuts the power, and creating databases would wait for the disk. */
function forgoDisk(cluster: string): void {
  if (process.platform === 'win32') return
  const access = join(cluster, 'pg_hba.conf')
  writeFileSync(access, readFileSync(access, 'utf8').replaceAll('scram-sha-256', 'password'))
  appendFileSync(join(cluster, 'postgresql.auto.conf'), 'fsync = off\nfull_page_writes = off\n')
  process.kill(postmasterPid(cluster), 'SIGHUP')
}

function postmasterPid(cluster: string): number {
  return Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n', 1)[0])
}

async function makeTemplate(connection: Connection): Promise<void> {
  await query(connection, `create database ${TEMPLATE}`)
  const db = new Db({ ...connection, database: TEMPLATE }, { connections: 1 })
  try {
    await migrate(db, new Date())
  } finally {
    await db.close()
  }
  // Done once for all clones: sets visibility, collects statistics and writes the relation cache file.
  const template = { ...connection, database: TEMPLATE }
  await query(template, 'vacuum (freeze, analyze)')
  await query(template, 'select 1')
}

/** The server of the run; null if a file runs alone. */
export function testServerOfRun(): Connection | null {
  const given = process.env.TEST_DATABASE_SERVER
  return given ? JSON.parse(given) : null
}

/** Runs the statements on one connection and returns the rows of the last. */
export async function query(connection: Connection, ...texts: string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    let rows: Record<string, unknown>[] = []
    for (const text of texts) rows = (await client.query(text)).rows
    return rows
  } finally {
    await client.end()
  }
}
