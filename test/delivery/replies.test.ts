import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SystemClock } from '../../src/runtime/clock.ts'
import { encodeText } from '../../src/smpp/alphabets.ts'
import { ESM_CLASS_UDHI, encodeConcatenation } from '../../src/smpp/udh.ts'
import { sql } from '../../src/store/database/sql.ts'
import { makeClient } from '../harness/client.ts'
import { inLongTransaction } from '../harness/hold-workspace.ts'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
const smsc = await startSmsc({ plan: () => ({}) })
const [one, other] = [await makeSender(service), await makeSender(service)]
await addRoute(service, await addCarrier(service, smsc.port))
const HANDSET = '9779841000001'

const stored = () =>
  service.db.query<{ client_id: string | null; text: string; in_reply_to: string | null; from_number: string }>({
    text: 'select client_id, text, in_reply_to, from_number from inbound_message order by id desc',
    values: [],
    name: undefined,
  })
const reply = (text: string, { to = 'Shop', from = HANDSET } = {}) =>
  smsc.send({
    source_addr: from,
    destination_addr: to,
    short_message: encodeText(text, 'gsm') ?? Buffer.alloc(0),
  })

const replyInPart = (pieces: string[], number: number, total = pieces.length) => {
  const bytes = encodeText(pieces[number - 1] ?? '', 'ucs2') ?? Buffer.alloc(0)
  const header = encodeConcatenation({ reference: 7, total, number })
  return smsc.send({
    source_addr: HANDSET,
    destination_addr: 'Shop',
    esm_class: ESM_CLASS_UDHI,
    data_coding: 8,
    short_message: Buffer.concat([header, bytes]),
  })
}

test('D18: a reply belongs to the last client that used that sender for the number, or to none', async () => {
  const ours = await one.send({ to: `+${HANDSET}`, senderId: 'Shop' })
  await service.advance(1)
  await other.send({ to: `+${HANDSET}`, senderId: 'Bank' })
  await service.advance(1)
  assert.equal(await reply('YES'), 0)
  const [toShop] = await stored()
  assert.equal(toShop?.client_id, one.clientId)
  assert.equal(toShop?.in_reply_to, ours.body.messageId)
  await reply('STOP', { to: '12345' })
  const [toNobody] = await stored()
  assert.deepEqual([toNobody?.client_id, toNobody?.in_reply_to], [null, null])
  const events = await service.db.query<{ body: Buffer; client_id: string }>({
    text: `select body, client_id from webhook_event where name = 'message.inbound' order by delivery_id`,
    values: [],
    name: undefined,
  })
  assert.deepEqual(
    events.map((it) => it.client_id),
    [one.clientId],
  )
  const event = JSON.parse(events[0]?.body.toString() ?? '')
  assert.equal(event.from, `+${HANDSET}`)
  assert.equal(event.text, 'YES')
  assert.equal(event.inReplyTo, ours.body.messageId)
})

test('D18: a reply to a sender used by two workspaces belongs to neither', async () => {
  const handset = '9779841000002'
  const ours = await one.send({ to: `+${handset}`, senderId: 'Shop' })
  await service.advance(1)
  await reply('Mine', { from: handset })
  assert.deepEqual(
    [(await stored())[0]?.in_reply_to, (await stored())[0]?.client_id],
    [ours.body.messageId, one.clientId],
  )
  // Another notation is the same address on the wire.
  await other.send({ to: `+${handset}`, senderId: 'SHÖP' })
  await service.advance(1)
  await reply('Whose?', { from: handset })
  assert.equal((await stored())[0]?.client_id, null)
  // It stays unassigned when the first workspace sends again.
  await one.send({ to: `+${handset}`, senderId: 'Shop' })
  await service.advance(1)
  await reply('And now?', { from: handset })
  assert.equal((await stored())[0]?.client_id, null)
  await service.advance(29 * 24 * 3600)
  await one.send({ to: `+${handset}`, senderId: 'Shop' })
  await service.advance(2 * 24 * 3600)
  await reply('A month later', { from: handset })
  assert.equal((await stored())[0]?.client_id, one.clientId)
})

test('D18: of two clients of one workspace, the last one to use the sender gets the reply', async () => {
  const handset = '9779841000003'
  const sister = await makeClient(service, { workspaceId: one.workspaceId })
  await one.send({ to: `+${handset}`, senderId: 'Shop' })
  await service.advance(1)
  const last = await sister.send({ to: `+${handset}`, senderId: 'Shop' })
  await service.advance(1)
  await one.send({ to: `+${handset}`, senderId: 'News' })
  await service.advance(1)
  await reply('To you', { from: handset })
  const [kept] = await stored()
  assert.deepEqual([kept?.client_id, kept?.in_reply_to], [sister.id, last.body.messageId])
})

