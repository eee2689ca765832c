// A process that locks what its first argument names, reports it and waits to be frozen.
import { Db } from '../../src/store/database/db.ts'
import { sql } from '../../src/store/database/sql.ts'

const { address, workspaceId, number, forGood } = JSON.parse(process.argv[2] ?? '{}')
const db = new Db(address, { connections: 1 })
await db.ownConnection(async (connection) => {
  // Disables the idle timeout of transactions.
  if (forGood) await connection.withoutTimeouts()
  await connection.transaction(async (tx) => {
    if (workspaceId) await tx.query(sql`select 1 from workspace where id = ${workspaceId} for no key update`)
    // Locks a number like an OTP send, across all customers (§8.2).
    if (number) await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`otp-number:${number}`}, 1))`)
    process.send?.('held')
    await new Promise(() => setInterval(() => {}, 1_000))
  })
})
