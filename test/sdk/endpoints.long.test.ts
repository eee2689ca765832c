// The webhook endpoints of the README, run with events that the service signs and posts.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { verifyWebhook } from '../../sdk/src/index.ts'
import { type SigningSecrets, signatureHeader } from '../../src/domain/webhooks/signature.ts'
import { installClient, withBin } from '../harness/packed-client.ts'
import { CHECKOUT } from '../harness/process.ts'
import { until } from '../harness/until.ts'
import { startEndpoint } from '../webhooks/endpoints.ts'
import { clientWithEndpoint, queueEvent, startWebhookService } from '../webhooks/webhook-service.ts'
import { listingWith } from './listings.ts'

const run = promisify(execFile)
const README = join(CHECKOUT, 'sdk', 'README.md')
const SECRET = 'whsec_of-a-test'
const { folder } = await installClient()

/** Functions that the listings expect; storing can fail. */
const BROUGHT = `
const secret = '${SECRET}'
export const kept: unknown[] = []
export const keeping = { fails: false }
async function keepStatus(...what: unknown[]) { if (keeping.fails) throw new Error('The disk is full'); kept.push(what) }
async function keepReply(...what: unknown[]) { kept.push(what) }
`

interface Receiving {
  kept: unknown[]
  keeping: { fails: boolean }
}

async function load<Module>(name: string, text: string): Promise<Module & Receiving> {
  const file = join(folder, name)
  writeFileSync(file, `${BROUGHT}${text}`)
  return (await import(pathToFileURL(file).href)) as Module & Receiving
}

function signed(body: string, deliveryId: string, secrets: SigningSecrets = [SECRET]) {
  const unixSeconds = Math.floor(Date.now() / 1000)
  const signature = signatureHeader({ unixSeconds, body: Buffer.from(body), secrets })
  const headers = { 'content-type': 'application/json', 'x-svc-signature': signature, 'x-svc-delivery': deliveryId }
  return { method: 'POST', headers, body }
}

const STATUS = '{"type":"message.status", "id":"m-1", "status":"delivered", "at":"2026-11-16T04:00:00.000Z"}'
const REPLY = '{"type":"message.inbound","id":"r-1","from":"+9779841234567","text":"हो 👍"}'

test('Fastify: stores an event once, rejects a forged event, ignores an unknown one, and processes a failed one again', async (t) => {
  symlinkSync(join(CHECKOUT, 'node_modules', 'fastify'), join(folder, 'node_modules', 'fastify'))
  type App = { app: { listen(at: object): Promise<string>; close(): Promise<void> } }
  const { app, kept, keeping } = await load<App>('fastify.ts', `${listingWith('import Fastify', README)}export { app }`)
  const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/hulaki`
  t.after(() => app.close())
  const answerTo = async (...posted: Parameters<typeof signed>) => (await fetch(url, signed(...posted))).status
  assert.equal(await answerTo(STATUS, 'd-1'), 204)
  assert.equal(await answerTo(STATUS, 'd-1'), 204)
  assert.deepEqual(kept, [['m-1', 'delivered', '2026-11-16T04:00:00.000Z']])
  assert.equal(await answerTo(REPLY, 'd-2', ['whsec_new', SECRET]), 204)
  assert.deepEqual(kept[1], ['+9779841234567', 'हो 👍'])
  assert.equal(await answerTo(REPLY, 'd-3', ['whsec_other']), 400)
  assert.equal(await answerTo('{"type":"message.read"}', 'd-4'), 204)
  keeping.fails = true
  assert.equal(await answerTo(STATUS, 'd-5'), 500)
  keeping.fails = false
  assert.equal(await answerTo(STATUS, 'd-5'), 204)
  assert.equal(kept.length, 3)
})

test('Deno, Bun or edge: answers a request with a response', async () => {
  type Edge = { receive(request: Request): Promise<Response> }
  const listing = listingWith('Deno.serve', README)
  const { receive, kept } = await load<Edge>('edge.ts', `const Deno = { serve(_: unknown) {} }\n${listing}`)
  const answerTo = async (...posted: Parameters<typeof signed>) =>
    (await receive(new Request('https://example.com/hulaki', signed(...posted)))).status
  assert.deepEqual([await answerTo(STATUS, 'd-1'), kept.length], [204, 1])
  assert.deepEqual([await answerTo(STATUS, 'd-1', ['whsec_other']), kept.length], [400, 1])
  assert.equal(await answerTo('{"type":"message.read"}', 'd-4'), 204)
})

/** Fetched from the registry, if it is reachable. */
async function installExpress(t: TestContext): Promise<boolean> {
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--fetch-retries=1']
  try {
    await run('npm', ['install', ...flags, 'express@5'], { cwd: folder, env: withBin() })
    return true
  } catch (error) {
    t.skip(`express was not fetched: ${String((error as Error).message).split('\n')[0]}`)
    return false
  }
}

test('Express: keeps the raw body', async (t) => {
  if (!(await installExpress(t))) return
  type App = { app: { listen(port: number, host: string, ready: () => void): Server } }
  const { app, kept } = await load<App>('express.ts', `${listingWith('import express', README)}export { app }`)
  const server = await new Promise<Server>((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening))
  })
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hulaki`
  const answerTo = async (...posted: Parameters<typeof signed>) => (await fetch(url, signed(...posted))).status
  assert.deepEqual([await answerTo(REPLY, 'd-1'), kept.length], [204, 1])
  assert.deepEqual([await answerTo(REPLY, 'd-1', ['whsec_other']), kept.length], [400, 1])
  assert.equal(await answerTo('{"type":"message.read"}', 'd-4'), 204)
})

test('verifies events of the service, also during and after a secret rotation (§6.3)', async (t) => {
  const service = await startWebhookService()
  const { received, port } = await startEndpoint(t, (response) => response.writeHead(204).end())
  const client = await clientWithEndpoint(service, { port })
  const verifyAt = async (at: number, secret: string) => {
    await until(() => received.length > at)
    const attempt = received[at]
    assert.ok(attempt)
    const verified = verifyWebhook(attempt.body, attempt.headers, secret, { now: service.clock.now().getTime() })
    return verified.catch((error: Error) => error.name)
  }
  const deliveryId = await queueEvent(service, client)
  const first = await verifyAt(0, client.webhookSecret)
  assert.ok(typeof first === 'object' && first.event.type === 'message.status')
  assert.deepEqual([first.deliveryId, first.event.status, first.event.to], [deliveryId, 'delivered', '+9779841234567'])
  const { body } = await service.manage('POST', `/clients/${client.id}/rotate-webhook-secret`, { graceHours: 1 })
  await queueEvent(service, client)
  for (const secret of [client.webhookSecret, body.webhookSecret])
    assert.equal(typeof (await verifyAt(1, secret)), 'object', 'either is right in the grace')
  await service.advance(3_601)
  await queueEvent(service, client)
  assert.equal(typeof (await verifyAt(2, body.webhookSecret)), 'object')
  assert.equal(await verifyAt(2, client.webhookSecret), 'WebhookRefused')
})
