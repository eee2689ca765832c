// Checks of receipt callbacks (D52) by header, query and basic authentication. The callback address appears nowhere else.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ALLOWED, addHttpCarrier, answer, describe, startProvider } from '../harness/http-carrier.ts'
import { addRoute, makeSender } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const service = await ownService({ env: { ...ALLOWED, HULAKI_PUBLIC_URL: 'https://sms.example.com' } })
const sender = await makeSender(service)
const provider = await startProvider()
after(() => provider.close())

const SECRETS = { token: 'a-token-that-is-secret', word: 'pass:word & more', user: 'provider' }
const described = (check: unknown) => ({
  ...describe(provider.url),
  body: { kind: 'json', value: { to: '{to}', text: '{text}', callback: '{callbackUrl}' } },
  receipts: { kind: 'callback', reading: { id: 'query:id', state: '/state' }, check },
})
const carrierId = await addHttpCarrier(service, provider.url, { http: described(null), secrets: SECRETS })
await addRoute(service, carrierId)
const callback = new URL(
  (await service.manage('POST', `/carriers/${carrierId}/callback`, { renew: false })).body.callbackUrl,
)
const token = callback.pathname.split('/')[2] ?? ''

const setCheck = async (check: unknown) => {
  const changed = await service.manage('PATCH', `/carriers/${carrierId}`, { http: described(check) })
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  await service.settle()
  await until(async () => (await service.manage('GET', `/carriers/${carrierId}`)).body.health.state === 'working')
}

async function sent(): Promise<{ messageId: string; id: string }> {
  const { body } = await sender.send({ to: '9841000077' })
  await until(async () => {
    await service.advance(1)
    return (await sender.get(body.messageId)).status === 'sent'
  })
  return { messageId: body.messageId, id: `id-${provider.got.length}` }
}

interface Proof {
  query?: Record<string, string>
  headers?: Record<string, string>
}

async function report(id: string, { query = {}, headers = {} }: Proof): Promise<number> {
  const url = new URL(callback.pathname, service.url)
  url.search = new URLSearchParams({ id, ...query }).toString()
  const response = await fetch(url, { method: 'PUT', headers, body: '{"state":"DELIVRD"}' })
  return response.status
}

const basic = (account: string) => ({ headers: { authorization: `Basic ${Buffer.from(account).toString('base64')}` } })
const inQuery = (key: string) => ({ query: { key } })

const cases: [string, unknown, Proof, Proof[]][] = [
  [
    'a header',
    { kind: 'header', name: 'X-Provider-Key', value: 'Key {secret.token}' },
    { headers: { 'x-provider-key': 'Key a-token-that-is-secret' } },
    [
      {},
      { headers: { 'x-provider-key': '' } },
      { headers: { 'x-provider-key': 'Key' } },
      { headers: { 'x-provider-key': 'Key {secret.token}' } },
      { headers: { 'x-provider-key': 'a-token-that-is-secret' } },
      { headers: { 'x-provider-key': 'Key a-token-that-is-secret, Key a-token-that-is-secret' } },
      { query: { 'X-Provider-Key': 'Key a-token-that-is-secret' } },
    ],
  ],
  [
    'the query',
    { kind: 'query', name: 'key', value: '{secret.word}' },
    inQuery('pass:word & more'),
    [{}, inQuery(''), inQuery('pass:word'), inQuery('PASS:WORD & MORE'), { headers: { key: 'word' } }],
  ],
  [
    'basic authentication',
    { kind: 'basic', user: '{secret.user}', password: '{secret.word}' },
    basic('provider:pass:word & more'),
    [
      {},
      basic('provider:'),
      basic(':'),
      basic('provider:word'),
      basic('other:pass:word & more'),
      { headers: { authorization: 'Basic' } },
    ],
  ],
]

for (const [what, check, right, wrong] of cases) {
  test(`D52: by ${what}: a wrong value is 401 and changes nothing, the right one is accepted`, async () => {
    await setCheck(check)
    const { id, messageId } = await sent()
    for (const proof of wrong) assert.equal(await report(id, proof), 401, JSON.stringify(proof))
    assert.equal((await sender.get(messageId)).status, 'sent')
    assert.equal(await report(id, right), 200)
    assert.equal((await sender.get(messageId)).status, 'delivered')
  })
}

test('doctor reports refused callbacks with their carrier', async () => {
  const refused = cases.flatMap(([, , , wrong]) => wrong).length
  await until(async () => {
    await service.settle()
    const { findings } = (await service.manage('GET', '/doctor')).body
    const found = findings.find(({ code }: { code: string }) => code === 'receipts_unread')
    return found?.about.id === carrierId && found.what.includes(`: ${refused} in the last hour.`)
  })
  const { prefixes } = (await service.manage('GET', `/carriers/${carrierId}/figures`)).body
  assert.deepEqual(
    prefixes.map((it: { prefix: string }) => it.prefix),
    ['+977'],
    'refused callbacks count for no prefix',
  )
})

test('a callback address quoted by the provider appears in no log, message, carrier or metric', async () => {
  await setCheck(null)
  provider.does(({ json }, response) => {
    const encoded = encodeURIComponent(json.callback)
    answer(response, 422, { error: `cannot call ${json.callback} nor ${encoded}`, callback: json.callback })
  })
  const { body } = await sender.send({ to: '9841000078' })
  await until(async () => {
    await service.advance(1)
    return (await sender.get(body.messageId)).status === 'failed'
  })
  assert(provider.got.at(-1)?.body.includes(token))
  // Requests that are too large, invalid or of another method are logged without their path, too.
  const at = new URL(callback.pathname, service.url)
  assert.equal((await fetch(at, { method: 'POST', body: 'x'.repeat(70_000) })).status, 413)
  assert.equal((await fetch(at, { method: 'DELETE' })).status, 404)
  assert.equal((await fetch(`${at}/more`, { method: 'POST' })).status, 404)
  assert.equal((await fetch(`${at}%`, { method: 'POST' })).status, 404)
  const answers = await Promise.all([
    service.manage('GET', `/messages/${body.messageId}`),
    service.manage('GET', `/carriers/${carrierId}`),
    service.manage('GET', '/carriers'),
    service.manage('GET', '/now'),
    service.manage('GET', '/doctor'),
    service.manage('GET', '/audit-log'),
  ])
  for (const answered of answers) assert(!JSON.stringify(answered.body).includes(token))
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  assert(metrics.includes('route="/carriers/:token/receipts"'))
  assert(!metrics.includes(token))
  const logged = service.logged.join('')
  assert(logged.includes('/carriers/:token/receipts'))
  assert(!logged.includes(token))
})
