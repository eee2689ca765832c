// Replies in the lists of operator and owners (D18).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeText } from '../../../src/smpp/alphabets.ts'
import { makeOwner } from '../../harness/client.ts'
import { makePerson } from '../../harness/people.ts'
import { assertRefused } from '../../harness/refused.ts'
import { addCarrier, addRoute, makeSender } from '../../harness/sending.ts'
import { type Answer, ownService } from '../../harness/service.ts'
import { startSmsc } from '../../harness/smsc.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
const { manage } = service
const smsc = await startSmsc()
const [shop, bank] = [await makeSender(service), await makeSender(service)]
const carrierId = await addCarrier(service, smsc.port)
await addRoute(service, carrierId)
const { token } = await makeOwner(service, shop.workspaceId)

const reply = (text: string, from: string) =>
  smsc.send({ source_addr: from, destination_addr: 'Brand', short_message: encodeText(text, 'gsm') ?? Buffer.alloc(0) })
const sent = await shop.send({ to: '+9779841000001' })
await bank.send({ to: '+9779841000002' })
await service.settle()
for (const [text, from] of [
  ['To the shop', '9779841000001'],
  ['To the bank', '9779841000002'],
  ['To nobody', '9779841000003'],
  ['To the shop again', '9779841000001'],
] as const) {
  await service.advance(1)
  assert.equal(await reply(text, from), 0)
}

const textsOf = ({ status, body }: Answer) => {
  assert.equal(status, 200, JSON.stringify(body))
  return body.items.map((it: { text: string }) => it.text)
}

test('lists all replies for the operator, newest first, by workspace, by client, and without a client', async () => {
  const list = async (query: string) => textsOf(await manage('GET', `/inbound${query}`))
  assert.deepEqual(await list(''), ['To the shop again', 'To nobody', 'To the bank', 'To the shop'])
  assert.deepEqual(await list('?unattributed=true'), ['To nobody'])
  assert.equal((await list('?unattributed=false')).length, 4)
  assert.deepEqual(await list(`?workspace=${bank.workspaceId}`), ['To the bank'])
  assert.deepEqual(await list(`?client=${shop.clientId}`), ['To the shop again', 'To the shop'])
  const { body } = await manage('GET', '/inbound?unattributed=true')
  const { id, receivedAt, ...nobodys } = body.items[0]
  assert.match(`${id} ${receivedAt}`, /^[0-9a-f-]{36} 2026-11-16T04:00:\d\d\.\d{3}Z$/)
  assert.deepEqual(nobodys, {
    carrierId,
    workspaceId: null,
    clientId: null,
    from: '+9779841000003',
    to: 'Brand',
    text: 'To nobody',
    inReplyTo: null,
  })
})

test('returns pages without a gap', async () => {
  const first = await manage('GET', '/inbound?limit=3')
  const rest = await manage('GET', `/inbound?limit=3&cursor=${first.body.next}`)
  assert.deepEqual([textsOf(first).length, textsOf(rest), rest.body.next], [3, ['To the shop'], null])
})

test('lists the replies of its workspace for an owner, with the answered message and without carriers', async () => {
  const path = `/workspaces/${shop.workspaceId}/inbound`
  const { body } = await manage('GET', path, undefined, token)
  assert.deepEqual(textsOf({ status: 200, body } as Answer), ['To the shop again', 'To the shop'])
  assert.equal(body.items[0].inReplyTo, sent.body.messageId)
  assert.ok(!JSON.stringify(body).includes(carrierId))
  const ofAnother = await manage('GET', `${path}?client=${bank.clientId}`, undefined, token)
  assert.deepEqual(textsOf(ofAnother), [])
})

test('filters replies of a workspace by number, last digits and time; a search by number is audited (D68)', async () => {
  const path = `/workspaces/${shop.workspaceId}/inbound`
  const list = async (query: string, as = token) => textsOf(await manage('GET', `${path}?${query}`, undefined, as))
  const both = ['To the shop again', 'To the shop']
  assert.deepEqual(await list('from=9841000001'), both)
  assert.deepEqual(await list('from=%2B9779841000001'), both)
  assert.deepEqual(await list(`from=9841000001&client=${shop.clientId}`), both)
  assert.deepEqual(await list('from=0001'), both)
  assert.deepEqual(await list('from=9841000002'), [])
  assert.deepEqual(await list('from=somebody'), [])
  const { body } = await manage('GET', path, undefined, token)
  const [last, first] = body.items.map((it: { receivedAt: string }) => it.receivedAt)
  assert.deepEqual(await list(`from-date=${last}`), ['To the shop again'])
  assert.deepEqual(await list(`to-date=${last}`), ['To the shop'])
  assert.deepEqual(await list(`from-date=${first}`), both)
  assert.deepEqual(await list('from-date=2026-11-16&to-date=2026-11-16'), both)
  assertRefused(await manage('GET', `${path}?from-date=2026-11-17&to-date=2026-11-16`), 400, 'invalid_request', [
    'to-date',
  ])
  assert.equal(textsOf(await manage('GET', '/inbound?from-date=2026-11-17')).length, 0)

  const viewer = await makePerson(service, { workspaceId: shop.workspaceId, role: 'viewer' })
  const seen = await viewer.browser.ask('GET', `${path}?from=0001`)
  assert.deepEqual(textsOf(seen), ['(hidden)', '(hidden)'])
  assert.equal(seen.body.items[0].from, '+97798••••001')
  assert.deepEqual(textsOf(await viewer.browser.ask('GET', `${path}?from=00001`)), [])
  assertRefused(await viewer.browser.ask('GET', `${path}?from=9841000001`), 400, 'invalid_request', ['from'])
  const developer = await makePerson(service, { workspaceId: shop.workspaceId, role: 'developer' })
  assert.equal(textsOf(await developer.browser.ask('GET', `${path}?from=9841000001`)).length, 2)
  const { items } = (await manage('GET', `/workspaces/${shop.workspaceId}/audit-log?limit=1`)).body
  assert.deepEqual([items[0].action, items[0].details], ['message.searched', { number: '+97798••••001' }])
})

