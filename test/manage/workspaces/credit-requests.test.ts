// Credit requests: who may request, withdraw and decline, what grants a request, and the mails about it (D86).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeWorkspace } from '../../harness/client.ts'
import { startMailServer } from '../../harness/mail-server.ts'
import { makePerson } from '../../harness/people.ts'
import { assertRefused } from '../../harness/refused.ts'
import { ownService } from '../../harness/service.ts'

const mail = await startMailServer()
const MAIL_ENV = {
  HULAKI_SMTP_URL: mail.url,
  HULAKI_MAIL_FROM: 'Hulaki <hulaki@example.com>',
  HULAKI_PUBLIC_URL: 'https://sms.example.com',
}
// People are invited here, because a service with SMTP mails invitations instead of showing them.
const plain = await ownService({ env: { HULAKI_ROLES: 'api' } })
const service = await ownService({ beside: plain, env: { HULAKI_ROLES: 'api,upkeep', ...MAIL_ENV } })
const { manage } = service
const operator = await makePerson(plain)

async function startWorkspace(name = 'Himal & Co') {
  const workspaceId = await makeWorkspace(service, { name, monthlyCredit: 10 })
  const owner = await makePerson(plain, { workspaceId, role: 'owner' })
  const viewer = await makePerson(plain, { workspaceId, role: 'viewer' })
  const at = `/workspaces/${workspaceId}/credit-request`
  const read = async () => (await manage('GET', `/workspaces/${workspaceId}`)).body.creditRequest
  const subjectsTo = (email: string) =>
    mail.received.filter(({ to }) => to.includes(email)).map(({ text }) => /^Subject: (.*)$/m.exec(text)?.[1] ?? '')
  const request = (amount: number, note?: string) => owner.browser.ask('PUT', at, { amount, note })
  return { workspaceId, at, owner, viewer, read, request, subjectsTo, wait: () => service.advance(60) }
}

test('an owner requests credit, and any top-up of the operator grants it', async () => {
  const { workspaceId, request, read } = await startWorkspace()
  assert.equal(await read(), null)
  const requestedAt = service.clock.now().toISOString()
  const { status, body } = await request(5000, 'Festival campaign')
  assert.equal(status, 200)
  const open = { amount: 5000, note: 'Festival campaign', status: 'open', requestedAt, decidedAt: null, reason: null }
  assert.deepEqual([body.creditRequest, body.balance], [open, 10])
  const now = (await manage('GET', '/now')).body
  const incident = now.incidents.find((it: { code: string }) => it.code === 'credit_requested')
  assert.deepEqual(incident?.next, [{ kind: 'top_up', workspaceId, requested: { amount: 5000, currency: 'NPR' } }])
  assert.equal(
    incident.what,
    `Workspace Himal & Co requests credit. Next: add credit (hulaki credit add ${workspaceId} 5000).`,
  )
  await manage('POST', `/workspaces/${workspaceId}/credits`, { amount: 3000 })
  assert.deepEqual(await read(), { ...open, status: 'granted', decidedAt: service.clock.now().toISOString() })
  const { items } = (await manage('GET', `/workspaces/${workspaceId}/audit-log?action=workspace.credit_requested`)).body
  assert.deepEqual(items[0].details, { amount: 5000, note: 'Festival campaign' })
})

test('an owner withdraws a request, the operator declines one, and a new one replaces it', async () => {
  const { at, owner, request, read } = await startWorkspace()
  assertRefused(await owner.browser.ask('DELETE', at), 409, 'conflict')
  await request(100)
  assert.equal((await owner.browser.ask('DELETE', at)).body.creditRequest.status, 'withdrawn')
  assertRefused(await manage('POST', `${at}/decline`, {}), 409, 'conflict')
  await request(200)
  const declined = await manage('POST', `${at}/decline`, { reason: 'Invoice 17 is unpaid' })
  const { status, amount, reason } = declined.body.creditRequest
  assert.deepEqual([status, amount, reason], ['declined', 200, 'Invoice 17 is unpaid'])
  assertRefused(await owner.browser.ask('DELETE', at), 409, 'conflict')
  await request(300)
  const replaced = await read()
  assert.deepEqual([replaced.status, replaced.amount, replaced.reason], ['open', 300, null])
})

test('only owners and operators request, only operators decline, and only a positive amount is accepted', async () => {
  const { at, owner, viewer } = await startWorkspace()
  const other = await startWorkspace()
  assertRefused(await viewer.browser.ask('PUT', at, { amount: 5 }), 404, 'not_found')
  assertRefused(await other.owner.browser.ask('PUT', at, { amount: 5 }), 404, 'not_found')
  await owner.browser.ask('PUT', at, { amount: 5 })
  assertRefused(await owner.browser.ask('POST', `${at}/decline`, {}), 404, 'not_found')
  assertRefused(await other.owner.browser.ask('DELETE', at), 404, 'not_found')
  for (const amount of [0, -1, '5', 0.00001, null])
    assertRefused(await owner.browser.ask('PUT', at, { amount }), 400, 'invalid_request')
  assertRefused(await owner.browser.ask('PUT', at, { amount: 5, note: 'x'.repeat(501) }), 400, 'invalid_request')
})

test('operators get one mail per hour about requests, owners one about the decision', async () => {
  const { at, workspaceId, owner, viewer, request, subjectsTo, wait } = await startWorkspace('Sagarmatha')
  const toOperator = () => subjectsTo(operator.email).filter((it) => it.startsWith('Sagarmatha'))
  await request(5000, 'Festival campaign')
  await wait()
  const subject = 'Sagarmatha requests credit: NPR 5,000.00'
  assert.deepEqual(toOperator(), [subject])
  const text = mail.received.at(-1)?.text.replaceAll('=\n', '') ?? ''
  assert.ok(text.includes('Note: Festival campaign'), text)
  assert.ok(text.includes(`https://sms.example.com/console/workspaces/${workspaceId}`), text)
  await request(6000)
  await wait()
  assert.deepEqual(toOperator(), [subject], 'the next mail waits for an hour')
  await service.advance(3600)
  assert.deepEqual(toOperator(), [subject, 'Sagarmatha requests credit: NPR 6,000.00'])
  await manage('POST', `${at}/decline`, { reason: 'Invoice 17 is unpaid' })
  await wait()
  await wait()
  assert.deepEqual(subjectsTo(owner.email), ['Credit request of Sagarmatha declined'])
  assert.ok(mail.received.at(-1)?.text.includes('Reason: Invoice 17 is unpaid'))
  await request(7000)
  await manage('POST', `/workspaces/${workspaceId}/credits`, { amount: 7000 })
  await wait()
  assert.deepEqual(subjectsTo(owner.email).slice(1), ['Credit added to Sagarmatha'])
  assert.equal(toOperator().length, 2, 'a granted request needs no mail to operators')
  assert.deepEqual(subjectsTo(viewer.email), [])
})

test('a mail that cannot be sent is sent later', async () => {
  await service.advance(60)
  const { request, subjectsTo, wait } = await startWorkspace()
  const before = subjectsTo(operator.email).length
  mail.refuse.all = true
  await request(100)
  await wait()
  mail.refuse.all = false
  assert.equal(subjectsTo(operator.email).length, before)
  await service.advance(300)
  assert.equal(subjectsTo(operator.email).length, before + 1)
})
