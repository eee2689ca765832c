// A stop answers requests in progress and does not wait for idle connections.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { sql } from '../../src/store/database/sql.ts'
import { makeClient } from '../harness/client.ts'
import { holdWorkspace } from '../harness/hold-workspace.ts'
import { ownService } from '../harness/service.ts'
import { until } from '../harness/until.ts'

/** Requests in transit have 300 ms to arrive. */
const LONGER_THAN_ARRIVAL_MS = 500
const REQUEST = 'GET /livez HTTP/1.1\r\nhost: x\r\n\r\n'
const HALF_A_HEAD = 'GET /livez HTTP/1.1\r\nhost: x\r\nx-to-be-'
const HALF_A_BODY = 'POST /api/sms/v1/sms/send HTTP/1.1\r\nhost: x\r\ncontent-length: 40\r\n\r\n{"to":'

const certificate = (name: string) => fileURLToPath(new URL(`../webhooks/certificates/${name}.pem`, import.meta.url))
const TLS = { HULAKI_TLS_CERT_FILE: certificate('receiver.cert'), HULAKI_TLS_KEY_FILE: certificate('receiver.key') }

const service = await ownService({ env: { HULAKI_ROLES: 'api' } })

for (const { scheme, env } of [
  { scheme: 'http', env: {} },
  { scheme: 'https', env: TLS },
]) {
  test(`${scheme}: a stop answers requests in progress, and does not wait for idle connections`, async () => {
    const stopped = await ownService({ env: { HULAKI_ROLES: 'api', ...env }, beside: service })
    assert.ok(stopped.url.startsWith(`${scheme}:`))
    const client = await makeClient(service)
    const idle = [await dial(stopped.url), await say(stopped.url, HALF_A_HEAD), await say(stopped.url, HALF_A_BODY)]
    const gone = idle.map((socket) => once(socket.resume(), 'close'))
    const release = await holdWorkspace(service, client.workspaceId)
    const answer = readAll(await say(stopped.url, requestOf(client.apiKey)))
    await until(waitsForLock)
    const gaveUp = await say(stopped.url, requestOf(client.apiKey))
    gaveUp.destroy()
    const stopping = stopped.stop()
    await until(() => refusesConnections(stopped.url))
    await release()
    assert.match(await answer, /^HTTP\/1\.1 200 OK\r\n.*"messageId"/s)
    await stopping
    assert.doesNotMatch(stopped.logged.join(''), /did not stop in time/)
    await Promise.all(gone)
  })
}

test('a stop answers a request in progress even if half of the next request follows it', async () => {
  const stopped = await ownService({ env: { HULAKI_ROLES: 'api' }, beside: service })
  const client = await makeClient(service)
  const release = await holdWorkspace(service, client.workspaceId)
  const answer = readAll(await say(stopped.url, requestOf(client.apiKey) + HALF_A_BODY))
  await until(waitsForLock)
  const stopping = stopped.stop()
  await sleep(LONGER_THAN_ARRIVAL_MS)
  await release()
  assert.match(await answer.catch(String), /^HTTP\/1\.1 200 OK\r\n.*"messageId"/s)
  await stopping
})

test('a stop closes the listener first and idle connections last: a request over one is answered and closes it', async () => {
  const stopped = await ownService({ env: { HULAKI_ROLES: 'api' }, beside: service })
  const client = await makeClient(service)
  const kept = await say(stopped.url, REQUEST)
  await once(kept, 'data')
  const release = await holdWorkspace(service, client.workspaceId)
  const inHand = readAll(await say(stopped.url, requestOf(client.apiKey)))
  await until(waitsForLock)
  const stopping = stopped.stop()
  await until(() => refusesConnections(stopped.url))
  kept.write(REQUEST)
  const last = await readAll(kept)
  assert.match(last, /^HTTP\/1\.1 200 OK\r\n/)
  assert.match(last, /^connection: close\r$/im)
  await release()
  assert.match(await inHand, /^HTTP\/1\.1 200 OK\r\n(.*\r\n)*connection: close\r\n/i)
  await stopping
})

test('while draining, all pipelined requests are answered, and only the last closes the connection', async () => {
  const leaving = await ownService({ env: { HULAKI_ROLES: 'api' }, beside: service })
  const client = await makeClient(service)
  leaving.drain()
  const release = await holdWorkspace(service, client.workspaceId)
  const answers = readAll(await say(leaving.url, requestOf(client.apiKey) + REQUEST + REQUEST))
  await until(waitsForLock)
  await release()
  const text = await answers
  assert.equal(text.match(/HTTP\/1\.1 200 OK/g)?.length, 3, text)
  assert.equal(text.match(/^connection: close/gim)?.length, 1, text)
  assert.equal((await fetch(`${leaving.url}/readyz`)).status, 503)
  await leaving.stop()
})

async function dial(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  await once(socket, 'connect')
  // With unread input, the close can arrive as a reset.
  socket.on('error', () => {})
  return socket
}

async function say(url: string, bytes: string): Promise<Socket> {
  const raw = await dial(url)
  const socket = url.startsWith('https:') ? connectTls({ socket: raw, rejectUnauthorized: false }) : raw
  socket.on('error', () => {})
  await new Promise<void>((resolve) => socket.write(bytes, () => resolve()))
  return socket
}

function requestOf(apiKey: string): string {
  const body = JSON.stringify({ to: '+9779841234567', text: 'In hand' })
  const head = [
    'POST /api/sms/v1/sms/send HTTP/1.1',
    'host: x',
    `x-api-key: ${apiKey}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

async function readAll(socket: Socket): Promise<string> {
  let text = ''
  for await (const bytes of socket) text += bytes
  return text
}

async function waitsForLock(): Promise<boolean> {
  const waiting = await service.db.query(
    sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return waiting.length > 0
}

async function refusesConnections(url: string): Promise<boolean> {
  return dial(url).then(
    (socket) => {
      socket.destroy()
      return false
    },
    () => true,
  )
}
