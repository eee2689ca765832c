// Mails to the owners of failing webhook endpoints: once per failure and recovery, from one process.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { notifyOwners } from '../../src/actions/webhooks/notify-owners.ts'
import { createLog } from '../../src/runtime/log.ts'
import { makeClient, makeWorkspace } from '../harness/client.ts'
import { startMailServer } from '../harness/mail-server.ts'
import { makePerson } from '../harness/people.ts'
import { query } from '../harness/server.ts'
import { ownService } from '../harness/service.ts'
import { startEndpoint } from './endpoints.ts'
import { queueEvents, settle, startWebhookService, urlOf } from './webhook-service.ts'

const mail = await startMailServer()
const MAIL_ENV = {
  HULAKI_SMTP_URL: mail.url,
  HULAKI_MAIL_FROM: 'Hulaki <hulaki@example.com>',
  HULAKI_PUBLIC_URL: 'https://sms.example.com',
}
// People are invited here, because a service with SMTP mails invitations instead of showing them.
const plain = await ownService({ env: { HULAKI_ROLES: 'api' } })
const service = await startWebhookService({ beside: plain, env: MAIL_ENV })

async function startWorkspace({ endpoints = 1, owners = 1 }: { endpoints?: number; owners?: number }, t: TestContext) {
  const answer = { statusCode: 500 }
  const { port } = await startEndpoint(t, (response) => response.writeHead(answer.statusCode).end())
  const workspaceId = await makeWorkspace(service)
  const people = await Promise.all(
    Array.from({ length: owners }, () => makePerson(plain, { workspaceId, role: 'owner' })),
  )
  const others = [
    await makePerson(plain, { workspaceId, role: 'developer' }),
    await makePerson(plain, { workspaceId, role: 'viewer' }),
  ]
  const clients = await Promise.all(
    Array.from({ length: endpoints }, (_, at) =>
      makeClient(service, { workspaceId, name: `Endpoint ${at}`, webhookUrl: urlOf({ port }) }),
    ),
  )
  /** Posts an event to each endpoint. */
  const post = async (count = 1) => {
    for (const client of clients) await queueEvents(service, client, Array(count).fill({}))
    await settle(service)
  }
  const addresses = [...people, ...others].map((it) => it.email)
  const subjects = () =>
    mail.received.flatMap(({ to, text }) =>
      to.some((it) => addresses.includes(it)) ? [/^Subject: (.*)$/m.exec(text)?.[1] ?? ''] : [],
    )
  const health = async () => (await service.manage('GET', `/workspaces/${workspaceId}/webhook-endpoints`)).body.items
  return { answer, workspaceId, clients, people, post, subjects, health }
}

test('owners get one mail after ten minutes of failures, and one after the recovery', async (t) => {
  const { answer, post, subjects, health, people, workspaceId } = await startWorkspace({ owners: 2 }, t)
  await post(3)
  await service.advance(590)
  assert.deepEqual([subjects(), (await health())[0].notifiedAt], [[], null])
  await service.advance(10)
  const failing = 'Webhook endpoint failing: Endpoint 0'
  assert.deepEqual(subjects(), [failing, failing])
  const letters = mail.received.filter(({ to }) => people.some(({ email }) => to.includes(email)))
  assert.deepEqual(letters.flatMap((it) => it.to).sort(), people.map((it) => it.email).sort())
  assert.ok(
    letters[0]?.text.replaceAll('=\n', '').includes(`https://sms.example.com/console/w/${workspaceId}/webhooks`),
  )
  assert.equal((await health())[0].notifiedAt, service.clock.now().toISOString())

  await service.advance(7200)
  assert.equal(subjects().length, 2, 'one mail per failure')
  answer.statusCode = 204
  await post()
  const recovered = 'Webhook endpoint recovered: Endpoint 0'
  assert.deepEqual(subjects().slice(2), [recovered, recovered])
  assert.equal((await health())[0].notifiedAt, null)
  await service.advance(7200)
  assert.equal(subjects().length, 4)
})

test('an endpoint that alternates causes one mail of each kind per hour', async (t) => {
  const { answer, post, subjects } = await startWorkspace({}, t)
  for (let minute = 0; minute < 120; minute += 20) {
    answer.statusCode = 500
    await post(3)
    await service.advance(15 * 60)
    answer.statusCode = 204
    await post()
    await service.advance(5 * 60)
  }
  const kinds = subjects().map((it) => /failing|recovered/.exec(it)?.[0])
  assert.deepEqual(kinds, ['failing', 'recovered', 'failing', 'recovered'])
})