test('D18, D34: a reply matches the sender on the wire, not the recorded one', async () => {
  const handset = '9779841000004'
  const word = await one.send({ to: `+${handset}`, senderId: 'Café Himalaya €' })
  const number = await one.send({ to: `+${handset}`, senderId: '+9779801234567' })
  await service.advance(1)
  const answeredBy = async (to: string) => {
    await reply(`To ${to}`, { from: handset, to })
    return (await stored())[0]?.in_reply_to
  }
  assert.equal(await answeredBy('CAFE HIMALA'), word.body.messageId)
  assert.equal(await answeredBy('9779801234567'), number.body.messageId)
  assert.equal(await answeredBy('+9779801234567'), number.body.messageId)
  assert.equal(await answeredBy('SMS'), null)
})

test('D18: a message that no carrier accepted gets no reply', async () => {
  const handset = '9779841000005'
  smsc.plan = () => ({ status: 0x0b })
  await one.send({ to: `+${handset}`, senderId: 'Shop' })
  await service.advance(1)
  smsc.plan = () => ({})
  await reply('What?', { from: handset })
  assert.equal((await stored())[0]?.client_id, null)
})

test('D18: with more messages to a number than are checked, a reply is unassigned', async () => {
  const handset = '9779841000006'
  await one.send({ to: `+${handset}`, senderId: 'Shop' })
  await service.advance(1)
  await reply('One message', { from: handset })
  assert.equal((await stored())[0]?.client_id, one.clientId)
  await service.db.query(sql`
    insert into message (id, workspace_id, client_id, to_number, country, sender, text, type, encoding, segments, cost_e4,
      status, created_at, updated_at)
    select ('0' || substr(id::text, 2, 23) || lpad(to_hex(number), 12, '0'))::uuid, workspace_id, client_id, to_number,
      country, sender, text, type, encoding, segments, cost_e4, 'failed', created_at, updated_at
    from message cross join generate_series(1, 5000) as number where to_number = ${`+${handset}`}`)
  await reply('Thousands', { from: handset })
  assert.equal((await stored())[0]?.client_id, null)
})

test('D18: a reply after 30 days or from an unknown number is stored for operators only', async () => {
  await reply('Hello?', { from: '9779849999999' })
  assert.equal((await stored())[0]?.client_id, null)
  await service.advance(31 * 24 * 3600)
  await reply('Still there?')
  assert.equal((await stored())[0]?.client_id, null)
})

test('§6.2: joins a long reply from parts in any order, with duplicates', async () => {
  const text = 'लामो सन्देश '.repeat(12)
  const pieces = [text.slice(0, 60), text.slice(60, 120), text.slice(120)]
  const before = (await stored()).length
  for (const number of [3, 1, 1, 2]) assert.equal(await replyInPart(pieces, number), 0)
  const all = await stored()
  assert.equal(all.length, before + 1)
  assert.equal(all[0]?.text, text)
})

test('§6.2: joins a character that is split between two parts', async () => {
  const pieces = ['Thanks "all" \\ \ud83d', '\ude00 and a half: \ud83d']
  for (const number of [2, 1]) assert.equal(await replyInPart(pieces, number), 0)
  assert.equal((await stored())[0]?.text, 'Thanks "all" \\ \u{1f600} and a half: \ufffd')
})

test('stores a reply with a NUL instead of rejecting it forever', async () => {
  const short_message = Buffer.from('A\u0000B', 'utf16le').swap16()
  assert.equal(await smsc.send({ source_addr: HANDSET, destination_addr: 'Shop', data_coding: 8, short_message }), 0)
  assert.equal((await stored())[0]?.text, 'A\ufffdB')
})

test('a repeat on another link may be a redelivery: acknowledged, one event', async () => {
  const before = (await stored()).length
  assert.equal(await reply('Again'), 0)
  await service.advance(1)
  smsc.disconnect()
  await until(() => smsc.sessions.size === 0)
  await until(() => smsc.sessions.size > 0)
  assert.equal(await reply('Again'), 0)
  assert.equal((await stored()).length, before + 1)
  await service.advance(601)
  await reply('Again')
  assert.equal((await stored()).length, before + 2)
})

test('a repeat on the same link is a second reply with its own event', async () => {
  const before = (await stored()).length
  for (const _ of [1, 2, 3]) {
    await service.advance(1)
    assert.equal(await reply('1'), 0)
  }
  assert.equal((await stored()).length, before + 3)
})

test('a redelivered part of a complete reply joins no other reply with the same reference', async () => {
  const before = (await stored()).length
  const [old, young] = [
    ['old 1 ', 'old 2'],
    ['young 1 ', 'young 2'],
  ]
  assert(old && young)
  for (const number of [1, 2, 1]) assert.equal(await replyInPart(old, number), 0)
  for (const number of [2, 1]) assert.equal(await replyInPart(young, number), 0)
  const all = await stored()
  assert.equal(all.length, before + 2)
  assert.deepEqual(
    all.slice(0, 2).map((it) => it.text),
    ['young 1 young 2', 'old 1 old 2'],
  )
})

