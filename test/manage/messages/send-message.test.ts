// Messages sent without an API key: same path, price and errors as `POST /sms/send`, and their preview.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { approveTemplate, makeClient, makeOwner, makeWorkspace } from '../../harness/client.ts'
import { assertRefused } from '../../harness/refused.ts'
import { call, ownService } from '../../harness/service.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,upkeep,simulator' } })
const { manage, url } = service
const to = '9800000001'

const post = (clientId: string, body: object, { key, token }: { key?: string; token: string }) =>
  call(`${url}/api/manage/v1/clients/${clientId}/messages`, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${token}`, ...(key === undefined ? {} : { 'idempotency-key': key }) },
  })
const balanceOf = async (workspaceId: string) => (await manage('GET', `/workspaces/${workspaceId}`)).body.balance

test('sends a message at the price of the API, delivers it and audits it', async () => {
  const client = await makeClient(service)
  const { token } = await makeOwner(service, client.workspaceId)
  const sent = await post(client.id, { to, text: 'Namaste' }, { token })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  const { messageId, ...rest } = sent.body
  assert.deepEqual(rest, { segments: 1, cost: 1.5, encoding: 'GSM7', from: 'Himal' })
  assert.equal(await balanceOf(client.workspaceId), 998.5)
  await service.settle()
  const { items } = (await manage('GET', '/simulator/messages')).body
  assert.deepEqual([items[0].to, items[0].text], ['+9779800000001', 'Namaste'])
  assert.equal((await client.get(`/sms/messages/${messageId}`)).body.to, '+9779800000001')
  const [entry] = (await manage('GET', `/workspaces/${client.workspaceId}/audit-log`)).body.items
  assert.deepEqual([entry.action, entry.subject, entry.details], ['client.message_sent', client.id, { messageId }])
})

test('a repeated request with its Idempotency-Key sends, charges and audits once, also if both run at the same time (D25)', async () => {
  const client = await makeClient(service)
  const { token } = await makeOwner(service, client.workspaceId)
  const body = { to, text: 'Once' }
  const both = await Promise.all([
    post(client.id, body, { token, key: 'one click' }),
    post(client.id, body, { token, key: 'one click' }),
  ])
  const accepted = both.filter(({ status }) => status === 200)
  for (const answer of both) if (answer.status !== 200) assertRefused(answer, 409, 'idempotency_conflict')
  const again = await post(client.id, body, { token, key: 'one click' })
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  for (const answer of accepted) assert.deepEqual(answer.body, again.body)
  assert.equal(await balanceOf(client.workspaceId), 998.5)
  assertRefused(await post(client.id, { to, text: 'Other' }, { token, key: 'one click' }), 409, 'idempotency_conflict')
  const { items } = (await manage('GET', `/workspaces/${client.workspaceId}/audit-log`)).body
  assert.equal(items.filter((it: { action: string }) => it.action === 'client.message_sent').length, 1)
  // The first answer can still be read while the workspace is suspended (D6).
  await manage('PATCH', `/workspaces/${client.workspaceId}`, { status: 'suspended' })
  assert.deepEqual((await post(client.id, body, { token, key: 'one click' })).body, again.body)
  assertRefused(await post(client.id, body, { token }), 403, 'workspace_suspended')
})

test('only operators, owners and developers send and preview, only in their workspace', async () => {
  const client = await makeClient(service)
  const other = await makeOwner(service, await makeWorkspace(service))
  const tokenOf = async (role: string) =>
    (await manage('POST', `/workspaces/${client.workspaceId}/owner-tokens`, { name: role, role })).body.token
  const [viewer, developer] = [await tokenOf('viewer'), await tokenOf('developer')]
  for (const token of [viewer, other.token]) {
    assertRefused(await post(client.id, { to, text: 'No' }, { token }), 404, 'not_found')
    assertRefused(await manage('POST', `/clients/${client.id}/messages/preview`, { to }, token), 404, 'not_found')
  }
  assert.equal(await balanceOf(client.workspaceId), 1000)
  assert.equal((await post(client.id, { to, text: 'Yes' }, { token: developer })).status, 200)
})

test('refuses like the v1 API with the same codes', async () => {
  const workspaceId = await makeWorkspace(service, { templatesRequired: true, monthlyCredit: 2 })
  const client = await makeClient(service, { workspaceId })
  const { token } = await makeOwner(service, workspaceId)
  const text = 'Your order {{number}} is on its way'
  const templateId = await approveTemplate(service, workspaceId, { text })
  const otpTemplate = await approveTemplate(service, workspaceId, { text: 'Your code: {{code}}.', type: 'otp' })
  const send = (body: object) => post(client.id, { to, ...body }, { token })
  assertRefused(await send({ text: 'Free' }), 403, 'template_required')
  assertRefused(await send({ templateId }), 400, 'invalid_variables', ['variables', 'number'])
  assertRefused(await send({ text: 'Both', templateId }), 400, 'invalid_request', ['text'])
  assertRefused(await send({ to: '+97714200000', templateId, variables: { number: '1' } }), 400, 'invalid_number')
  assertRefused(await send({ to: '12', text: 'Short' }), 400, 'invalid_request', ['to'])
  // OTPs have their own call, whatever the type is named by.
  for (const body of [
    { templateId: otpTemplate, variables: { code: '123456' } },
    { text: 'Your code: 123456.', type: 'otp' },
  ])
    assertRefused(await send(body), 403, 'type_not_allowed')
  assert.equal((await send({ templateId, variables: { number: 4711 } })).status, 200)
  const unpaid = await send({ templateId, variables: { number: 4712 } })
  assertRefused(unpaid, 402, 'insufficient_balance')
  assert.deepEqual(unpaid.body.details, { balance: 0.5, cost: 1.5 })
  await manage('POST', `/clients/${client.id}/disable`)
  assertRefused(await send({ templateId, variables: { number: '1' } }), 403, 'client_disabled')
})

test('previews number, text, segments and cost by the rules of sending, before the message is complete', async () => {
  const workspaceId = await makeWorkspace(service, { templatesRequired: true, monthlyCredit: 4 })
  const client = await makeClient(service, { workspaceId })
  const templateId = await approveTemplate(service, workspaceId, { text: 'Order {{number}} for {{name}}' })
  const preview = async (body: object) => {
    const { status, body: answer } = await manage('POST', `/clients/${client.id}/messages/preview`, body)
    assert.equal(status, 200, JSON.stringify(answer))
    return { ...answer, refusals: answer.refusals.map((it: { code: string }) => it.code) }
  }
  const empty = {
    to: null,
    type: 'transactional',
    from: 'Himal',
    text: null,
    encoding: null,
    segments: null,
    cost: null,
  }
  assert.deepEqual(await preview({}), { ...empty, balance: 4, refusals: [] })
  const number = { number: '+9779800000001', country: 'NP' }
  assert.deepEqual((await preview({ to })).to, number)
  const short = await preview({ to: '98000' })
  assert.deepEqual([short.to, short.refusals], [null, ['invalid_number']])
  const abroad = await preview({ to: '+4915123456789' })
  assert.deepEqual([abroad.to.country, abroad.refusals], ['DE', ['destination_not_supported']])
  const incomplete = await preview({ to, templateId, variables: { number: '7' } })
  assert.deepEqual([incomplete.text, incomplete.refusals], [null, ['invalid_variables']])
  const complete = await preview({ to, templateId, variables: { number: '7', name: 'सीता' } })
  assert.deepEqual(complete, {
    to: number,
    type: 'transactional',
    from: 'Himal',
    text: 'Order 7 for सीता',
    encoding: 'UCS2',
    segments: 1,
    cost: 1.5,
    balance: 4,
    refusals: [],
  })
  const free = await preview({ to, text: 'x'.repeat(400) })
  assert.deepEqual(
    [free.segments, free.cost, free.refusals],
    [3, 4.5, ['template_required', 'insufficient_balance']],
    'a refused text still has its length and price',
  )
  assert.equal(await balanceOf(workspaceId), 4)
})
