// A connection may break at any moment of its life: when it was just made, between two pieces of work, when it is given back.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { test } from 'node:test'
import { Db, isOutage } from '../../../src/store/database/db.ts'
import { sql } from '../../../src/store/database/sql.ts'
import { testDatabaseAddress } from '../../harness/database.ts'

/** What PostgreSQL says when a connection is ready for its first statement. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])

test('a connection that breaks in the moment it was made is an outage, and the process lives', async (t) => {
  const address = await testDatabaseAddress()
  let broken = 0
  const server = createServer((near) => {
    const far = connect(`${address.host}/.s.PGSQL.${address.port}`)
    near.on('error', () => far.destroy())
    far.on('error', () => near.destroy())
    near.pipe(far)
    far.on('data', (bytes: Buffer) => {
      near.write(bytes)
      if (!bytes.includes(READY)) return
      broken += 1
      // Not a reset: Node.js leaves the socket open if the other side closes it at the same time.
      near.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const db = new Db({ ...address, host: '127.0.0.1', port }, { connections: 3 })
  const asked = Array.from({ length: 20 }, () => db.query(sql`select 1`))
  for (const outcome of await Promise.allSettled(asked))
    assert.ok(outcome.status === 'rejected' && isOutage(outcome.reason), JSON.stringify(outcome))
  assert.equal(broken, 20)
  await db.close()
})
