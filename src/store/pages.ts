// Pages of lists: newest first, with a limit on the rows that one page scans.
import type { Queries } from './database/db.ts'
import { type Fragment, fragment, sql } from './database/sql.ts'

/** One page of the rows with ids below `before`, newest first. */
export interface Page {
  before: string | null
  limit: number
}

/** D43: a page whose filters have no index scans at most this many rows, even if few of them match. */
export const MAX_ROWS_SCANNED = 10_000

export interface ScannedPage<Row> {
  rows: Row[]
  /** Id of the last row scanned, if the scan stopped before the end of the list. */
  scannedTo: string | null
}

export function idBelow(before: string | null): Fragment | null {
  return before === null ? null : fragment`id < ${before}`
}

/** Id of the last row that a page may scan; null if fewer rows are left, or if no filter makes a scan necessary. */
export async function findScanEnd(
  db: Queries,
  { table, range, filters }: { table: Fragment; range: Fragment; filters: readonly (Fragment | null)[] },
): Promise<string | null> {
  if (filters.every((it) => it === null)) return null
  const [end] = await db.query<{ id: string }>(sql`
    select id from ${table} where ${range} order by id desc offset ${MAX_ROWS_SCANNED - 1} limit 1`)
  return end?.id ?? null
}

/** Bounds a page by the end of its scan. */
export function idFrom(scannedTo: string | null): Fragment | null {
  return scannedTo === null ? null : fragment`id >= ${scannedTo}`
}
