// The baseline: a Fastify server that parses the same JSON and sends the same bytes. With BENCH_BATCH_MS it responds in batches at that
// interval.
import Fastify, { type FastifyReply } from 'fastify'
import { reportToBenchmark } from './processes.ts'

const [head = '', body = ''] = (process.env.BENCH_ANSWER ?? '').split('\r\n\r\n')
const WRITTEN_BY_NODE = ['content-length', 'date', 'connection', 'keep-alive']
const headers = head
  .split('\r\n')
  .slice(1)
  .map((line) => line.split(': '))
  .filter(([name = '']) => !WRITTEN_BY_NODE.includes(name.toLowerCase()))

const batchMs = Number(process.env.BENCH_BATCH_MS ?? 0)
const pending: FastifyReply[] = []

const app = Fastify()
app.post('/api/sms/v1/sms/send', (_request, reply) => {
  for (const [name = '', value] of headers) reply.header(name, value)
  if (batchMs > 0) pending.push(reply)
  else reply.send(body)
})
if (batchMs > 0) {
  setInterval(() => {
    for (const reply of pending.splice(0)) reply.send(body)
  }, batchMs)
}
const url = await app.listen({ port: 0, host: '127.0.0.1' })
reportToBenchmark(Number(new URL(url).port))
process.on('SIGTERM', () => process.exit())
