// The carrier Simulator and its catch-all route, created by the first start and then owned by the operator.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decryptSmppSecrets } from '../../src/actions/carriers/carrier-secrets.ts'
import { listAllCarriers } from '../../src/store/carriers/carriers.ts'
import { makeClient } from '../harness/client.ts'
import { assertRefused } from '../harness/refused.ts'
import { ownService, systemClock, type TestService } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const ROLES = { HULAKI_ROLES: 'api,delivery,simulator' }

test('the first start creates the carrier and its catch-all route with the lowest priority', async () => {
  const service = await ownService({ env: ROLES })
  const carrier = await simulatorOf(service)
  assert.deepEqual([carrier.host, carrier.enabled], ['127.0.0.1', true])
  assert.match(String(carrier.systemId), /^simulator-[0-9a-f]{5}$/)
  assert.equal('password' in carrier, false)
  const routes = await listOf(service, '/routes')
  assert.deepEqual(
    routes.map(({ country, prefixes, types, carrierId, priority }) => ({
      country,
      prefixes,
      types,
      carrierId,
      priority,
    })),
    [{ country: '*', prefixes: [], types: null, carrierId: carrier.id, priority: 1_000_000 }],
  )
})

test('its password is random per database and stored encrypted', async () => {
  const first = await ownService({ env: ROLES })
  const drawn = await passwordOf(first)
  assert.match(drawn, /^[\w-]{8}$/)
  const other = await ownService({ env: ROLES })
  assert.notEqual(await passwordOf(other), drawn)
  const { id } = await simulatorOf(first)
  await first.stop()
  const again = await ownService({ env: ROLES, beside: first })
  assert.equal(await passwordOf(again), drawn)
  await again.manage('PATCH', `/carriers/${id}`, { password: 'hulaki' })
  await again.stop()
  const upgraded = await ownService({ env: ROLES, beside: first })
  assert.match(await passwordOf(upgraded), /^[\w-]{8}$/)
  // The first attempt may have used the previous password.
  await until(async () => {
    await upgraded.settle()
    const [bind] = (await simulatorOf(upgraded)).state as { state: string }[]
    return bind?.state === 'bound'
  })
})

async function passwordOf({ ports }: TestService): Promise<string> {
  const [carrier] = (await listAllCarriers(ports.db)).filter(({ name }) => name === 'Simulator')
  assert(carrier?.kind === 'smpp')
  return decryptSmppSecrets(ports, carrier).password
}

test('409: its name is unique, and it cannot be removed while it has a route', async () => {
  const service = await ownService({ env: ROLES })
  const { id } = await simulatorOf(service)
  const known = { name: 'Simulator', host: '127.0.0.1', port: 1, systemId: 'hulaki', password: 'secret' }
  assertRefused(await service.manage('POST', '/carriers', known), 409, 'conflict')
  assertRefused(await service.manage('DELETE', `/carriers/${id}`), 409, 'conflict')
})

test('a later start updates only the address of the carrier', async () => {
  const first = await ownService({ env: ROLES })
  const before = await simulatorOf(first)
  const [route] = await listOf(first, '/routes')
  await first.manage('DELETE', `/routes/${route?.id}`)
  await first.manage('PATCH', `/carriers/${before.id}`, { port: 1, window: 7, enabled: false })
  const second = await ownService({ env: ROLES, beside: first })
  const after = await simulatorOf(second)
  assert.notEqual(after.port, 1)
  assert.deepEqual([after.id, after.window, after.enabled], [before.id, 7, false])
  assert.equal(after.systemId, before.systemId)
  assert.deepEqual(await listOf(second, '/routes'), [])
  await second.stop()
})

test('receipts have the configured delay', async () => {
  const service = await ownService({ env: { ...ROLES, HULAKI_SIMULATOR_RECEIPT_DELAY_MS: '20000' } })
  const client = await makeClient(service)
  await service.advance(1)
  const { body } = await client.send({ to: '9841000001' })
  const status = async () => (await client.get(`/sms/messages/${body.messageId}`)).body.status
  await service.advance(15)
  assert.equal(await status(), 'sent')
  await service.advance(10)
  assert.equal(await status(), 'delivered')
})

