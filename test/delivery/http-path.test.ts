// The full path of a message through an HTTP carrier, and failover between HTTP and SMPP.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ALLOWED, addHttpCarrier, answer, startProvider } from '../harness/http-carrier.ts'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

const service = await ownService({ env: ALLOWED })
const sender = await makeSender(service)
const bound = (id: string) =>
  until(async () => (await service.manage('GET', `/carriers/${id}`)).body.health.state === 'working')

test("submits a whole message in one call and stores the provider's ID", async (t) => {
  const provider = await startProvider()
  t.after(() => provider.close())
  const id = await addHttpCarrier(service, provider.url)
  const route = await addRoute(service, id)
  await bound(id)
  const text = 'ñ long text '.repeat(30)
  const { body } = await sender.send({ to: '9841000001', text })
  await service.settle()
  assert.equal((await sender.get(body.messageId)).status, 'sent')
  assert.equal(provider.got.length, 1)
  const [got] = provider.got
  assert.equal(got?.headers.authorization, 'Bearer a-token-that-is-secret')
  assert.deepEqual(got?.json, { to: '+9779841000001', from: 'Brand', text, ref: body.messageId.replaceAll('-', '') })
  const read = await service.manage('GET', `/carriers/${id}`)
  assert.deepEqual(read.body.secretNames, ['token'])
  assert(!JSON.stringify(read.body).includes('a-token-that-is-secret'))
  await service.manage('DELETE', `/routes/${route}`)
  await service.manage('DELETE', `/carriers/${id}`)
})

test('fails over from SMPP to HTTP and from HTTP to SMPP', async (t) => {
  const [provider, smsc] = [await startProvider(), await startSmsc()]
  t.after(() => Promise.all([provider.close(), smsc.close()]))
  const overHttp = await addHttpCarrier(service, provider.url)
  const overSmpp = await addCarrier(service, smsc.port)
  await addRoute(service, overSmpp, { priority: 1 })
  await addRoute(service, overHttp, { priority: 2 })
  await Promise.all([bound(overHttp), bound(overSmpp)])
  smsc.plan = () => ({ status: 0x08 })
  const first = await sender.send({ to: '9841000002' })
  await service.advance(10)
  assert.deepEqual([smsc.taken.length, provider.got.length], [1, 1])
  assert.equal((await sender.get(first.body.messageId)).status, 'sent')
  // The other direction.
  await service.manage('PATCH', `/carriers/${overSmpp}`, { enabled: false })
  smsc.plan = () => ({})
  provider.does((_, response) => answer(response, 503, { error: 'not now' }))
  const second = await sender.send({ to: '9841000003' })
  await service.settle()
  await until(() => provider.got.length === 2)
  await service.manage('PATCH', `/carriers/${overSmpp}`, { enabled: true })
  await bound(overSmpp)
  await service.advance(10)
  assert.equal((await sender.get(second.body.messageId)).status, 'sent')
  assert.deepEqual([smsc.taken.length, provider.got.length], [2, 2])
})
