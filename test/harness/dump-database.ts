// Everything a database holds, every column of every row as text: whoever steals the disk reads no less than this.
import { type Connection, query } from './server.ts'

export async function dumpDatabase(address: Connection): Promise<string> {
  const tables = await query(address, `select tablename as name from pg_tables where schemaname = 'public' order by 1`)
  const dumps = tables.map(async ({ name }) => {
    const rows = await query(address, `select stored::text as line from "${name}" as stored`)
    return rows.map(({ line }) => `${name} ${line}`)
  })
  return (await Promise.all(dumps)).flat().join('\n')
}

/** The forms in which a text could hide in a dump: as it is, and as the bytes of a bytea column. */
export function formsOf(secret: string): string[] {
  return [secret, Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('base64')]
}
