// D43: workspaces take turns, then their clients, and only places with waiting messages are read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/store/database/sql.ts'
import { findNextDueTime, listPlaces } from '../../src/store/messages/delivery-queue.ts'
import { makeClient, makeWorkspace, type TestClient } from '../harness/client.ts'
import { addCarrier, addRoute } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
const smsc = await startSmsc()
const slow = await addCarrier(service, smsc.port, { segmentsPerSecond: 20, binds: 1, window: 10 })
await addRoute(service, slow)
const rich = { monthlyCredit: 100_000 }

let last = 0
const nextNumber = () => `+97798${String(45_000_000 + ++last)}`
const send = async (client: TestClient, count: number, text: string) => {
  const sends = Array.from({ length: count }, () => client.send({ to: nextNumber(), text }))
  for (const { status, body } of await Promise.all(sends)) assert.equal(status, 200, JSON.stringify(body))
}
const newClient = (workspaceId: string) => makeClient(service, { workspaceId, requestsPerSecond: 1_000 })

/** The number of messages sent between the acceptance of a single message and its own turn. */
async function waitsBehind(client: TestClient, text: string): Promise<number> {
  const before = smsc.taken.length
  await send(client, 1, text)
  return until(() => smsc.taken.findIndex((it) => it.text === text) - before + 1 || null).then((at) => at - 1)
}

test('a campaign of 600 does not delay the single message of another workspace', async () => {
  const [loud, quiet] = [
    await newClient(await makeWorkspace(service, rich)),
    await newClient(await makeWorkspace(service)),
  ]
  await send(loud, 600, 'campaign')
  await until(() => smsc.taken.length > 10)
  const behind = await waitsBehind(quiet, 'alert')
  assert.ok(behind <= 6, `${behind} messages of the campaign came first`)
  await service.db.query(sql`delete from delivery_queue where workspace_id = ${loud.workspaceId}`)
})

test('a client does not delay another client of its workspace', async () => {
  const workspaceId = await makeWorkspace(service, rich)
  const [loud, quiet] = [await newClient(workspaceId), await newClient(workspaceId)]
  const before = smsc.taken.length
  await send(loud, 200, 'newsletter')
  await until(() => smsc.taken.length > before + 10)
  const behind = await waitsBehind(quiet, 'notice')
  assert.ok(behind <= 12, `${behind} messages of the newsletter came first`)
  await service.db.query(sql`delete from delivery_queue where workspace_id = ${workspaceId}`)
})

test('waiting workspaces are served in turn, none twice before all once', async () => {
  const texts = Array.from({ length: 12 }, (_, index) => `turn ${index}`)
  const clients = await Promise.all(texts.map(async () => newClient(await makeWorkspace(service))))
  await service.manage('PATCH', `/carriers/${slow}`, { enabled: false })
  await service.settle()
  const before = smsc.taken.length
  for (const [index, client] of clients.entries()) await send(client, 20, texts[index] ?? '')
  await service.manage('PATCH', `/carriers/${slow}`, { enabled: true })
  const taken = await until(() => (smsc.taken.length < before + 60 ? null : smsc.taken.slice(before, before + 60)))
  const counts = texts.map((text) => taken.filter((it) => it.text === text).length)
  assert.ok(Math.max(...counts) - Math.min(...counts) <= 5, counts.join())
  await service.manage('PATCH', `/carriers/${slow}`, { enabled: false })
  await service.settle()
  await service.db.query(sql`delete from delivery_queue`)
})

test('two thousand prefixes cost no more than ten', async () => {
  const prefixes = Array.from({ length: 1_000 }, (_, index) => `+97798${String(1_000 + index)}`)
  for (const priority of [10, 20]) await addRoute(service, slow, { prefixes, priority })
  await service.settle()
  await service.manage('PATCH', `/carriers/${slow}`, { enabled: true })
  const client = await newClient(await makeWorkspace(service))
  await send(client, 3, 'one place')
  const places = await listPlaces(service.db)
  assert.ok(places.length <= 3, JSON.stringify(places))
  await findNextDueTime(service.db, places)
  await until(() => smsc.taken.filter((it) => it.text === 'one place').length === 3)
})
