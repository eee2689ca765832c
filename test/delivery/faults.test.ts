// The database fails while reports and responses are being recorded: the carrier must deliver again.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { encodeText } from '../../src/smpp/alphabets.ts'
import { testDatabaseAddress } from '../harness/database.ts'
import { startProxy } from '../harness/proxy.ts'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { query } from '../harness/server.ts'
import { ownService } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

const TRY_AGAIN = 0x64
const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
const smsc = await startSmsc({ plan: () => ({}) })
const sender = await makeSender(service)
await addRoute(service, await addCarrier(service, smsc.port))
const { address } = service
let last = 0

beforeEach(() => {
  smsc.taken.length = 0
})

async function sendOne() {
  last += 1
  const { body } = await sender.send({ to: `984200000${last}` })
  await service.settle()
  const [taken] = smsc.taken
  assert(taken)
  assert.equal((await sender.get(body.messageId)).status, 'sent')
  return { id: body.messageId as string, taken }
}

async function toldOf(id: string): Promise<string[]> {
  const events = await service.db.query<{ body: Buffer }>({
    text: `select body from webhook_event where name = 'message.status' and message_id = $1 order by delivery_id`,
    values: [id],
    name: undefined,
  })
  return events.map(({ body }) => JSON.parse(body.toString()).status)
}

const replies = () => query(address, 'select text from inbound_message')
const reply = (from: string, text: string) =>
  smsc.send({ source_addr: from, destination_addr: 'Brand', short_message: encodeText(text, 'gsm') ?? Buffer.alloc(0) })

test('a report or reply that cannot be stored gets 0x64 and is stored once when it is redelivered', async () => {
  const { id, taken } = await sendOne()
  const number = taken.to.slice(1)
  // Both write an event at the end of their transaction.
  await query(
    address,
    `create function fail() returns trigger language plpgsql as 'begin raise disk_full; end';
    create trigger fail before insert on webhook_event for each row execute function fail()`,
  )
  assert.equal(await smsc.reportOn(taken, 'DELIVRD'), TRY_AGAIN)
  assert.equal(await reply(number, 'YES'), TRY_AGAIN)
  assert.equal((await sender.get(id)).status, 'sent')
  assert.deepEqual(await replies(), [])
  assert.deepEqual(await toldOf(id), ['sent'])

  await query(address, 'drop function fail cascade')
  // A carrier that missed our response redelivers too.
  for (const _ of [1, 2]) {
    assert.equal(await smsc.reportOn(taken, 'DELIVRD'), 0)
    assert.equal(await reply(number, 'YES'), 0)
  }
  assert.equal((await sender.get(id)).status, 'delivered')
  assert.deepEqual(await replies(), [{ text: 'YES' }])
  assert.deepEqual(await toldOf(id), ['sent', 'delivered'])
})

test('a database outage loses no report: 0x64 during the outage, on the same link', async () => {
  const { id, taken } = await sendOne()
  const elsewhere = { ...address, database: 'postgres' }
  await query(elsewhere, `alter database ${address.database} with allow_connections false`)
  await query(
    elsewhere,
    `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = '${address.database}' and usename = current_user`,
  )
  for (const _ of [1, 2, 3]) assert.equal(await smsc.reportOn(taken, 'DELIVRD'), TRY_AGAIN)
  await query(elsewhere, `alter database ${address.database} with allow_connections true`)
  await until(async () => (await smsc.reportOn(taken, 'DELIVRD')) === 0)
  assert.equal((await sender.get(id)).status, 'delivered')
  assert.deepEqual(await toldOf(id), ['sent', 'delivered'])
  assert.equal(smsc.sessions.size, 1)
  assert([...smsc.sessions].includes(taken.session), 'the link stays')
})

test('D21: a message with an undecryptable text fails alone, is refunded and logged', async () => {
  const { balance } = await sender.balance()
  await query(
    address,
    `create function tamper() returns trigger language plpgsql as
      'begin new.sealed := set_byte(new.sealed, 40, get_byte(new.sealed, 40) # 1); return new; end';
    create trigger tamper before insert on sealed_text for each row execute function tamper()`,
  )
  const { body: code } = await sender.sendCode('9842000098')
  await query(address, 'drop function tamper cascade')
  const { body: other } = await sender.sendCode('9842000099')
  await service.settle()
  const failed = await sender.get(code.messageId)
  assert.deepEqual([failed.status, failed.error], ['failed', 'delivery_failed'])
  assert.equal((await sender.get(other.messageId)).status, 'sent')
  assert.deepEqual(
    smsc.taken.map(({ to }) => to),
    ['+9779842000099'],
  )
  assert.equal((await sender.balance()).balance, balance - 1.5)
  const told = service.logged.filter((line) => line.includes('failed to prepare message'))
  assert.deepEqual(
    told.map((line) => JSON.parse(line).messageId),
    [code.messageId],
  )
})

test('a response that cannot be recorded is abandoned; other responses are recorded', async () => {
  await query(address, `alter table submission add constraint no_poison check (carrier_message_id <> 'POISON')`)
  smsc.plan = (it) => (it.to.endsWith('97') ? { id: 'POISON' } : {})
  const sent = await Promise.all(['9842000097', '9842000096'].map((to) => sender.send({ to })))
  await service.settle()
  await query(address, 'alter table submission drop constraint no_poison')
  const statuses = await Promise.all(sent.map(async ({ body }) => (await sender.get(body.messageId)).status))
  assert.deepEqual(statuses, ['submitting', 'sent'])
  assert.equal(service.logged.filter((line) => line.includes('failed to record carrier response')).length, 2)
})

test('a database outage is logged twice, at its start and its end', async () => {
  const proxy = await startProxy({ address: await testDatabaseAddress() })
  const roles = 'api,delivery,upkeep'
  const cut = await ownService({ env: { HULAKI_ROLES: roles }, beside: { ...service, address: proxy.address } })
  assert.equal((await cut.manage('PUT', '/countries/IN', { name: 'India', state: 'live' })).status, 200)
  const held = Promise.withResolvers<void>()
  const carrier = await startSmsc({ plan: () => ({ answer: held.promise, report: 'DELIVRD' }) })
  await addRoute(cut, await addCarrier(cut, carrier.port, { window: 50 }), { country: 'IN' })
  const abroad = await makeSender(cut)
  const sent = await Promise.all(
    Array.from({ length: 20 }, (_, index) => abroad.send({ to: `+9198410000${String(index).padStart(2, '0')}` })),
  )
  await until(() => carrier.taken.length === 20)
  proxy.close()
  held.resolve()
  // Reports, responses and all loops fail repeatedly.
  await until(() => carrier.answersToReports.filter((status) => status === TRY_AGAIN).length > 40)
  await proxy.open()
  await until(() => cut.logged.some((line) => line.includes('available again')))
  for (const { body } of sent) await until(async () => (await abroad.get(body.messageId)).status === 'delivered')
  const graver = cut.logged.map((line) => JSON.parse(line)).filter(({ level }) => level >= 40)
  assert.deepEqual(
    graver.map(({ msg }) => msg),
    ['database unavailable, retrying', 'database available again'],
  )
  assert(graver[1].failed > 3, `${graver[1].failed} failed`)
  await cut.stop()
})
