// The measure of things: a Fastify server that only parses the same JSON and answers the same bytes.
import Fastify from 'fastify'
import { tellBenchmark } from './processes.ts'

const [head = '', body = ''] = (process.env.BENCH_ANSWER ?? '').split('\r\n\r\n')
const WRITTEN_BY_NODE = ['content-length', 'date', 'connection', 'keep-alive']
const headers = head
  .split('\r\n')
  .slice(1)
  .map((line) => line.split(': '))
  .filter(([name = '']) => !WRITTEN_BY_NODE.includes(name.toLowerCase()))

const app = Fastify()
app.post('/api/sms/v1/sms/send', (_request, reply) => {
  for (const [name = '', value] of headers) reply.header(name, value)
  reply.send(body)
})
const url = await app.listen({ port: 0, host: '127.0.0.1' })
tellBenchmark(Number(new URL(url).port))
process.on('SIGTERM', () => process.exit())
