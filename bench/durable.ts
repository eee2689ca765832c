// The durable baseline: a Fastify server that stores one small row per request in batches, and responds after the commit.
import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyReply } from 'fastify'
import { disablePretenuring } from '../src/runtime/collector.ts'
import { openBundledPostgres } from '../src/store/database/bundled-postgres.ts'
import { Db } from '../src/store/database/db.ts'
import { sql } from '../src/store/database/sql.ts'
import { failOnRejection, listener } from '../test/harness/background.ts'
import { reportToBenchmark, sampleAnswer } from './processes.ts'

const { BENCH_FOLDER: folder = '' } = process.env
const { headers, body } = sampleAnswer()

interface PendingRequest {
  to: string
  reply: FastifyReply
}

disablePretenuring()
const postgres = await openBundledPostgres(folder)
const db = new Db(postgres.connection, { connections: 2 })
await db.query(sql`create table if not exists bare_row (id uuid primary key, to_number text not null)`)
let pending: PendingRequest[] = []
let isStoring = false

const app = Fastify()
app.post<{ Body: { to: string } }>('/api/sms/v1/sms/send', (request, reply) => {
  pending.push({ to: request.body.to, reply })
  if (!isStoring) failOnRejection(store())
})
const url = await app.listen({ port: 0, host: '127.0.0.1' })

async function store(): Promise<void> {
  isStoring = true
  await new Promise(setImmediate)
  while (pending.length > 0) {
    const batch = pending
    pending = []
    await db.query(sql`
      insert into bare_row (id, to_number)
      select unnest(${batch.map(() => randomUUID())}::uuid[]), unnest(${batch.map((it) => it.to)}::text[])`)
    for (const { reply } of batch) reply.headers(headers).send(body)
  }
  isStoring = false
}

process.on(
  'SIGTERM',
  listener(async () => {
    await db.close()
    await postgres.release()
    process.exit()
  }),
)
reportToBenchmark(Number(new URL(url).port))
