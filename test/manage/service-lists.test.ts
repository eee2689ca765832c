// Lists over all workspaces, for the operator only: messages, webhook deliveries and webhook endpoints.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeClient, makeOwner, makeWorkspace } from '../harness/client.ts'
import { makePerson } from '../harness/people.ts'
import { assertRefused } from '../harness/refused.ts'
import { ownService } from '../harness/service.ts'
import { ABSENT } from './fixtures.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api' } })
const { manage } = service
const himal = await makeWorkspace(service, { name: 'Himal', currency: 'NPR' })
const terai = await makeWorkspace(service, { name: 'Terai', currency: 'INR' })
const webhookUrl = 'https://hooks.example.com/'
const ours = await makeClient(service, { workspaceId: himal, name: 'Shop', webhookUrl })
const theirs = await makeClient(service, { workspaceId: terai, name: 'Bank', webhookUrl })
const sent: string[] = []
for (const client of [ours, theirs, ours, theirs, theirs]) {
  sent.unshift((await client.send({ to: '9841000001' })).body.messageId)
}
for (const client of [ours, theirs]) await manage('POST', `/clients/${client.id}/test-event`)

async function list(path: string) {
  const { status, body } = await manage('GET', path)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

test('lists the messages of all workspaces, newest first, with the name and the currency of the workspace', async () => {
  const { items, next } = await list('/messages')
  assert.deepEqual([items.map((it: { id: string }) => it.id), next], [sent, null])
  assert.deepEqual([items[0].workspaceId, items[0].workspaceName, items[0].currency], [terai, 'Terai', 'INR'])
  assert.deepEqual([items[4].workspaceId, items[4].workspaceName, items[4].currency], [himal, 'Himal', 'NPR'])
})

test('continues at the cursor without a missing or repeated message', async () => {
  const found: string[] = []
  for (let cursor = ''; ; ) {
    const { items, next } = await list(`/messages?limit=2${cursor}`)
    found.push(...items.map((it: { id: string }) => it.id))
    if (next === null) break
    cursor = `&cursor=${next}`
  }
  assert.deepEqual(found, sent)
})

test('filters messages by workspace, and by the filters of the list of a workspace', async () => {
  const lengthOf = async (query: string) => (await list(`/messages?${query}`)).items.length
  assert.deepEqual(
    (await list(`/messages?workspace=${himal}`)).items.map((it: { workspaceName: string }) => it.workspaceName),
    ['Himal', 'Himal'],
  )
  assert.equal(await lengthOf(`workspace=${ABSENT}`), 0)
  assert.equal(await lengthOf(`client=${theirs.id}`), 3)
  assert.equal(await lengthOf('status=queued&type=transactional'), 5)
  assert.equal(await lengthOf('status=failed'), 0)
  assert.equal(await lengthOf('to=%2B9779841000001'), 5)
  assert.equal(await lengthOf(`to=9841000001&workspace=${himal}`), 2)
  assert.equal(await lengthOf(`search=${sent[0]}`), 1)
  assert.equal(await lengthOf('from-date=2026-11-17'), 0)
  // Digits without a plus belong to no country here.
  assertRefused(await manage('GET', '/messages?to=9841000001'), 400, 'invalid_request', ['to'])
})

test('masks numbers for a person, and records a search by number in the audit log (D68)', async () => {
  const { browser } = await makePerson(service)
  const { body } = await browser.ask('GET', '/messages?to=%2B9779841000001')
  assert.match(body.items[0].to, /••/)
  const [entry] = (await list('/audit-log')).items
  assert.deepEqual([entry.action, entry.subject, entry.workspaceId], ['message.searched', 'service', null])
})

test('lists webhook deliveries and endpoints of all workspaces, and those of one', async () => {
  for (const path of ['/webhook-deliveries', '/webhook-endpoints']) {
    const names = async (query = '') =>
      (await list(`${path}${query}`)).items.map((it: { clientName: string; workspaceName: string }) => [
        it.workspaceName,
        it.clientName,
      ])
    assert.deepEqual(await names(), [
      ['Terai', 'Bank'],
      ['Himal', 'Shop'],
    ])
    assert.deepEqual(await names(`?workspace=${himal}`), [['Himal', 'Shop']])
    assert.deepEqual(await names(`?workspace=${ABSENT}`), [])
    const first = await list(`${path}?limit=1`)
    assert.equal((await list(`${path}?limit=1&cursor=${first.next}`)).items[0].clientName, 'Shop')
  }
  assert.equal((await list(`/webhook-deliveries?client=${ours.id}&state=pending`)).items.length, 1)
  assert.equal((await list(`/webhook-deliveries?client=${ours.id}&workspace=${terai}`)).items.length, 0)
})

test('answers 404 to the owner of a workspace', async () => {
  const { token } = await makeOwner(service, himal)
  for (const path of ['/messages', `/messages?workspace=${himal}`, '/webhook-deliveries', '/webhook-endpoints'])
    assertRefused(await manage('GET', path, undefined, token), 404, 'not_found')
})
