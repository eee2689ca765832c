// Every value of every table as text: what somebody who got hold of the database could read.
import type { Db } from '../../src/store/db.ts'
import { sql } from '../../src/store/sql.ts'

export async function dumpDatabase(db: Db): Promise<string> {
  const tables = await db.query<{ name: string }>(sql`
    select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by relname`)
  const dumps: string[] = []
  for (const { name } of tables) {
    const rows = await db.query<{ row: string }>({
      text: `select t::text as row from "${name}" t`,
      values: [],
      name: undefined,
    })
    dumps.push(`-- ${name}`, ...rows.map(({ row }) => row), ...rows.flatMap(({ row }) => readableBytes(row)))
  }
  return dumps.join('\n')
}

/** Bytes are dumped as hex; text hidden in them is to be found too. */
function readableBytes(row: string): string[] {
  return [...row.matchAll(/\\x([0-9a-f]+)/g)].map((match) => Buffer.from(match[1] ?? '', 'hex').toString('latin1'))
}
