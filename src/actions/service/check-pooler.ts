// A pooler between us and the database must give each connection a session of its own: prepared statements and settings live in
// sessions, and two processes that are handed the same one by turns meet each other's.
import { type Db, faultCode } from '../../store/database/db.ts'
import { readBackendPid } from '../../store/service/service.ts'

const UNKNOWN_STATEMENT = '26000'
const KNOWN_STATEMENT = '42P05'

/** True where a session changes hands between transactions, as behind pgbouncer with `pool_mode = transaction`. */
export async function sharesSessions(db: Db): Promise<boolean> {
  const [one, other] = [db.openPool({ connections: 1 }), db.openPool({ connections: 1 })]
  try {
    const mine = await readBackendPid(one)
    return await other.transaction(async (tx) => {
      const theirs = await readBackendPid(tx)
      // While they have it, a session that is lent could not be ours as well.
      return theirs === mine || (await readBackendPid(one)) !== mine
    })
  } catch (fault) {
    if ([UNKNOWN_STATEMENT, KNOWN_STATEMENT].includes(faultCode(fault) ?? '')) return true
    throw fault
  } finally {
    await Promise.all([one.close(), other.close()])
  }
}
