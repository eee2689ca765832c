// Tests of an HTTP carrier: each step with its result, and the response and receipt of a test message.
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../harness/free-port.ts'
import { ALLOWED, addHttpCarrier, answer, describe, startProvider } from '../../harness/http-carrier.ts'
import { ownService } from '../../harness/service.ts'
import { until } from '../../harness/until.ts'
import { startEndpoint } from '../../webhooks/endpoints.ts'

const port = await freePort()
const service = await ownService({
  env: {
    ...ALLOWED,
    HULAKI_ROLES: 'api,delivery',
    PORT: String(port),
    HULAKI_PUBLIC_URL: `http://127.0.0.1:${port}`,
    HULAKI_CARRIER_CA_FILE: fileURLToPath(new URL('../../webhooks/certificates/ca.cert.pem', import.meta.url)),
  },
})
const { manage } = service
type Step = { step: string; detail: string; fault: string | null; milliseconds: number }

async function add(url: string, http: Record<string, unknown> = describe(url)): Promise<string> {
  const id = await addHttpCarrier(service, url, { http })
  await service.settle()
  return id
}

async function stepsOf(id: string): Promise<{ steps: Step[]; fault: string | null }> {
  const { status, body } = await manage('POST', `/carriers/${id}/test`, {})
  assert.equal(status, 200, JSON.stringify(body))
  for (const { milliseconds } of body.binds[0].steps) assert.ok(milliseconds >= 0)
  return body.binds[0]
}

test('reports address, connection and TLS as steps, and where and why a test ends', async (t) => {
  const plain = await startProvider()
  t.after(() => plain.close())
  const good = await stepsOf(await add(plain.url))
  assert.deepEqual(
    good.steps.map((it) => [it.step, it.detail, it.fault]),
    [
      ['address', '127.0.0.1', null],
      ['connection', '', null],
    ],
  )
  assert.equal(good.fault, null)
  const respond = (response: ServerResponse) => answer(response, 200, { id: 'a' })
  const [sealed, untrusted] = [
    await startEndpoint(t, respond),
    await startEndpoint(t, respond, { certificate: 'self-signed' }),
  ]
  const over = await stepsOf(await add(`https://localhost:${sealed.port}`))
  assert.deepEqual(
    over.steps.map((it) => [it.step, it.fault]),
    [
      ['address', null],
      ['connection', null],
      ['tls', null],
    ],
    JSON.stringify(over),
  )
  assert.match(over.steps[2]?.detail ?? '', /^TLSv1\.3, certificate of .+ by .+ until /)
  const not = await stepsOf(await add(`https://localhost:${untrusted.port}`))
  assert.deepEqual(
    not.steps.map((it) => [it.step, it.fault]),
    [
      ['address', null],
      ['connection', null],
      ['tls', 'certificate is not from a trusted authority'],
    ],
    JSON.stringify(not),
  )
  assert.equal(not.fault, 'certificate is not from a trusted authority')
  const closed = await stepsOf(await add(`http://127.0.0.1:${await freePort()}`))
  assert.deepEqual(
    closed.steps.map((it) => [it.step, it.fault]),
    [
      ['address', null],
      ['connection', 'connection refused'],
    ],
  )
  // A host name of the operator's network, which the address guard refuses at connection.
  const nowhere = await stepsOf(await add('https://nobody.invalid'))
  assert.deepEqual([nowhere.steps.length, nowhere.steps[0]?.step], [1, 'address'])
  assert.ok(nowhere.steps[0]?.fault)
})

test('returns the response of the carrier and the receipt of a test message', async (t) => {
  const provider = await startProvider()
  t.after(() => provider.close())
  const receipts = { kind: 'callback', reading: { id: '/id', state: '/status' } }
  const http = { ...describe(provider.url), receipts }
  const id = await add(provider.url, http)
  await until(async () => (await manage('GET', `/carriers/${id}`)).body.state[0].state === 'bound')
  provider.does((_, response) => answer(response, 400, { error: 'invalid number' }))
  const refused = (await manage('POST', `/carriers/${id}/test`, { to: '+9779841000001' })).body
  assert.deepEqual([refused.message.outcome, refused.message.commandStatus], ['rejected', 400])
  assert.equal(refused.binds[0].steps.at(-1).step, 'answer')
  assert.match(refused.binds[0].steps.at(-1).detail, /^HTTP 400 .*invalid number/)
  const unread: [(response: ServerResponse) => unknown, string, string][] = [
    [(response) => response.writeHead(200).end('<html>Welcome</html>'), 'HTTP 200', 'response is not JSON'],
    [
      (response) => answer(response, 200, { ok: true }),
      'HTTP 200',
      'no rule matches the response, and it has no id at /id',
    ],
    [(response) => response.destroy(), '', 'connection closed before a response'],
  ]
  for (const [does, told, fault] of unread) {
    await until(async () => (await manage('GET', `/carriers/${id}`)).body.state[0].state === 'bound')
    provider.does((_, response) => void does(response))
    const { message, binds } = (await manage('POST', `/carriers/${id}/test`, { to: '+9779841000001' })).body
    const [last] = binds[0].steps.filter((it: Step) => it.step === 'answer')
    assert.deepEqual([message.outcome, last?.detail, last?.fault], ['unknown', told, fault], JSON.stringify(binds))
  }
  // The old state can remain after the close; an accepted message shows that the connection is new.
  provider.does((_, response) => answer(response, 200, { id: 'made-again' }))
  await until(async () => {
    const { body } = await manage('POST', `/carriers/${id}/test`, { to: '+9779841000001' })
    return body.message?.outcome === 'accepted'
  })
  const before = provider.got.length
  provider.does((_, response) => answer(response, 200, { id: 'of-the-test' }))
  const { callbackUrl } = (await manage('POST', `/carriers/${id}/callback`, {})).body
  const taken = manage('POST', `/carriers/${id}/test`, { to: '+9779841000002', receiptSeconds: 50 })
  await until(() => provider.got.length === before + 1)
  await until(async () => {
    const [test] = (await manage('GET', `/carriers/${id}/tests`)).body.items
    return test.message.outcome === 'accepted'
  })
  await fetch(callbackUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'of-the-test', status: 'delivered' }),
  })
  await service.advance(2)
  const { body } = await taken
  assert.deepEqual([body.message.outcome, body.message.report?.state], ['accepted', 'delivered'], JSON.stringify(body))
})
