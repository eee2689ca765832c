// Dumps every column of every row as text, as a thief of the disk could.
import { type Connection, query } from './server.ts'

export async function dumpDatabase(address: Connection): Promise<string> {
  const tables = await query(address, `select tablename as name from pg_tables where schemaname = 'public' order by 1`)
  const dumps = tables.map(async ({ name }) => {
    const rows = await query(address, `select stored::text as line from "${name}" as stored`)
    return rows.map(({ line }) => `${name} ${line}`)
  })
  return (await Promise.all(dumps)).flat().join('\n')
}

/** The forms of a text in a dump: plain, and as bytes of a bytea column. */
export function formsOf(secret: string): string[] {
  return [secret, Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('base64')]
}
