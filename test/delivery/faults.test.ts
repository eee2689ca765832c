// The database fails while a carrier's word is being recorded: then it is the carrier's to keep, and to say again.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { encodeText } from '../../src/smpp/alphabets.ts'
import { addCarrier, addRoute, makeSender, until } from '../harness/sending.ts'
import { query } from '../harness/server.ts'
import { startTestService } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'

const TRY_AGAIN = 0x64
const service = await startTestService({ env: { HULAKI_ROLES: 'api,delivery' } })
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

test('a report or a reply that cannot be stored is answered 0x64, and is taken when it is sent again, once', async () => {
  const { id, taken } = await sendOne()
  const number = taken.to.slice(1)
  // Both write an event in their transaction, the last thing they do.
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
  // Also a carrier that has not heard our answer says it again.
  for (const _ of [1, 2]) {
    assert.equal(await smsc.reportOn(taken, 'DELIVRD'), 0)
    assert.equal(await reply(number, 'YES'), 0)
  }
  assert.equal((await sender.get(id)).status, 'delivered')
  assert.deepEqual(await replies(), [{ text: 'YES' }])
  assert.deepEqual(await toldOf(id), ['sent', 'delivered'])
})

test('a database that is away costs no report: 0x64 while it is, and the link stays', async () => {
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
  assert([...smsc.sessions].includes(taken.session), 'it is the same link')
})