test('an endpoint that recovers within ten minutes causes no mail', async (t) => {
  const { answer, post, subjects } = await startWorkspace({}, t)
  await post(3)
  await service.advance(300)
  answer.statusCode = 204
  await service.advance(600)
  await service.advance(3600)
  assert.deepEqual(subjects(), [])
})

test('a workspace with many failing endpoints gets one mail, and the next one after ten minutes', async (t) => {
  const { post, subjects, clients, workspaceId } = await startWorkspace({ endpoints: 4 }, t)
  const [late] = clients
  await service.manage('POST', `/clients/${late?.id}/disable`)
  await post(3)
  await service.advance(300)
  await service.manage('POST', `/clients/${late?.id}/enable`)
  await settle(service)
  await service.advance(300)
  assert.deepEqual(subjects(), ['3 webhook endpoints failing in Himal Bank'])
  await service.advance(300)
  assert.equal(subjects().length, 1)
  await service.advance(300)
  assert.deepEqual(subjects().slice(1), ['Webhook endpoint failing: Endpoint 0'])
  const rows = await query(
    service.address,
    `select from webhook_health join client on client.id = client_id where workspace_id = '${workspaceId}' and failing_notified_at is not null`,
  )
  assert.equal(rows.length, 4)
})

test('disabled clients, removed URLs and workspaces without owners cause no mail', async (t) => {
  const first = await startWorkspace({ endpoints: 2 }, t)
  const ownerless = await startWorkspace({ owners: 0 }, t)
  await first.post(3)
  await ownerless.post(3)
  const [disabled, removed] = first.clients
  await service.manage('POST', `/clients/${disabled?.id}/disable`)
  await service.manage('PATCH', `/clients/${removed?.id}`, { webhookUrl: null })
  await service.advance(3600)
  assert.deepEqual([first.subjects(), ownerless.subjects()], [[], []])
  assert.equal((await ownerless.health())[0].notifiedAt, null)
})

test('two processes send one mail, and a restart sends no second one', async (t) => {
  const { post, subjects } = await startWorkspace({ endpoints: 20 }, t)
  const other = await startWebhookService({ beside: service, env: MAIL_ENV })
  await post(3)
  await service.advance(599)
  await Promise.all([service.advance(1), other.settle()])
  await Promise.all([service.settle(), other.settle()])
  assert.deepEqual(subjects(), ['20 webhook endpoints failing in Himal Bank'])
  await other.stop()
  const restarted = await startWebhookService({ beside: service, env: MAIL_ENV })
  await restarted.settle()
  await service.advance(3600)
  assert.equal(subjects().length, 1)
  await restarted.stop()
})

test('concurrent turns of two processes send one mail for all endpoints', async (t) => {
  const first = await startWebhookService({ env: { HULAKI_ROLES: 'api,webhooks' } })
  const second = await ownService({ beside: first, env: { HULAKI_ROLES: 'api' } })
  const { port } = await startEndpoint(t, (response) => response.writeHead(500).end())
  const workspaceId = await makeWorkspace(first)
  const { email } = await makePerson(first, { workspaceId, role: 'owner' })
  for (let n = 0; n < 20; n++) {
    const client = await makeClient(first, { workspaceId, webhookUrl: urlOf({ port }) })
    await queueEvents(first, client, [{}, {}, {}])
  }
  await first.advance(0)
  await first.advance(600)
  const sent: { to: string; subject: string }[] = []
  const log = createLog('silent')
  const send = async (letter: { to: string; subject: string }) => void sent.push(letter)
  const turns = Array.from({ length: 12 }, (_, at) =>
    notifyOwners((at % 2 ? first : second).ports, log, { send, consoleUrl: 'https://sms.example.com/console' }),
  )
  assert.deepEqual((await Promise.all(turns)).filter(Boolean), [true])
  assert.deepEqual(
    sent.map(({ to, subject }) => [to, subject]),
    [[email, '20 webhook endpoints failing in Himal Bank']],
  )
})

test('a mail that could not be sent is retried after five minutes', async (t) => {
  const { post, subjects, health } = await startWorkspace({}, t)
  await post(3)
  mail.refuse.all = true
  await service.advance(600)
  mail.refuse.all = false
  assert.deepEqual([subjects(), (await health())[0].notifiedAt], [[], null])
  await service.advance(299)
  assert.deepEqual(subjects(), [])
  await service.advance(1)
  assert.deepEqual(subjects(), ['Webhook endpoint failing: Endpoint 0'])
})
