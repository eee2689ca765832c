// What doctor concludes from the responses of carriers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ALLOWED, addHttpCarrier, answer, startProvider } from '../harness/http-carrier.ts'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

const service = await ownService({ env: ALLOWED })
const sender = await makeSender(service)

interface Finding {
  code: string
  state: string
  what: string
  about: { id: string } | null
}

async function findingsOn(carrierId: string): Promise<Finding[]> {
  await service.settle()
  const { findings } = (await service.manage('GET', '/doctor')).body
  return findings.filter(({ about }: Finding) => about?.id === carrierId)
}

const found = (carrierId: string, code: string) =>
  until(async () => (await findingsOn(carrierId)).find((it) => it.code === code))

async function removeCarrier(carrierId: string, routeId: string): Promise<void> {
  await service.manage('DELETE', `/routes/${routeId}`)
  await service.manage('DELETE', `/carriers/${carrierId}`)
}

test('reports a carrier that rejects every call, and unreadable responses', async (t) => {
  const provider = await startProvider()
  t.after(() => provider.close())
  const carrierId = await addHttpCarrier(service, provider.url)
  const routeId = await addRoute(service, carrierId)
  await service.settle()
  const send = async (to: string) => {
    assert.equal((await sender.send({ to })).status, 200)
    await service.settle()
  }
  provider.does((_, response) => answer(response, 400, { error: 'invalid number' }))
  await send('9841000001')
  const codes = async () => (await findingsOn(carrierId)).map((it) => it.code)
  assert.deepEqual(await codes(), ['carrier_bound'], 'a rejected number is not a carrier problem')
  provider.does((_, response) => answer(response, 401, { error: 'Authenticate' }))
  await send('9841000002')
  const refused = await found(carrierId, 'carrier_refuses')
  assert.equal(refused.state, 'error')
  assert.match(refused.what, /rejects every message: 1 in the last hour \(HTTP 401 Authenticate\)/)
  const [bind] = (await service.manage('GET', `/carriers/${carrierId}`)).body.state
  assert.equal(bind.lastError, 'HTTP 401 Authenticate', "the carrier's page shows it too")
  provider.does((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'))
  await send('9841000003')
  const unreadable = await found(carrierId, 'answers_unreadable')
  assert.equal(unreadable.state, 'error')
  assert.match(unreadable.what, /: 1 in the last hour \(.*response is not JSON/)
  provider.does((_, response) => answer(response, 200, { id: 'taken' }))
  await send('9841000004')
  await until(async () => !(await codes()).includes('carrier_refuses'))
  assert.equal((await found(carrierId, 'answers_unreadable')).state, 'warning')
  await removeCarrier(carrierId, routeId)
})

test('reports an SMPP carrier that rejects every submission', async () => {
  const smsc = await startSmsc({ plan: () => ({ status: 0x0a }) })
  const carrierId = await addCarrier(service, smsc.port)
  const routeId = await addRoute(service, carrierId)
  await service.settle()
  await sender.send({ to: '9841000011' })
  assert.match((await found(carrierId, 'carrier_refuses')).what, /ESME_RINVSRCADR/)
  await removeCarrier(carrierId, routeId)
})

test('D56: suggests receipts: one while a carrier gives all segments the same ID', async () => {
  const smsc = await startSmsc({ plan: () => ({ id: 'SAME' }) })
  const carrierId = await addCarrier(service, smsc.port)
  await addRoute(service, carrierId)
  await service.settle()
  await sender.send({ to: '9841000021', text: 'short' })
  const codes = async () => (await findingsOn(carrierId)).map((it) => it.code)
  assert.deepEqual(await codes(), ['carrier_bound'])
  await sender.send({ to: '9841000022', text: 'x'.repeat(400) })
  const { state, what } = await found(carrierId, 'receipts_shared')
  assert.equal(state, 'warning')
  assert(what.includes(`hulaki carrier change ${carrierId} --receipts one`), what)
  await service.manage('PATCH', `/carriers/${carrierId}`, { smpp: { receipts: 'one' } })
  assert.deepEqual(await codes(), ['carrier_bound'])
})
