// Clones test databases from the migrated template and drops them.
import { randomBytes } from 'node:crypto'
import { type Connection, query, TEMPLATE } from './server.ts'

/** `drop database` itself waits only 5 s for connections that end. */
const ENDS_WITHIN_MS = 60_000

export async function cloneDatabase(server: Connection, name: string, template = TEMPLATE): Promise<Connection> {
  const database = `${name.replaceAll(/[^a-z0-9]/gi, '_')}_${randomBytes(4).toString('hex')}`.toLowerCase()
  await query(server, `create database ${database} template ${template} strategy file_copy`)
  return { ...server, database }
}

/** Without `with (force)`, which fails during autovacuum; a plain drop ends autovacuum. */
export async function dropDatabase(server: Connection, database: string): Promise<void> {
  await query(
    server,
    // A running role would reconnect before the drop.
    `alter database ${database} with allow_connections false`,
    `select pg_terminate_backend(pid, ${ENDS_WITHIN_MS}) from pg_stat_activity where datname = '${database}' and usename = current_user`,
    `drop database ${database}`,
  )
}
