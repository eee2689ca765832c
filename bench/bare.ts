// The baseline: a Fastify server that parses the same JSON and sends the same bytes. With BENCH_BATCH_MS it responds in batches at that
// interval.
import Fastify, { type FastifyReply } from 'fastify'
import { disablePretenuring } from '../src/runtime/collector.ts'
import { reportToBenchmark, sampleAnswer } from './processes.ts'

disablePretenuring()
const { headers, body } = sampleAnswer()
const batchMs = Number(process.env.BENCH_BATCH_MS ?? 0)
const pending: FastifyReply[] = []

const app = Fastify()
app.post('/api/sms/v1/sms/send', (_request, reply) => {
  reply.headers(headers)
  if (batchMs > 0) pending.push(reply)
  else reply.send(body)
})
if (batchMs > 0) {
  setInterval(() => {
    for (const reply of pending.splice(0)) reply.send(body)
  }, batchMs)
}
const url = await app.listen({ port: 0, host: '127.0.0.1' })
process.on('SIGTERM', () => process.exit())
reportToBenchmark(Number(new URL(url).port))
