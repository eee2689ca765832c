// Indexes that are built or dropped while others write: outside a transaction, and again from where a try that was killed has left off.
import assert from 'node:assert/strict'
import type { OwnConnection } from './db.ts'
import { sql } from './sql.ts'

interface IndexChange {
  statement: string
  name: string
  isDrop: boolean
}

const CHANGE = /^(?:create (?:unique )?index|(drop) index) concurrently (\w+)/i

/** What a migration does that holds nothing else; null of any other migration. */
export function concurrentIndexChanges(migration: string): IndexChange[] | null {
  const statements = migration
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
  if (!statements.some((statement) => CHANGE.test(statement))) return null
  return statements.map((statement) => {
    const [, drop, name] = CHANGE.exec(statement) ?? []
    assert(name, `what is not about an index concurrently belongs in a migration of its own: ${statement}`)
    return { statement, name, isDrop: drop !== undefined }
  })
}

/** An index that is there but not valid is what a killed try has left: PostgreSQL keeps it up to date, and never reads it. */
export async function changeIndex(connection: OwnConnection, { statement, name, isDrop }: IndexChange): Promise<void> {
  const [index] = await connection.query<{ isValid: boolean }>(sql`
    select indisvalid as "isValid" from pg_index where indexrelid = to_regclass(${name})`)
  if (index && (isDrop || !index.isValid)) await connection.script(`drop index concurrently ${name}`)
  if (!isDrop && !index?.isValid) await connection.script(statement)
}
