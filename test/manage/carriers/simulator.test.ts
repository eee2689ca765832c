// The test phone: all handset messages for the operator, and its own messages for a workspace.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { makeClient, makeOwner, makeWorkspace } from '../../harness/client.ts'
import { assertRefused } from '../../harness/refused.ts'
import { ownService } from '../../harness/service.ts'

test('returns an empty list before the first message', async () => {
  const { manage } = await ownService({ env: { HULAKI_ROLES: 'api,simulator' } })
  const { status, body } = await manage('GET', '/simulator/messages')
  assert.deepEqual([status, body], [200, { items: [], replies: [] }])
})

test('answers an owner with 404 for the messages of all workspaces', async () => {
  const service = await ownService({ env: { HULAKI_ROLES: 'api,simulator' } })
  const { token } = await makeOwner(service, await makeWorkspace(service))
  assertRefused(await service.manage('GET', '/simulator/messages', undefined, token), 404, 'not_found')
})

test('answers 404 if no simulator runs', async () => {
  const { manage } = await ownService({ env: { HULAKI_ROLES: 'api' } })
  assertRefused(await manage('GET', '/simulator/messages'), 404, 'not_found')
})

const all = { HULAKI_ROLES: 'api,delivery,simulator' }

test('filters messages by the number of a handset', async () => {
  const service = await ownService({ env: all })
  const client = await makeClient(service)
  await client.send({ to: '+9779800000001', text: 'One' })
  await client.send({ to: '+9779800000002', text: 'Never there' })
  await client.send({ to: '+9779800000005', text: 'Five' })
  await service.advance(10)
  const texts = async (query: string) =>
    (await service.manage('GET', `/simulator/messages${query}`)).body.items.map((it: { text: string }) => it.text)
  assert.deepEqual(await texts(''), ['Five', 'One'])
  assert.deepEqual(await texts('?number=9800000001'), ['One'])
  assert.deepEqual(await texts('?number=%2B9779800000005'), ['Five'])
})

test('delivers a handset reply over SMPP: attributed, sent as a webhook, and shown on the phone (D18)', async () => {
  const service = await ownService({ env: all })
  const client = await makeClient(service)
  const to = '+9779800000001'
  await client.send({ to, senderId: 'Himal', text: 'Are you there?' })
  await service.advance(1)
  const long = `नमस्ते ${'ठीक छ '.repeat(20)}`.trim()
  for (const text of ['YES', long]) {
    const written = await service.manage('POST', '/simulator/messages', { from: to, to: 'Himal', text })
    assert.deepEqual([written.status, written.body], [202, { taken: true }])
  }
  const { items } = (await service.manage('GET', `/workspaces/${client.workspaceId}/inbound`)).body
  assert.deepEqual(
    items.map((it: Record<string, unknown>) => [it.from, it.to, it.text, it.clientId]),
    [
      [to, 'Himal', long, client.id],
      [to, 'Himal', 'YES', client.id],
    ],
  )
  const { replies } = (await service.manage('GET', '/simulator/messages')).body
  assert.deepEqual(
    replies.map((it: { text: string }) => it.text),
    [long, 'YES'],
  )
  for (const [field, value] of Object.entries({ from: '980', to: '', text: 'x'.repeat(1000) })) {
    const wrong = { from: to, to: 'Himal', text: 'YES', [field]: value }
    assertRefused(await service.manage('POST', '/simulator/messages', wrong), 400, 'invalid_request', [field])
  }
})

test('keeps a reply until a connection can receive it', async () => {
  const { manage } = await ownService({ env: { HULAKI_ROLES: 'api,simulator' } })
  const written = await manage('POST', '/simulator/messages', { from: '+9779800000001', to: 'Himal', text: 'YES' })
  assert.deepEqual([written.status, written.body], [202, { taken: false }])
})

test('shows an owner only the handset messages of the own workspace, with OTPs', async () => {
  const service = await ownService({ env: all })
  const [own, other] = [await makeClient(service), await makeClient(service)]
  const { token } = await makeOwner(service, own.workspaceId)
  const to = '+9779800000001'
  await own.otp({ to })
  await other.otp({ to })
  await other.send({ to, senderId: 'Other', text: 'Not yours' })
  await own.send({ to, senderId: 'Himal', text: 'x'.repeat(400) })
  await service.advance(1)
  const path = `/workspaces/${own.workspaceId}/simulator/messages`
  const { body } = await service.manage('GET', path, undefined, token)
  const texts = body.items.map((it: { text: string }) => it.text)
  assert.equal(texts.length, 2)
  assert.equal(texts[0], 'x'.repeat(400))
  assert.match(texts[1], /\d{6}/)
  assert.equal((await service.manage('GET', '/simulator/messages')).body.items.length, 4)

  // D18: only from handsets that received its messages.
  const answer = { from: to, to: 'Himal', text: 'YES' }
  assert.equal((await service.manage('POST', path, answer, token)).status, 202)
  assertRefused(await service.manage('POST', path, { ...answer, to: 'Other' }, token), 400, 'invalid_request', ['to'])
  const elsewhere = await service.manage('POST', path, { ...answer, from: '+9779800000005' }, token)
  assertRefused(elsewhere, 400, 'invalid_request', ['to'])
  const { replies } = (await service.manage('GET', path, undefined, token)).body
  assert.deepEqual(
    replies.map((it: { text: string }) => it.text),
    ['YES'],
  )
  assertRefused(
    await service.manage('GET', `/workspaces/${other.workspaceId}/simulator/messages`, undefined, token),
    404,
    'not_found',
  )
})

test('docs/reference/simulator.md has the table of outcomes word for word', async () => {
  const { manage } = await ownService({ env: { HULAKI_ROLES: 'api,simulator' } })
  const { items } = (await manage('GET', '/simulator/outcomes')).body
  const rows = readFileSync('docs/reference/simulator.md', 'utf8')
    .split('\n')
    .filter((row) => /^\| `\d\d`/.test(row))
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
  const outcomes = items.map((it: Record<string, unknown>) => [
    it.digits === '01' ? '`01` and all others' : `\`${it.digits}\``,
    it.does,
    `\`${it.status}\``,
    it.error === '' ? '' : `\`${it.error}\``,
    it.isRefunded ? 'yes' : 'no',
  ])
  assert.deepEqual(rows, outcomes)
  assert.equal(outcomes.length, 14)
})
