// `hulaki listen --forward-to` and `hulaki trigger` against the real service and a local HTTP server.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import { inspect } from 'node:util'
import { verifyWebhook } from '../../sdk/src/index.ts'
import { requestListener } from '../harness/background.ts'
import { makeClient } from '../harness/client.ts'
import { freePort } from '../harness/free-port.ts'
import { ownService } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { pretend } from './pretend.ts'
import { typist } from './typed.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,simulator' } })
const type = typist(service.url)

interface Got {
  headers: IncomingHttpHeaders
  body: Buffer
}

/** A local server that can be stopped and restarted on the same port. */
async function endpoint(context: TestContext, answer: (response: ServerResponse, nth: number) => void) {
  const got: Got[] = []
  // While it is stopped, no other server of this machine takes its port.
  const port = await freePort()
  let server = createServer()
  const start = async () => {
    server = createServer(
      requestListener(async (request, response) => {
        got.push({ headers: request.headers, body: Buffer.concat(await request.toArray()) })
        answer(response, got.length)
      }),
    ).listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  await start()
  context.after(stop)
  return { got, start, stop, url: `http://127.0.0.1:${port}/hook?a=1` }
}

const ok = (response: ServerResponse) => response.writeHead(204).end()
const statusesOf = (got: Got[]) => got.map(({ body }) => JSON.parse(body.toString()).status)

/** Runs `listen` until it is stopped. */
function listens(
  words: string[],
  { url = service.url, ...context }: { url?: string; secret?: () => string | null } = {},
) {
  const stopped = new AbortController()
  const out: string[] = []
  const err: string[] = []
  const printing = { out: (line: string) => void out.push(line), err: (line: string) => void err.push(line) }
  const run = typist(url, { signal: stopped.signal, ...printing, ...context })('listen', ...words)
  const stop = async () => {
    stopped.abort()
    return (await run).code
  }
  /** Waits for as many lines as the command must have printed. */
  const prints = async (wanted: { out?: number; err?: number }) => {
    const isPrinted = () => out.length >= (wanted.out ?? 0) && err.length >= (wanted.err ?? 0)
    await until(isPrinted, { seen: () => ({ out, err }) })
    const printed = { ...(wanted.out && { out: out.length }), ...(wanted.err && { err: err.length }) }
    assert.deepEqual(printed, wanted, inspect({ out, err }))
  }
  return { out, err, run, stop, prints }
}

test('forwards signed events in order to a local server until it is stopped', async (context) => {
  const client = await makeClient(service, { name: 'Forwarded' })
  const { got, url } = await endpoint(context, ok)
  const { out, err, stop, prints } = listens(['Forwarded', '--forward-to', url])
  await prints({ err: 2 })
  const secret = /^Webhook secret: (whsec_[0-9a-f]{40})$/.exec(err[1] ?? '')?.[1] ?? ''
  assert.notEqual(secret, '')
  for (const event of ['delivered', 'failed', 'inbound']) {
    const triggered = await type('trigger', event, 'Forwarded')
    assert.equal(triggered.code, 0, triggered.err)
    assert.match(triggered.out, /^messageId +\S+\nto +\+977980/)
    await service.settle()
  }
  await prints({ out: 6 })
  const seen = new Set<string>()
  const deliveries = {
    add: (id: string) => !seen.has(id) && seen.add(id).size > 0,
    delete: (id: string) => void seen.delete(id),
  }
  const received = []
  for (const { headers, body } of got) {
    const { event, isRepeated } = await verifyWebhook(body, headers, secret, { deliveries })
    assert.equal(isRepeated, false)
    assert.ok(event.type !== 'workspace.low_credit')
    received.push('status' in event ? event.status : event.text)
  }
  assert.deepEqual(received, ['sent', 'delivered', 'failed', 'sent', 'delivered', 'YES'])
  const { 'user-agent': agent, 'content-type': kind, 'x-svc-event': name, accept } = got[0]?.headers ?? {}
  assert.deepEqual([agent, kind, name, accept], ['svc-sms-webhooks/1', 'application/json', 'message.status', undefined])
  assert.match(out[1] ?? '', /^\S+ {2}message\.status {2}delivered {2}\S{36} {2}204 in \d+ ms$/)
  assert.equal(await stop(), 0)
  assert.equal((await service.manage('GET', `/clients/${client.id}`)).status, 200)
  const again = listens([client.id, '--forward-to', url, '--json'])
  await again.prints({ out: 1 })
  assert.deepEqual(JSON.parse(again.out[0] ?? ''), { forwardTo: url, secret })
  await again.stop()
  const own = listens([client.id, '--forward-to', url, '--json'], { secret: () => client.webhookSecret })
  await own.prints({ out: 1 })
  assert.equal((await type('trigger', 'failed', client.id)).code, 0)
  await service.settle()
  await own.prints({ out: 2 })
  const last = got.at(-1) as Got
  await verifyWebhook(last.body, last.headers, client.webhookSecret)
  assert.equal(JSON.parse(own.out[1] ?? '').statusCode, 204)
  await own.stop()
})

test('retries an event before the next one while the server is down or fails; a 4xx does not block later events', async (context) => {
  const client = await makeClient(service)
  const codes = [500, 204, 404]
  const server = await endpoint(context, (response, nth) => response.writeHead(codes[nth - 1] ?? 204).end())
  const { got } = server
  server.stop()
  const { out, stop, prints } = listens([client.id, '--forward-to', server.url])
  await prints({ err: 2 })
  for (const to of ['+9779800000001', '+9779800000003']) assert.equal((await client.send({ to })).status, 200)
  await service.settle()
  await prints({ out: 1 })
  assert.match(out[0] ?? '', /no response \(.*ECONNREFUSED.*\) in \d+ ms; retrying$/)
  await server.start()
  await prints({ out: 5 })
  const ends = out.slice(1).map((line) => / {2}(\S+) {2}\S+ {2}(\d+) in \d+ ms(.*)$/.exec(line)?.slice(1))
  const statuses = statusesOf(got)
  assert.equal(got[0]?.headers['x-svc-delivery'], got[1]?.headers['x-svc-delivery'])
  assert.deepEqual(got[0]?.body, got[1]?.body)
  assert.deepEqual(ends, [
    [statuses[0], '500', '; retrying'],
    [statuses[0], '204', ''],
    [statuses[2], '404', ''],
    [statuses[3], '204', ''],
  ])
  assert.equal(await stop(), 0)
})

test('waits for an unreachable service, continues, and ends when another listener takes over', async (context) => {
  const client = await makeClient(service)
  const { got, url } = await endpoint(context, ok)
  let isUnreachable = false
  const between = await pretend(
    context,
    requestListener(async (request, response) => {
      const body = Buffer.concat(await request.toArray())
      if (isUnreachable) return response.destroy()
      const headers = { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' }
      const method = request.method ?? ''
      const answer = await fetch(service.url + request.url, { method, headers, ...(body.length > 0 && { body }) })
      return response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()))
    }),
  )
  const first = listens([client.id, '--forward-to', url], { url: between })
  await first.prints({ err: 2 })
  isUnreachable = true
  await first.prints({ err: 3 })
  assert.match(first.err[2] ?? '', /does not respond .* Retrying every second\.$/)
  assert.equal((await client.send({ to: '+9779800000001' })).status, 200)
  await service.settle()
  isUnreachable = false
  await until(() => got.length === 2)
  assert.deepEqual(statusesOf(got), ['sent', 'delivered'])
  const desk = typist(service.url, { machine: () => 'ram@desk' })
  const refused = await desk('listen', client.id, '--forward-to', url)
  assert.equal(refused.code, 1)
  assert.match(
    refused.err,
    /^sita@laptop for http:\/\/127\.0\.0\.1:\d+\/hook is listening to this client, .*\n--take-over ends the session of the other/,
  )
  const second = listens([client.id, '--forward-to', url.replace('hook', 'other'), '--take-over'])
  const { code, err } = await first.run.then(({ code }) => ({ code, err: first.err.at(-1) ?? '' }))
  assert.deepEqual([code, /is listening instead \(conflict\)$/.test(err)], [1, true])
  assert.equal(await second.stop(), 0)
})

