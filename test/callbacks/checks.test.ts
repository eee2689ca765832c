// Who is believed (D52): by a header, by the query, by basic authentication, each right and wrong; and an address that a provider
// quotes back is told nowhere.
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

const demand = async (check: unknown) => {
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

interface Said {
  query?: Record<string, string>
  headers?: Record<string, string>
}

async function tell(id: string, { query = {}, headers = {} }: Said): Promise<number> {
  const url = new URL(callback.pathname, service.url)
  url.search = new URLSearchParams({ id, ...query }).toString()
  const response = await fetch(url, { method: 'PUT', headers, body: '{"state":"DELIVRD"}' })
  return response.status
}

const basic = (account: string) => ({ headers: { authorization: `Basic ${Buffer.from(account).toString('base64')}` } })
const inQuery = (key: string) => ({ query: { key } })

const cases: [string, unknown, Said, Said[]][] = [
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
  test(`by ${what}: what is wrong is 401 and moves nothing, what is right is believed`, async () => {
    await demand(check)
    const { id, messageId } = await sent()
    for (const said of wrong) assert.equal(await tell(id, said), 401, JSON.stringify(said))
    assert.equal((await sender.get(messageId)).status, 'sent')
    assert.equal(await tell(id, right), 200)
    assert.equal((await sender.get(messageId)).status, 'delivered')
  })
}

test('doctor tells of the calls that were refused, with the carrier and what to look at', async () => {
  const refused = cases.flatMap(([, , , wrong]) => wrong).length
  await until(async () => {
    await service.settle()
    const { findings } = (await service.manage('GET', '/doctor')).body
    const found = findings.find(({ code }: { code: string }) => code === 'receipts_unread')
    return found?.about.id === carrierId && found.what.includes(`: ${refused} in the last hour;`)
  })
  const { prefixes } = (await service.manage('GET', `/carriers/${carrierId}/figures`)).body
  assert.deepEqual(
    prefixes.map((it: { prefix: string }) => it.prefix),
    ['+977'],
    'it is no figure of any number',
  )
})

test('a provider that quotes the address back tells it to nobody: not the log, nor the message, the carrier or the metrics', async () => {
  await demand(null)
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
  // What is too large, no request, or of another method is told without its path, too.
  const at = new URL(callback.pathname, service.url)
  assert.equal((await fetch(at, { method: 'POST', body: 'x'.repeat(70_000) })).status, 413)
  assert.equal((await fetch(at, { method: 'DELETE' })).status, 404)
  assert.equal((await fetch(`${at}/more`, { method: 'POST' })).status, 404)
  assert.equal((await fetch(`${at}%`, { method: 'POST' })).status, 404)
  const told = await Promise.all([
    service.manage('GET', `/messages/${body.messageId}`),
    service.manage('GET', `/carriers/${carrierId}`),
    service.manage('GET', '/carriers'),
    service.manage('GET', '/now'),
    service.manage('GET', '/doctor'),
    service.manage('GET', '/audit-log'),
  ])
  for (const answered of told) assert(!JSON.stringify(answered.body).includes(token))
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  assert(metrics.includes('route="/carriers/:token/receipts"'))
  assert(!metrics.includes(token))
  const logged = service.logged.join('')
  assert(logged.includes('/carriers/:token/receipts'))
  assert(!logged.includes(token))
})
