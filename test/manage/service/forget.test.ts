// A person's number and texts leave every table; counts, statuses and money stay (D77).
import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { encodeText } from '../../../src/smpp/alphabets.ts'
import { makeClient, makeWorkspace } from '../../harness/client.ts'
import { dumpDatabase, formsOf } from '../../harness/dump-database.ts'
import { assertRefused } from '../../harness/refused.ts'
import { addCarrier, addRoute } from '../../harness/sending.ts'
import { query } from '../../harness/server.ts'
import { ownService } from '../../harness/service.ts'
import { startSmsc } from '../../harness/smsc.ts'
import { until } from '../../harness/until.ts'
import { startEndpoint } from '../../webhooks/endpoints.ts'
import { urlOf, WEBHOOK_ENV } from '../../webhooks/webhook-service.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,webhooks', ...WEBHOOK_ENV } })
const { manage } = service
const smsc = await startSmsc({ plan: () => ({ report: 'DELIVRD' }) })
const carrierId = await addCarrier(service, smsc.port)
await addRoute(service, carrierId)
let answer = 200
/** Responds with the event, as some frameworks do. */
const endpoint = await startEndpoint({ after } as TestContext, (response) =>
  response.writeHead(answer).end(endpoint.received.at(-1)?.body),
)
const workspaceId = await makeWorkspace(service)
const client = await makeClient(service, {
  workspaceId,
  webhookUrl: urlOf(endpoint),
  restrictions: { hourlyCapPerNumber: 50 },
})

const NUMBER = '+9779841000777'
const OTHER = '+9779841000778'
const forget = (number = NUMBER) => manage('POST', '/numbers/forget', { number })

async function reply(text: string): Promise<void> {
  await smsc.send({
    source_addr: NUMBER.slice(1),
    destination_addr: 'Himal',
    short_message: encodeText(text, 'gsm') ?? Buffer.alloc(0),
  })
  await service.settle()
}

const hexOf = (text: string) => Buffer.from(text).toString('hex')

async function assertGone(texts: string[]): Promise<void> {
  const dump = await dumpDatabase(service.address)
  for (const text of texts)
    for (const form of formsOf(text))
      assert.ok(!dump.includes(form), dump.slice(dump.indexOf(form) - 300).slice(0, 400))
}

test('D77: removes the number and the texts from every table, and leaves other people, counts and money alone', async () => {
  const { body: sent } = await client.send({ to: NUMBER, text: 'Secret of Sita' })
  await client.otp({ to: NUMBER })
  await client.send({ to: OTHER, text: 'Text of Hari' })
  await service.settle()
  await reply('Answer of Sita')
  const echoed = new RegExp(`webhook_attempt .*${hexOf('Answer of Sita')}`)
  assert.ok(echoed.test(await dumpDatabase(service.address)), 'an endpoint responded with the event')
  const before = (await manage('GET', `/messages/${sent.messageId}/timeline`)).body.message
  assert.deepEqual([before.status, before.text], ['delivered', 'Secret of Sita'])
  assert.ok((await dumpDatabase(service.address)).includes('Answer of Sita'))
  const usage = () => manage('GET', `/workspaces/${workspaceId}/usage?from=2026-11-01&to=2026-11-30`)
  const usageBefore = (await usage()).body

  const { status, body } = await forget()
  assert.deepEqual([status, body], [200, { messages: 2, replies: 1, unfinished: 0, isDone: true }])
  await assertGone([NUMBER, NUMBER.slice(1), 'Secret of Sita', 'Answer of Sita'])
  const { to, text, dlr, ...rest } = (await manage('GET', `/messages/${sent.messageId}/timeline`)).body.message
  assert.deepEqual([to, text], ['removed', '(deleted)'])
  assert.equal(dlr.raw, '')
  assert.deepEqual({ ...rest, to: NUMBER, text: 'Secret of Sita', dlr: before.dlr }, before)
  const own = await client.get(`/sms/messages/${sent.messageId}`)
  assert.deepEqual([own.status, own.body.to], [200, 'removed'])
  assert.deepEqual((await usage()).body, usageBefore)
  assert.ok((await dumpDatabase(service.address)).includes('Text of Hari'))
  const { items } = (await manage('GET', '/audit-log?limit=1')).body
  assert.deepEqual(
    [items[0].action, items[0].details],
    ['number.forgotten', { messages: 2, replies: 1, unfinished: 0 }],
  )
  assert.deepEqual((await forget()).body, { messages: 0, replies: 0, unfinished: 0, isDone: true })
})

