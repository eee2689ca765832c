// Creates and drops indexes while others write: outside a transaction, and repeatable after a kill.
import assert from 'node:assert/strict'
import type { OwnConnection } from './db.ts'
import { sql } from './sql.ts'

interface IndexChange {
  statement: string
  name: string
  isDrop: boolean
}

const CHANGE = /^(?:create (?:unique )?index|(drop) index) concurrently (\w+)/i

/** The statements of a migration that only changes indexes concurrently; null for any other migration. */
export function concurrentIndexChanges(migration: string): IndexChange[] | null {
  const statements = migration
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
  if (!statements.some((statement) => CHANGE.test(statement))) return null
  return statements.map((statement) => {
    const [, drop, name] = CHANGE.exec(statement) ?? []
    assert(name, `this statement needs a separate migration: ${statement}`)
    return { statement, name, isDrop: drop !== undefined }
  })
}

/** A killed attempt leaves an invalid index, which PostgreSQL updates but never reads. */
export async function changeIndex(connection: OwnConnection, { statement, name, isDrop }: IndexChange): Promise<void> {
  const [index] = await connection.query<{ isValid: boolean }>(sql`
    select indisvalid as "isValid" from pg_index where indexrelid = to_regclass(${name})`)
  if (index && (isDrop || !index.isValid)) await connection.script(`drop index concurrently ${name}`)
  if (!isDrop && !index?.isValid) await connection.script(statement)
}
