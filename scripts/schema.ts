// `npm run generate -- schema`: writes schema.sql from the migrations, for review.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Db } from '../src/store/database/db.ts'
import { describeSchema } from '../test/harness/describe-schema.ts'
import { openTestServer, TEMPLATE } from '../test/harness/server.ts'
import { scratchFolder } from './scratch-folder.ts'

const folder = scratchFolder('hulaki-schema')
const server = await openTestServer(folder)
try {
  const db = new Db({ ...server.connection, database: TEMPLATE }, { connections: 1 })
  writeFileSync(join(import.meta.dirname, '..', 'src', 'store', 'database', 'schema.sql'), await describeSchema(db))
  await db.close()
} finally {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
}
