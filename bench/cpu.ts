// The CPU time of other processes, from Linux's /proc, and the WAL of a database.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BundledPostgres } from '../src/store/database/bundled-postgres.ts'
import type { Db } from '../src/store/database/db.ts'
import { sql } from '../src/store/database/sql.ts'

const TICKS_PER_SECOND = 100

export function cpuSeconds(pid: number): number {
  const { user, system } = usageOf(String(pid))
  return (user + system) / TICKS_PER_SECOND
}

/** The CPU time of the server and its processes, including ended ones; 0 without /proc. */
export function postgresCpuSeconds({ directory }: Pick<BundledPostgres, 'directory'>): number {
  const postmaster = readFileSync(join(directory, 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0]
  const ticks = processes().map((pid) => {
    const { parent, user, system, ended } = usageOf(pid)
    if (pid === postmaster) return user + system + ended
    return parent === postmaster ? user + system : 0
  })
  return ticks.reduce((sum, each) => sum + each, 0) / TICKS_PER_SECOND
}

function processes(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

/** In ticks; `ended` is the time of ended children. */
function usageOf(pid: string) {
  const [, fields = ''] = statOf(pid).split(') ')
  const [, parent, ...rest] = fields.split(' ')
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = rest.slice(9, 13).map(Number)
  return { parent, user, system, ended: endedUser + endedSystem }
}

function statOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return '' // The process has just ended.
  }
}

export interface Usage {
  seconds: number
  /** CPU time of the measured processes. */
  serviceMs: number
  postgresMs: number
  walBytes: number
}

/** Returns a function that returns the elapsed time, and what the processes and their database have used since then. */
export async function startMeter(pids: number[], database?: MeasuredDatabase): Promise<() => Promise<Usage>> {
  const read = async () => ({
    walBytes: database ? await walPosition(database.db) : 0,
    serviceMs: pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0) * 1000,
    postgresMs: database ? postgresCpuSeconds(database.postgres) * 1000 : 0,
    seconds: performance.now() / 1000,
  })
  const before = await read()
  return async () => {
    const after = await read()
    return {
      seconds: after.seconds - before.seconds,
      serviceMs: after.serviceMs - before.serviceMs,
      postgresMs: after.postgresMs - before.postgresMs,
      walBytes: after.walBytes - before.walBytes,
    }
  }
}

interface MeasuredDatabase {
  db: Db
  postgres: BundledPostgres
}

async function walPosition(db: Db): Promise<number> {
  const [row] = await db.query<{ bytes: number }>(sql`
    select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as bytes`)
  return row?.bytes ?? 0
}