test('accepts no more per second than configured, and the rest later', async () => {
  const service = await ownService({ env: { ...ROLES, HULAKI_SIMULATOR_SEGMENTS_PER_SECOND: '1' } })
  const client = await makeClient(service)
  const sent = await Promise.all([1, 2, 3].map((last) => client.send({ to: `984100002${last}` })))
  const statuses = async () => {
    const all = await Promise.all(sent.map(({ body }) => client.get(`/sms/messages/${body.messageId}`)))
    return all.map((it) => it.body.status)
  }
  const delivered = async () => (await statuses()).filter((it) => it === 'delivered').length
  // The clock is stopped, so all polls are in the same second.
  await until(async () => {
    await service.advance(0)
    return (await delivered()) > 0
  })
  assert.equal(await delivered(), 1)
  await service.advance(60)
  assert.deepEqual(await statuses(), ['delivered', 'delivered', 'delivered'])
})

test('the simulator does not replace a carrier that is down or disabled', async () => {
  const service = await ownService({ env: ROLES })
  const client = await makeClient(service)
  const down = await service.manage('POST', '/carriers', {
    name: 'A real one',
    host: '127.0.0.1',
    port: 1,
    systemId: 'hulaki',
    password: 'secret',
  })
  await service.manage('POST', '/routes', { country: 'NP', carrierId: down.body.id, priority: 1 })
  const send = async () => {
    // Changes apply after the roles have seen them.
    await service.advance(1)
    const { body } = await client.send({ to: '9841000001' })
    await service.advance(60)
    return (await client.get(`/sms/messages/${body.messageId}`)).body.status
  }
  assert.equal(await send(), 'queued')
  await service.manage('PATCH', `/carriers/${down.body.id}`, { enabled: false })
  assert.equal(await send(), 'queued')
  assert.deepEqual(await listOf(service, '/simulator/messages'), [])
  const [real] = (await listOf(service, '/routes')).filter((route) => route.country === 'NP')
  await service.manage('DELETE', `/routes/${real?.id}`)
  assert.equal(await send(), 'delivered')
})

test('a failed start does not change the carrier of the running service', async () => {
  const first = await ownService({ env: ROLES, clock: systemClock() })
  const before = await simulatorOf(first)
  const taken = new URL(first.url).port
  const start = ownService({ env: { ...ROLES, PORT: taken }, beside: first })
  await assert.rejects(start, (error: NodeJS.ErrnoException) => error.code === 'EADDRINUSE')
  const settingsOf = ({ state: _, health: __, ...settings }: typeof before) => settings
  assert.deepEqual(settingsOf(await simulatorOf(first)), settingsOf(before))
  await assertDelivers(first)
})

test('when the later of two processes stops, the carrier returns to the other simulator', async () => {
  const first = await ownService({ env: ROLES, clock: systemClock() })
  const before = await simulatorOf(first)
  const second = await ownService({ env: ROLES, beside: first })
  assert.notEqual((await simulatorOf(first)).port, before.port)
  await until(async () => {
    await assertDelivers(first)
    return (await listOf(second, '/simulator/messages')).length > 0
  })
  await second.stop()
  await assertDelivers(first)
  await until(async () => (await simulatorOf(first)).port === before.port)
  await assertDelivers(first)
  assert.match(first.logged.join(''), /took over the simulator carrier/)
})

test("a carrier that reaches another service's simulator is rejected and returns to its own", async () => {
  const other = await ownService({ env: ROLES, clock: systemClock() })
  const service = await ownService({ env: ROLES, clock: systemClock() })
  const { port } = await simulatorOf(other)
  const { id } = await simulatorOf(service)
  await service.manage('PATCH', `/carriers/${id}`, { port })
  await assertDelivers(service)
  await until(async () => (await simulatorOf(service)).port !== port)
  assert.deepEqual(await listOf(other, '/simulator/messages'), [])
  assert.equal((await listOf(service, '/simulator/messages')).length, 1)
})

async function assertDelivers(service: TestService): Promise<void> {
  const client = await makeClient(service)
  const { body } = await client.send({ to: '9841000001' })
  const isDelivered = async () => (await client.get(`/sms/messages/${body.messageId}`)).body.status === 'delivered'
  await until(isDelivered)
}

async function listOf(service: TestService, path: string): Promise<Record<string, unknown>[]> {
  return (await service.manage('GET', path)).body.items
}

async function simulatorOf(service: TestService) {
  const found = (await listOf(service, '/carriers')).find((carrier) => carrier.name === 'Simulator')
  return found ?? assert.fail('there is no carrier Simulator')
}
