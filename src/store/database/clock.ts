// The clock of the database, which all processes follow. No other SQL reads the time.
import type { Queries } from './db.ts'
import { sql } from './sql.ts'

export async function readClock(db: Queries): Promise<Date> {
  const [row] = await db.query<{ at: Date }>(sql`select clock_timestamp() as at`)
  if (!row) throw new Error('the database has no clock')
  return row.at
}
