// Detects a connection pooler that shares database sessions where a session must be kept, and one that cannot be used for transactions.
import { type Db, sqlState, UNKNOWN_STATEMENT } from '../../store/database/db.ts'
import { echo, readBackendPid, readServerIdentity } from '../../store/service/service.ts'

const KNOWN_STATEMENT = '42P05'

/** True if a session changes between transactions, for example behind pgbouncer with `pool_mode = transaction`. */
export async function sharesSessions(db: Db): Promise<boolean> {
  const [one, other] = [db.openPool({ connections: 1 }), db.openPool({ connections: 1 })]
  try {
    const mine = await readBackendPid(one)
    return await other.transaction(async (tx) => {
      const theirs = await readBackendPid(tx)
      // A shared session is busy now, so a pooler would give the first connection another one.
      return theirs === mine || (await readBackendPid(one)) !== mine
    })
  } catch (error) {
    if ([UNKNOWN_STATEMENT, KNOWN_STATEMENT].includes(sqlState(error) ?? '')) return true
    throw error
  } finally {
    await Promise.all([one.close(), other.close()])
  }
}

/** Why transactions cannot go through the pooler of this database, as the end of a sentence; null: they can. */
export async function findPoolerFault(db: Db): Promise<string | null> {
  if ((await readServerIdentity(db)) !== (await readServerIdentity(db.direct)))
    return 'leads to another database than DATABASE_URL'
  if (!(await keepsStatements(db)))
    return 'loses prepared statements; use pgbouncer 1.21 or later, with max_prepared_statements above 0'
  return null
}

/** Without its own names for statements, a pooler gives both connections the same session, and the second statement replaces the first. */
async function keepsStatements(db: Db): Promise<boolean> {
  const [one, other] = [db.openPool({ connections: 1 }), db.openPool({ connections: 1 })]
  try {
    await echo(one, 1)
    await echo(other, 2)
    return (await echo(one, 1)) === 1
  } catch (error) {
    if (sqlState(error) === UNKNOWN_STATEMENT) return false
    throw error
  } finally {
    await Promise.all([one.close(), other.close()])
  }
}
