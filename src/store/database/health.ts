// Statistics of PostgreSQL about vacuum, for the metrics.
import type { Queries } from './db.ts'
import { sql } from './sql.ts'

/** The tables that every message changes. */
const BUSY_TABLES = [
  ...['message', 'submission', 'report', 'delivery_queue', 'claim', 'workspace', 'ledger_entry', 'usage_day'],
  ...['otp_send_stat', 'otp_code', 'webhook_event', 'webhook_queue', 'webhook_claim', 'webhook_attempt'],
]

interface TupleCount {
  table: string
  live: number
  dead: number
}

/** A partitioned table has the sum of its partitions. */
export function countTuples(db: Queries): Promise<TupleCount[]> {
  return db.query<TupleCount>(sql`
    select coalesce(parent.relname, stat.relname) as "table", sum(n_live_tup)::float8 as live, sum(n_dead_tup)::float8 as dead
    from pg_stat_user_tables stat
      left join pg_inherits on inhrelid = relid left join pg_class parent on parent.oid = inhparent
    where schemaname = current_schema() and coalesce(parent.relname, stat.relname) = any(${BUSY_TABLES}::text[])
    group by 1`)
}

/** An open transaction keeps vacuum from removing dead rows. */
export async function findOldestTransaction(db: Queries): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(sql`
    select min(xact_start) as at from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`)
  return row?.at ?? null
}
