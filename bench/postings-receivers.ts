// The webhook endpoints of `bench/postings.ts`, in their own process: HTTPS servers that respond 204 and record the latency, and one that
// never responds.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { createHistogram } from 'node:perf_hooks'
import { requestListener } from '../test/harness/background.ts'
import { endWithBenchmark } from './processes.ts'

export interface ReceiversReport {
  received: number
  p50Ms: number
  p99Ms: number
  longestMs: number
}
export type ReceiversMessage = { ports: number[]; blackHolePort: number } | ReceiversReport

const certificates = new URL('../test/webhooks/certificates/', import.meta.url)
const credentials = {
  key: readFileSync(new URL('receiver.key.pem', certificates)),
  cert: readFileSync(new URL('receiver.cert.pem', certificates)),
}

let latencies = createHistogram()

async function listen(responds: boolean): Promise<number> {
  const server = createServer(
    credentials,
    requestListener(async (request, response) => {
      const body = Buffer.concat(await request.toArray())
      if (!responds) return
      latencies.record(Math.max(1, Date.now() - Date.parse(JSON.parse(body.toString()).at)))
      response.writeHead(204).end()
    }),
  )
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}

const count = Number(process.env.BENCH_RECEIVERS)
const ports = await Promise.all(Array.from({ length: count }, () => listen(true)))
const blackHolePort = await listen(false)

endWithBenchmark()
process.on('message', (command: 'report' | 'reset') => {
  if (command === 'reset') latencies = createHistogram()
  process.send?.({
    received: latencies.count,
    p50Ms: latencies.percentile(50),
    p99Ms: latencies.percentile(99),
    longestMs: latencies.max,
  } satisfies ReceiversMessage)
})
process.send?.({ ports, blackHolePort } satisfies ReceiversMessage)
