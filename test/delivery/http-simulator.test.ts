// The full path through the simulator's HTTP API, with the outcomes of SMPP.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { createLog } from '../../src/runtime/log.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { startSimulator } from '../../src/simulator/simulator.ts'
import { requestListener } from '../harness/background.ts'
import { ALLOWED, addHttpCarrier } from '../harness/http-carrier.ts'
import { addRoute, makeSender } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const service = await ownService({ env: ALLOWED })
const simulator = await startSimulator({
  clock: service.clock,
  random: systemRandom,
  log: createLog('silent'),
  settings: { port: 0, httpPort: 0 },
})
after(() => simulator.stop())
const sender = await makeSender(service)

// The callback URL for receipts and replies.
// biome-ignore lint/suspicious/noExplicitAny: a test reads arbitrary JSON
const posted: any[] = []
const callbackServer = createServer(
  requestListener(async (request, response) => {
    posted.push(JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString()))
    response.end()
  }),
)
callbackServer.listen(0, '127.0.0.1')
await once(callbackServer, 'listening')
after(() => callbackServer.close())
const address = callbackServer.address()
const callback = typeof address === 'object' && address ? `http://127.0.0.1:${address.port}/receipts` : ''

const answering = {
  id: '/id',
  said: '/error',
  rules: [
    { at: '/error', is: ['invalid number'], outcome: 'rejected', error: 'invalid_number' },
    { status: [503], outcome: 'other_carrier' },
  ],
}
const letter = { to: '{to}', from: '{from}', text: '{text}', reference: '{reference}', callback }
const auth = { kind: 'header', name: 'Authorization', value: 'Bearer {secret.token}' }
const secrets = { token: 'hulaki' }
const url = simulator.httpUrl
const one = await addHttpCarrier(service, url, {
  name: 'One',
  secrets,
  answerSeconds: 1,
  http: { url: `${url}/messages`, auth, body: { kind: 'json', value: letter }, answer: answering },
})
await addRoute(service, one)
const isWorking = (id: string) =>
  until(async () => (await service.manage('GET', `/carriers/${id}`)).body.health.state === 'working')
await isWorking(one)

/** Sends and settles. */
async function sent(to: string, { seconds = 0.001, text = 'Hello' } = {}) {
  const { body, status } = await sender.send({ to, text })
  assert.equal(status, 200, JSON.stringify(body))
  await service.advance(seconds)
  return { ...(await sender.get(body.messageId)), messageId: body.messageId as string }
}

test('accepts a message with an ID and posts its receipt and reply to the callback', async () => {
  const message = await sent('9841000007', { text: 'नमस्ते '.repeat(20) })
  assert.equal(message.status, 'sent')
  const [received] = simulator.handsets().items
  assert.deepEqual([received?.to, received?.text], ['+9779841000007', 'नमस्ते '.repeat(20)])
  const receipt = await until(() => posted.find((it) => it.kind === 'receipt'))
  assert.deepEqual([receipt.id, receipt.to, receipt.state], [received?.id, '+9779841000007', 'DELIVRD'])
  const reply = await until(() => posted.find((it) => it.kind === 'reply'))
  assert.deepEqual([reply.from, reply.to, reply.text], ['+9779841000007', 'Brand', 'YES'])
})

test('rejections, throttling and missing responses match SMPP', async () => {
  const ends = async (to: string, seconds = 0.001) => {
    const { status, error } = await sent(to, { seconds })
    return [status, error ?? '']
  }
  assert.deepEqual(await ends('9841000003'), ['failed', 'carrier_rejected'])
  assert.deepEqual(await ends('9841000010'), ['failed', 'invalid_number'])
  assert.deepEqual(await ends('9841000005', 6), ['sent', ''])
  assert.deepEqual(await ends('9841000004', 3_600), ['failed', 'network_unavailable'])
  const before = simulator.handsets().items.length
  // D15: unknown, so it is not resent and expires.
  assert.deepEqual(await ends('9841000012', 73 * 3_600), ['failed', 'delivery_timeout'])
  assert.equal(simulator.handsets().items.length, before)
})

test('a wrong token reroutes messages and raises an alarm; the right one works without a restart', async () => {
  await service.manage('PATCH', `/carriers/${one}`, { secrets: { token: 'wrong-token' } })
  await isWorking(one)
  const message = await sent('9841000001')
  assert.equal(message.status, 'queued')
  assert(service.logged.some((line) => line.includes('carrier rejected our account')))
  await service.manage('PATCH', `/carriers/${one}`, { secrets })
  await isWorking(one)
  await service.advance(60)
  assert.equal((await sender.get(message.messageId)).status, 'sent')
})
