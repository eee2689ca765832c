// Detects a connection pooler that shares database sessions, which breaks prepared statements and session settings.
import { type Db, sqlState, UNKNOWN_STATEMENT } from '../../store/database/db.ts'
import { readBackendPid } from '../../store/service/service.ts'

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