test('reports lost events after a long absence, and rejects invalid arguments', async (context) => {
  const { id } = await makeClient(service)
  const { url } = await endpoint(context, ok)
  const path = `/clients/${id}/listening`
  const listener = `sita@laptop for ${url.replace('?a=1', '')}`
  const { until: end } = (await service.manage('POST', path, { listener, session: id, as: 'begin' })).body
  await service.advance(700)
  const late = listens([id, '--forward-to', url])
  await late.prints({ err: 3 })
  assert.equal(late.err[2], `Events since ${end} are lost, because no listener was active.`)
  await late.stop()
  const wrong: [string[], RegExp][] = [
    [['listen', id, '--forward-to', 'localhost:3000'], /^--forward-to must be a URL like/],
    [['listen', id, '--forward-to', 'http://a:b@localhost/'], /must not contain a user or a password/],
    [['listen', id, '--take-over'], /^--take-over requires --forward-to/],
    [['trigger', 'vanished', id], /^outcome must be one of delivered, .*failed.*, not 'vanished'/],
    [['trigger', 'delivered'], /^Usage: hulaki trigger <outcome> <client> \[options\]$/],
  ]
  for (const [words, message] of wrong) {
    const { code, err } = await type(...words)
    assert.equal(code, 2, words.join(' '))
    assert.match(err, message)
  }
})

test('the rejection of a local webhook URL suggests listen --forward-to; others do not', async () => {
  const { id } = await makeClient(service)
  for (const url of [
    'http://localhost:3000/hook',
    'https://localhost/hook',
    'https://127.0.0.1/',
    'http://example.com/',
  ]) {
    const { code, err } = await type('client', 'change', id, '--webhook-url', url)
    assert.equal(code, 1)
    assert.match(err, /to receive webhooks on your own computer: hulaki listen <client> --forward-to <address>/)
  }
  for (const url of ['https://10.0.0.1/', 'ftp://example.com/'])
    assert.doesNotMatch((await type('client', 'change', id, '--webhook-url', url)).err, /listen/)
})
