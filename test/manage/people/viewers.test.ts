// D68: what a viewer sees and can search by, and who can search by a whole number.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeClient } from '../../harness/client.ts'
import { makePerson } from '../../harness/people.ts'
import { assertRefused } from '../../harness/refused.ts'
import { ownService } from '../../harness/service.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api' } })
const { manage } = service
const url = 'https://hooks.example.com:8443/sms/a-secret-path?key=hush'
const client = await makeClient(service, {
  webhookUrl: url,
  restrictions: { pumpingAllowlist: ['+9779841000001', '+97798'] },
})
const { workspaceId } = client
const { body: sent } = await client.send({ to: '9841004321', text: 'Hello' })
const viewer = await makePerson(service, { workspaceId, role: 'viewer' })
const developer = await makePerson(service, { workspaceId, role: 'developer' })
const viewerToken = (await manage('POST', `/workspaces/${workspaceId}/owner-tokens`, { name: 'Board', role: 'viewer' }))
  .body.token

type Ask = (path: string) => ReturnType<typeof manage>
const asViewer: Ask = (path) => viewer.browser.ask('GET', path)
const asViewerToken: Ask = (path) => manage('GET', path, undefined, viewerToken)
const asDeveloper: Ask = (path) => developer.browser.ask('GET', path)

const searches = async () => {
  const { items } = (await manage('GET', `/workspaces/${workspaceId}/audit-log?action=message.searched`)).body
  return items
}

test('lets a viewer search by the last four digits or the message id, not by a number', async () => {
  const messages = `/workspaces/${workspaceId}/messages`
  for (const ask of [asViewer, asViewerToken]) {
    for (const search of ['321', '4321', sent.messageId]) {
      const { items } = (await ask(`${messages}?search=${search}`)).body
      assert.deepEqual(
        items.map((it: { to: string }) => it.to),
        ['+97798••••321'],
        search,
      )
    }
    assert.deepEqual((await ask(`${messages}?search=04321`)).body.items, [])
    for (const path of [messages, `${messages}.csv`]) {
      assertRefused(await ask(`${path}?search=9841004321`), 400, 'invalid_request', ['search'])
      assertRefused(await ask(`${path}?to=9841004321`), 400, 'invalid_request', ['to'])
    }
  }
  assert.deepEqual(await searches(), [])
})

test('audits a search by a whole number of a person who may reveal numbers', async () => {
  const messages = `/workspaces/${workspaceId}/messages`
  for (const path of [`${messages}?search=9841004321`, `${messages}?to=9841004321`]) {
    const { items } = (await asDeveloper(path)).body
    assert.deepEqual(
      items.map((it: { id: string }) => it.id),
      [sent.messageId],
    )
  }
  assert.equal((await asDeveloper(`${messages}.csv?search=9841004321`)).status, 200)
  const kept = await searches()
  assert.equal(kept.length, 3)
  assert.deepEqual([kept[0].actor, kept[0].details], [`developer:${developer.id}`, { number: '+97798••••321' }])
  // Programs see whole numbers.
  assert.equal((await manage('GET', `${messages}?search=9841004321`)).body.items.length, 1)
  await asDeveloper(`${messages}?search=4321`)
  assert.equal((await searches()).length, 3)
})

test('shows a viewer scheme and host of a webhook URL, and no whole number in an allow list', async () => {
  for (const ask of [asViewer, asViewerToken]) {
    const [listed] = (await ask(`/workspaces/${workspaceId}/clients`)).body.items
    const read = (await ask(`/clients/${client.id}`)).body
    assert.deepEqual(read, listed)
    assert.equal(read.webhookUrl, 'https://hooks.example.com:8443')
    assert.deepEqual(read.restrictions.pumpingAllowlist, ['+97798••••001', '+97798'])
  }
  const { webhookUrl, restrictions } = (await asDeveloper(`/clients/${client.id}`)).body
  assert.deepEqual([webhookUrl, restrictions.pumpingAllowlist], [url, ['+9779841000001', '+97798']])
})
