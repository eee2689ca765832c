// Holds a workspace's row, so that batches of it gather behind the lock until they are released.
import { sql } from '../../src/store/sql.ts'
import type { TestService } from './service.ts'

export async function holdWorkspace(
  { db }: Pick<TestService, 'db'>,
  workspaceId: string,
): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>()
  const done = Promise.withResolvers<void>()
  const transaction = db.transaction(async (tx) => {
    // However slow the test: the server would end who does nothing.
    await tx.takeYourTime()
    await tx.query(sql`select 1 from workspace where id = ${workspaceId} for update`)
    held.resolve()
    await done.promise
  })
  await held.promise
  return async () => {
    done.resolve()
    await transaction
  }
}
