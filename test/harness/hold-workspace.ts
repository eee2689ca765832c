// Holds a row, so that whoever needs it gathers behind its lock until it is released.
import type { Tx } from '../../src/store/database/db.ts'
import { type Statement, sql } from '../../src/store/database/sql.ts'
import type { ServiceUnderTest } from './service.ts'

type Release = () => Promise<void>

export function holdWorkspace(service: Pick<ServiceUnderTest, 'db'>, workspaceId: string): Promise<Release> {
  return hold(service, sql`select 1 from workspace where id = ${workspaceId} for update`)
}

/** Holds what the statement locks. */
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

/** However slow the machine: the server would end a transaction in which nothing is done for 5 s. */
export function inLongTransaction<Result>(
  { db }: Pick<ServiceUnderTest, 'db'>,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return db.ownConnection(async (connection) => {
    await connection.withoutTimeouts()
    return connection.transaction(work)
  })
}
