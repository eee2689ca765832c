// The search of the console: kinds, bounds and permissions.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { approveTemplate, makeClient, makeOwner, makeWorkspace } from '../../harness/client.ts'
import { makePerson } from '../../harness/people.ts'
import { assertRefused } from '../../harness/refused.ts'
import { call, ownService } from '../../harness/service.ts'
import { until } from '../../harness/until.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,webhooks' } })
const { manage, url } = service
const himal = await makeWorkspace(service, { name: 'Himal Bank' })
const other = await makeWorkspace(service, { name: 'Other Shop' })
const client = await makeClient(service, {
  workspaceId: himal,
  name: 'Web shop',
  webhookUrl: 'https://example.com/hook',
})
const foreign = await makeClient(service, { workspaceId: other, name: 'Web store' })
const template = await approveTemplate(service, himal, { name: 'Order shipped', text: 'Order {{number}} shipped' })
const carrier = (
  await manage('POST', '/carriers', { name: 'Ncell main', host: '127.0.0.1', port: 2775, systemId: 'x', password: 'y' })
).body
const { messageId } = (await client.send({ to: '9841234567' })).body
const foreignMessage = (await foreign.send({ to: '9841234567' })).body.messageId
const refused = await client.send({ to: 'x' })
const requestId = refused.headers.get('x-request-id') ?? ''
const { token: owner } = await makeOwner(service, himal)

interface Found {
  kind: string
  id: string
  name: string
  status: string | null
  workspace: { id: string; name: string } | null
}

async function search(q: string, token?: string): Promise<Found[]> {
  const { status, body } = await manage('GET', `/search?q=${encodeURIComponent(q)}`, undefined, token)
  assert.equal(status, 200, JSON.stringify(body))
  return body.items
}
const idsOf = async (q: string, token?: string) => (await search(q, token)).map(({ kind, id }) => [kind, id])

test('operators find records of every kind in all workspaces, by name, id and number', async () => {
  assert.deepEqual(await idsOf('web'), [
    ['client', foreign.id],
    ['client', client.id],
  ])
  assert.deepEqual(await idsOf('SHIPPED'), [['template', template]])
  assert.deepEqual(await idsOf('ncell'), [['carrier', carrier.id]])
  assert.deepEqual(await search('himal b'), [
    {
      kind: 'workspace',
      id: himal,
      name: 'Himal Bank',
      status: null,
      workspace: { id: himal, name: 'Himal Bank' },
      at: null,
    },
  ])
  assert.deepEqual(await idsOf('984-123 4567'), [
    ['message', foreignMessage],
    ['message', messageId],
  ])
  for (const [kind, id] of [
    ['message', messageId],
    ['client', client.id],
    ['template', template],
    ['workspace', himal],
    ['carrier', carrier.id],
  ] as const)
    assert.deepEqual(await idsOf(id.toUpperCase()), [[kind, id]])
  const waiting = (await client.send({ to: '9841234599' })).body.messageId
  assert.equal((await manage('POST', `/messages/${waiting}/cancel`)).status, 200)
  const [delivery] = (await manage('GET', `/clients/${client.id}/webhook-deliveries`)).body.items
  assert.deepEqual(await idsOf(delivery.id), [['delivery', delivery.id]])
  assert.deepEqual(await idsOf(delivery.id, owner), [['delivery', delivery.id]])
  // The log is written after the response.
  const request = await until(async () => (await search(requestId))[0])
  assert.deepEqual(
    [request.kind, request.name, request.status],
    ['request', 'POST /api/sms/v1/sms/send', 'invalid_request'],
  )
  assert.deepEqual(await search('%'), [])
  assert.deepEqual(await search(' '), [])
  assertRefused(await manage('GET', '/search?q='), 400, 'invalid_request', ['q'])
})

test('a member finds records of the own workspace only, and no carriers', async () => {
  assert.deepEqual(await idsOf('web', owner), [['client', client.id]])
  assert.deepEqual(await idsOf('9841234567', owner), [['message', messageId]])
  for (const id of [foreignMessage, foreign.id, carrier.id, other]) assert.deepEqual(await search(id, owner), [])
  assert.deepEqual(await search('ncell', owner), [])
  assert.deepEqual(await search('other', owner), [])
  assert.deepEqual(await idsOf(requestId, owner), [['request', requestId]])
  const { token: stranger } = await makeOwner(service, other)
  assert.deepEqual(await search(requestId, stranger), [])
})

test('a viewer does not search by number, and a person finds the workspaces of all memberships', async () => {
  const token = (await manage('POST', `/workspaces/${himal}/owner-tokens`, { name: 'Viewer', role: 'viewer' })).body
    .token
  assert.deepEqual(await search('9841234567', token), [])
  assert.deepEqual(await idsOf('web', token), [['client', client.id]])
  const [delivery] = (await manage('GET', `/clients/${client.id}/webhook-deliveries`)).body.items
  assert.deepEqual(await search(delivery.id, token), [], 'a viewer does not open deliveries')
  const [message] = await search(messageId, token)
  assert.equal(message?.name, '+97798••••567')
  const { browser } = await makePerson(service, { workspaceId: himal, role: 'owner' })
  const ask = async (q: string) =>
    (
      await call(`${url}/api/manage/v1/search?q=${encodeURIComponent(q)}`, {
        method: 'GET',
        headers: { ...browser.headers, cookie: browser.cookie, 'x-workspace': himal },
      })
    ).body.items
  assert.deepEqual(
    (await ask('Himal')).map((it: Found) => [it.kind, it.name]),
    [['workspace', 'Himal Bank']],
  )
  assert.deepEqual(await ask('Other'), [])
  assert.equal((await ask('9841234567'))[0].name, '+97798••••567')
  // D68: a search by number is recorded.
  const [entry] = (await manage('GET', `/workspaces/${himal}/audit-log`)).body.items
  assert.deepEqual([entry.action, entry.details], ['message.searched', { number: '+97798••••567' }])
})

test('returns up to five records of a kind, newest first', async () => {
  const workspaceId = await makeWorkspace(service, { name: 'Many' })
  for (let number = 1; number <= 6; number++) await makeClient(service, { workspaceId, name: `Zebra ${number}` })
  assert.deepEqual(
    (await search('zebra')).map(({ name }) => name),
    ['Zebra 6', 'Zebra 5', 'Zebra 4', 'Zebra 3', 'Zebra 2'],
  )
})