test('D77: carrier tests and captures lose the number, and a test keeps its result', async () => {
  const { body: capture } = await manage('POST', `/carriers/${carrierId}/captures`, { seconds: 60 })
  await service.settle()
  const reports = smsc.answersToReports.length
  const tested = { to: NUMBER, text: 'Test for Sita', receiptSeconds: 50 }
  const testing = manage('POST', `/carriers/${carrierId}/test`, tested)
  await until(() => smsc.answersToReports.length > reports)
  await service.advance(2)
  const { body: test } = await testing
  const submission = smsc.taken.find(({ text }) => text === tested.text)
  assert.ok(submission)
  await client.send({ to: OTHER, text: 'Again to Hari' })
  await service.advance(80)
  const frames = async () => (await manage('GET', `/carriers/${carrierId}/captures/${capture.id}`)).body.exchanged
  const before = await frames()
  const dump = await dumpDatabase(service.address)
  for (const table of ['carrier_test', 'captured_frame']) {
    const rows = dump.split('\n').filter((line) => line.startsWith(`${table} `))
    assert.ok(
      rows.some((row) => formsOf(NUMBER.slice(1)).some((form) => row.includes(form))),
      `${table} has the number before`,
    )
  }

  assert.deepEqual((await forget()).body, { messages: 0, replies: 0, unfinished: 0, isDone: true })
  await assertGone([NUMBER, NUMBER.slice(1), 'Test for Sita'])
  const [kept] = (await manage('GET', `/carriers/${carrierId}/tests`)).body.items
  assert.deepEqual([kept.id, kept.message.to, kept.message.text], [test.id, 'removed', ''])
  assert.deepEqual([kept.message.outcome, kept.message.report.state], ['accepted', 'DELIVRD'])
  const after = await frames()
  assert.ok(after.length < before.length, 'frames of the number are gone')
  assert.ok(JSON.stringify(after).includes(OTHER.slice(1)), 'frames of other numbers stay')

  assert.equal(await smsc.reportOn(submission, 'UNDELIV', { err: '042' }), 0)
  await service.advance(3)
  const [later] = (await manage('GET', `/carriers/${carrierId}/tests`)).body.items
  const { state, raw } = later.message.report
  assert.deepEqual([state, raw], ['UNDELIV', ''], 'a later receipt is stored without its text')
  await assertGone([NUMBER, NUMBER.slice(1)])
})

test('D77: a receipt that arrives afterwards is stored without its number', async () => {
  const { body: sent } = await client.send({ to: NUMBER, text: 'Early' })
  await service.settle()
  const submission = smsc.taken.at(-1)
  assert.ok(submission)
  assert.equal((await forget()).body.messages, 1)
  assert.equal(await smsc.reportOn(submission, 'DELIVRD', { err: '042' }), 0)
  await service.advance(3)
  await assertGone([NUMBER, NUMBER.slice(1)])
  const { timeline } = (await manage('GET', `/messages/${sent.messageId}/timeline`)).body
  assert.ok(JSON.stringify(timeline).includes('042'), JSON.stringify(timeline))
})

test('D77: messages and replies whose webhooks are not delivered keep the number until they are', async () => {
  answer = 500
  await client.send({ to: NUMBER, text: 'Second secret' })
  await service.settle()
  await reply('Second answer')
  assert.deepEqual((await forget()).body, { messages: 0, replies: 0, unfinished: 2, isDone: true })
  answer = 200
  await service.advance(3600)
  assert.deepEqual((await forget()).body, { messages: 1, replies: 1, unfinished: 0, isDone: true })
  await assertGone([NUMBER, 'Second secret', 'Second answer'])
})

test('D77: removes many messages in steps, and each step is complete', async () => {
  const id = `('01997000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid`
  await query(
    service.address,
    `insert into message (id, workspace_id, client_id, to_number, country, sender, text, type, encoding, segments, cost_e4, status, created_at, updated_at)
     select ${id}, '${workspaceId}', '${client.id}', '${NUMBER}', 'NP', 'Shop', 'x', 'transactional', 'GSM7', 1, 0, 'delivered', now(), now()
     from generate_series(1, 1200) n`,
  )
  const steps = [await forget(), await forget(), await forget()].map(({ body }) => [body.messages, body.isDone])
  assert.deepEqual(steps, [
    [500, false],
    [500, false],
    [200, true],
  ])
  await assertGone([NUMBER])
})

test('D77: rejects a number without a plus, and a workspace token', async () => {
  const local = await forget('9841000777')
  assertRefused(local, 400, 'invalid_request')
  assert.match(JSON.stringify(local.body), /with the plus and the country code, such as \+977/)
  const { body } = await manage('POST', `/workspaces/${workspaceId}/owner-tokens`, { name: 'Owner' })
  const { status } = await manage('POST', '/numbers/forget', { number: NUMBER }, body.token)
  assert.equal(status, 404)
})
