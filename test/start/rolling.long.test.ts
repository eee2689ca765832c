// Two services on one database behind a balancer that asks for their readiness: restarting them in turn under load is noticed by
// nobody. `npm run test:long -- restarts` does it many more times.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { failOnRejection } from '../harness/background.ts'
import { makeClient } from '../harness/client.ts'
import { testDatabaseAddress } from '../harness/database.ts'
import { dataFolder, ServiceProcess, statusOf, urlOf } from '../harness/process.ts'
import { call } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const RESTARTS = Number(process.env.RESTARTS ?? 3)
const CALLERS = 8
const ASK_EVERY_MS = 500
const OPERATOR_TOKEN = 'operator-token-of-the-tests-long-enough'
const env = {
  DATABASE_URL: urlOf(await testDatabaseAddress()),
  HULAKI_DATA_DIR: dataFolder(),
  HULAKI_OPERATOR_TOKEN: OPERATOR_TOKEN,
  HULAKI_ROLES: 'api,delivery,webhooks,upkeep',
  HULAKI_DRAIN_SECONDS: '3',
}
/** One service with worker processes, one without. */
const begin = (place: number) => new ServiceProcess({ env: { ...env, HULAKI_PROCESSES: place === 0 ? '1' : '2' } })

interface Backend {
  url: string
  isReady: boolean
}

/** A round-robin load balancer with keep-alive connections, health checks and no retries. */
async function startBalancer() {
  const backends = new Set<Backend>()
  const agent = new Agent({ keepAlive: true })
  const broken: string[] = []
  let turn = 0
  const server = createServer((incoming, outgoing) => {
    const ready = [...backends].filter((it) => it.isReady)
    turn += 1
    const backend = ready[turn % ready.length]
    const { method, headers, url = '' } = incoming
    const { connection, ...passedOn } = headers
    const onward = request(`${backend?.url}${url}`, { agent, method, headers: passedOn }, (answer: IncomingMessage) => {
      const { connection: ownAffair, ...rest } = answer.headers
      outgoing.writeHead(answer.statusCode ?? 0, rest)
      answer.on('error', (error) => broken.push(String(error)))
      answer.pipe(outgoing)
    })
    onward.on('error', (error) => {
      broken.push(`${method} ${url}: ${error}`)
      outgoing.writeHead(502).end()
    })
    incoming.pipe(onward)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const asking = setInterval(() => {
    for (const backend of backends) {
      failOnRejection(
        statusOf(`${backend.url}/readyz`).then((status) => {
          backend.isReady = status === 200
        }),
      )
    }
  }, ASK_EVERY_MS)
  const close = () => {
    clearInterval(asking)
    agent.destroy()
    server.close()
    server.closeAllConnections()
  }
  after(close)
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, backends, broken, close }
}

test(`no request fails during ${RESTARTS} rolling restarts under load with keep-alive connections`, {
  timeout: 120_000 + RESTARTS * 20_000,
}, async (t) => {
  const balancer = await startBalancer()
  const join = async (service: ServiceProcess) => {
    const backend = { url: await service.url(), isReady: false }
    balancer.backends.add(backend)
    await until(() => backend.isReady)
    return { service, backend }
  }
  // The first start migrates the database and creates the keyring.
  const running = [await join(begin(0)), await join(begin(1))]
  const manage = (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` }
    return call(`${balancer.url}/api/manage/v1${path}`, { method, body, headers })
  }
  const client = await makeClient({ url: balancer.url, manage }, { mode: 'test' })
  const statuses: Record<number, number> = {}
  let isOver = false
  const callAgain = async () => {
    while (!isOver) {
      for (const { status } of [await client.send(), await client.get('/sms/balance')]) {
        statuses[status] = (statuses[status] ?? 0) + 1
      }
    }
  }
  const callers = Array.from({ length: CALLERS }, callAgain)
  for (let restart = 0; restart < RESTARTS; restart += 1) {
    const place = restart % running.length
    const leaving = running[place]
    assert.ok(leaving)
    process.kill(leaving.service.pid, 'SIGTERM')
    assert.deepEqual(await leaving.service.ended, { code: 0, signal: null }, leaving.service.stdout)
    balancer.backends.delete(leaving.backend)
    running[place] = await join(begin(place))
  }
  isOver = true
  await Promise.all(callers)
  t.diagnostic(JSON.stringify({ restarts: RESTARTS, statuses, broken: balancer.broken.length }))
  balancer.close()
  assert.deepEqual(balancer.broken, [])
  assert.deepEqual(Object.keys(statuses), ['200'])
  for (const { service } of running) assert.equal(await service.stop(), 0)
})

test('a stop serves requests with /readyz 503 for HULAKI_DRAIN_SECONDS, and a second signal ends the wait', async () => {
  const service = new ServiceProcess({ env: { ...env, HULAKI_PROCESSES: '2', HULAKI_DRAIN_SECONDS: '90' } })
  const url = await service.url()
  process.kill(service.pid, 'SIGTERM')
  // A new connection per request, so that every worker responds.
  const ask = (path: string) => fetch(`${url}${path}`, { headers: { connection: 'close' } })
  await until(async () => {
    const asked = await Promise.all(Array.from({ length: 10 }, () => statusOf(`${url}/readyz`)))
    return asked.every((status) => status === 503)
  })
  assert.equal(((await (await ask('/readyz')).json()) as { reason: string }).reason, 'draining')
  const agent = new Agent({ keepAlive: true })
  const [answer] = await once(request(`${url}/api/sms/coverage`, { agent }).end(), 'response')
  answer.resume()
  assert.equal(answer.statusCode, 200)
  assert.equal(answer.headers.connection, 'close')
  agent.destroy()
  // Signals close together count as one, so the test repeats it.
  let hasEnded = false
  failOnRejection(
    service.ended.then(() => {
      hasEnded = true
    }),
  )
  await until(() => {
    service.signal('SIGTERM')
    return hasEnded
  })
  assert.deepEqual(await service.ended, { code: 0, signal: null })
})