test('a part of an incomplete reply does not override a newer part with the same reference', async () => {
  const before = (await stored()).length
  const [lost, young] = [
    ['lost 1 ', 'lost 2 ', 'lost 3'],
    ['new 1 ', 'new 2 ', 'new 3'],
  ]
  assert(lost && young)
  for (const number of [1, 2]) assert.equal(await replyInPart(lost, number), 0)
  await service.advance(60)
  for (const number of [1, 3, 2]) assert.equal(await replyInPart(young, number), 0)
  const all = await stored()
  assert.equal(all.length, before + 1)
  assert.equal(all[0]?.text, 'new 1 new 2 new 3')
})

test('a part older than ten minutes joins no reply unless it is redelivered', async () => {
  const before = (await stored()).length
  const pieces = ['hours ago ', 'and now']
  assert.equal(await replyInPart(pieces, 1), 0)
  await service.advance(601)
  assert.equal(await replyInPart(pieces, 2), 0)
  assert.equal((await stored()).length, before)
  assert.equal(await replyInPart(pieces, 1), 0)
  const all = await stored()
  assert.equal(all.length, before + 1)
  assert.equal(all[0]?.text, 'hours ago and now')
})

test('stores a reply with an unknown coding as hex and logs it without its content', async () => {
  const short_message = Buffer.from('cafe01', 'hex')
  const binary = { source_addr: HANDSET, destination_addr: 'Shop', data_coding: 4, short_message }
  assert.equal(await smsc.send(binary), 0)
  assert.equal((await stored())[0]?.text, '(data coding 4: cafe01)')
  const [line, ...more] = service.logged.filter((it) => it.includes('unknown data coding'))
  assert.deepEqual(more, [])
  const { carrier, dataCoding, bytes } = JSON.parse(line ?? '')
  assert.deepEqual([carrier, dataCoding, bytes], [`Carrier ${smsc.port}`, 4, 3])
  assert.doesNotMatch(line ?? '', /cafe/)
})

test('a repeat during recording is a redelivery', async () => {
  const timed = await ownService({ env: { HULAKI_ROLES: 'api,delivery' }, clock: new SystemClock() })
  const carrier = await startSmsc({ plan: () => ({}) })
  await addRoute(timed, await addCarrier(timed, carrier.port))
  await until(() => carrier.sessions.size > 0)
  const short_message = encodeText('1', 'gsm') ?? Buffer.alloc(0)
  const say = () => carrier.send({ source_addr: HANDSET, destination_addr: 'Shop', short_message })
  assert.equal(await say(), 0)
  const again = await inLongTransaction(timed, async (tx) => {
    await tx.query(sql`lock table inbound_message in exclusive mode`)
    const second = say()
    await until(async () => (await tx.query(sql`select 1 from pg_locks where not granted`)).length > 0)
    return [second, say()]
  })
  assert.deepEqual(await Promise.all(again), [0, 0])
  assert.equal((await timed.db.query(sql`select 1 from inbound_message`)).length, 2)
})

test('§6.2: a national number belongs to the country of the carrier', async () => {
  const sent = await one.send({ to: '+9779841000077', senderId: 'Shop' })
  await service.settle()
  await smsc.send({
    source_addr: '9841000077',
    source_addr_ton: 2,
    destination_addr: 'Shop',
    short_message: encodeText('At home', 'gsm') ?? Buffer.alloc(0),
  })
  const [kept] = await stored()
  assert.deepEqual([kept?.from_number, kept?.in_reply_to], ['+9779841000077', sent.body.messageId])
})

test('§6.2: a number of unknown type is national first, then E.164, also for a standby carrier', async () => {
  const second = await startSmsc({ plan: () => ({}) })
  await addRoute(service, await addCarrier(service, second.port), { priority: 900 })
  await until(() => second.sessions.size > 0)
  await service.settle()
  const sent = await one.send({ to: '+9779841000078', senderId: 'Shop' })
  await service.settle()
  const from = async (source_addr: string, source_addr_ton: number, by = smsc) => {
    const short_message = encodeText(`From ${source_addr}`, 'gsm') ?? Buffer.alloc(0)
    assert.equal(await by.send({ source_addr, source_addr_ton, destination_addr: 'Shop', short_message }), 0)
    return (await stored())[0]
  }
  for (const address of ['9841000078', '09841000078', '9779841000078', '+9779841000078', '009779841000078']) {
    const kept = await from(address, 0)
    assert.deepEqual([kept?.from_number, kept?.in_reply_to], ['+9779841000078', sent.body.messageId], address)
  }
  assert.equal((await from('919841000078', 0))?.from_number, '+919841000078')
  assert.equal((await from('9841000078', 1))?.from_number, '+9841000078')
  for (const ton of [0, 2]) assert.equal((await from('9841000078', ton, second))?.from_number, '+9779841000078')
})