test('rejects an invalid filter with 400 and its name', async () => {
  assertRefused(await manage('GET', '/inbound?unattributed=maybe'), 400, 'invalid_request', ['unattributed'])
  assertRefused(await manage('GET', '/inbound?client=me'), 400, 'invalid_request', ['client'])
})

test('answers an owner with 404 for the list of all replies', async () => {
  assertRefused(await manage('GET', '/inbound', undefined, token), 404, 'not_found')
})

const attribute = (id: string, clientId: string, as?: string) =>
  manage('POST', `/inbound/${id}/attribute`, { clientId }, as)
const nobodys = async () => (await manage('GET', '/inbound?unattributed=true')).body.items
const eventsFor = async (clientId: string) => {
  const rows = await service.db.query<{ body: Buffer }>({
    text: `select body from webhook_event where client_id = $1 and name = 'message.inbound' order by delivery_id`,
    values: [clientId],
    name: undefined,
  })
  return rows.map(({ body }) => JSON.parse(body.toString()))
}

test('attributes a reply by the operator: one webhook, and visible to the owner (D18)', async () => {
  const before = await eventsFor(shop.clientId)
  const [given] = await nobodys()
  const { status, body } = await attribute(given.id, shop.clientId)
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(body, { ...given, workspaceId: shop.workspaceId, clientId: shop.clientId })
  assert.deepEqual(await nobodys(), [])
  const events = (await eventsFor(shop.clientId)).slice(before.length)
  const { id, from, text, receivedAt: at } = given
  assert.deepEqual(events, [{ type: 'message.inbound', id, from, text, at }])
  const owned = await manage('GET', `/workspaces/${shop.workspaceId}/inbound`, undefined, token)
  assert(textsOf(owned).includes(text))
  const { items } = (await manage('GET', `/workspaces/${shop.workspaceId}/audit-log?limit=1`)).body
  const { actor, action, subject, details } = items[0]
  assert.deepEqual([actor, action, subject], ['operator', 'reply.attributed', id])
  assert.deepEqual(details, { clientId: shop.clientId })
})

test('rejects a second attribution with 409, also after an automatic one (D18)', async () => {
  const before = [await eventsFor(shop.clientId), await eventsFor(bank.clientId)]
  for (const reply of (await manage('GET', '/inbound')).body.items) {
    for (const { clientId } of [shop, bank]) assertRefused(await attribute(reply.id, clientId), 409, 'conflict')
  }
  assert.deepEqual([await eventsFor(shop.clientId), await eventsFor(bank.clientId)], before)
})

test('attributes a reply once for concurrent attributions (D18)', async () => {
  await service.advance(1)
  assert.equal(await reply('Whose is it?', '9779841000009'), 0)
  const [given] = await nobodys()
  const answers = await Promise.all([shop, bank, shop, bank].map(({ clientId }) => attribute(given.id, clientId)))
  assert.deepEqual(answers.map((it) => it.status).sort(), [200, 409, 409, 409])
  const events = [...(await eventsFor(shop.clientId)), ...(await eventsFor(bank.clientId))]
  assert.equal(events.filter((it) => it.id === given.id).length, 1)
})

test('rejects missing replies and clients with 404 and 400, and owners with 404', async () => {
  await service.advance(1)
  assert.equal(await reply('Still nobody’s', '9779841000003'), 0)
  const [given] = await nobodys()
  const unknown = '00000000-0000-7000-8000-000000000000'
  assertRefused(await attribute(unknown, shop.clientId), 404, 'not_found')
  assertRefused(await attribute(given.id, unknown), 400, 'invalid_request', ['clientId'])
  assertRefused(await attribute(given.id, 'me'), 400, 'invalid_request', ['clientId'])
  assertRefused(await attribute(given.id, shop.clientId, token), 404, 'not_found')
  assert.equal((await nobodys())[0].id, given.id)
})
