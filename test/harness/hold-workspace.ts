// Locks a row until it is released, so that others wait for the lock.
import type { Tx } from '../../src/store/database/db.ts'
import { type Statement, sql } from '../../src/store/database/sql.ts'
import type { ServiceUnderTest } from './service.ts'

type Release = () => Promise<void>

export function holdWorkspace(service: Pick<ServiceUnderTest, 'db'>, workspaceId: string): Promise<Release> {
  return hold(service, sql`select 1 from workspace where id = ${workspaceId} for update`)
}

/** Locks the rows of a statement. */
export async function hold({ db }: Pick<ServiceUnderTest, 'db'>, lock: Statement): Promise<Release> {
  const held = Promise.withResolvers<void>()
  const done = Promise.withResolvers<void>()
  const transaction = inLongTransaction({ db }, async (tx) => {
    await tx.query(lock)
    held.resolve()
    await done.promise
  })
  await held.promise
  return async () => {
    done.resolve()
    await transaction
  }
}

/** Keeps the transaction active, because the server ends an idle one after 5 s. */
export function inLongTransaction<Result>(
  { db }: Pick<ServiceUnderTest, 'db'>,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return db.ownConnection(async (connection) => {
    await connection.withoutTimeouts()
    return connection.transaction(work)
  })
}
