// Labels of metrics have few values, however many customers there are, and no value of a carrier that is gone.
import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { test } from 'node:test'
import { MESSAGE_TYPES } from '../../src/domain/message-type.ts'
import { SUBMISSION_OUTCOMES } from '../../src/domain/messages/submission.ts'
import { VERSION } from '../../src/runtime/version.ts'
import { makeClient, makeWorkspace } from '../harness/client.ts'
import { ALLOWED, addHttpCarrier, answer, startProvider } from '../harness/http-carrier.ts'
import { addCarrier, addRoute } from '../harness/sending.ts'
import { ownService, type TestService } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'
import { startEndpoint } from '../webhooks/endpoints.ts'
import { urlOf, WEBHOOK_ENV } from '../webhooks/webhook-service.ts'

/** What each label may be. Only `route`, `status` and `table` are described by their form. */
const VALUES: Record<string, readonly string[] | RegExp> = {
  type: MESSAGE_TYPES,
  method: METHODS,
  route: /^(unknown|\*|(\/(\*|:?[a-z][\w.-]*))+|\/)$/,
  status: /^([1-5]\d\d|HTTP [1-5]\d\d|ESME_\w+|other|pending|delivered|undelivered|rejected)$/,
  outcome: [
    ...SUBMISSION_OUTCOMES,
    ...['verified', 'invalid_code', 'too_many_attempts', 'no_active_otp'],
    ...['succeeded', 'refused', 'timed_out', 'failed'],
  ],
  lane: ['admission', 'accept_text', 'accept_otp', 'accept_locked', 'verify', 'answers', 'reports', 'webhook_attempts'],
  prefix: ['+977', '+97798410'],
  pool: ['main', 'accept', 'admission', 'request_log', 'notifications', 'operators', 'owners'],
  state: ['busy', 'idle', 'live', 'dead', 'free', 'used'],
  table: /^[a-z_]+$/,
  version: [VERSION],
  node: [process.versions.node],
  le: /^(\+Inf|[\d.]+)$/,
}

/** Every series with its labels, without its value. */
async function seriesOf({ readMetrics }: TestService): Promise<string[]> {
  const found = (await readMetrics()).matchAll(/^(hulaki_\w+(?:\{.*\})?) [^ ]+$/gm)
  return Array.from(found, ([, series = '']) => series).toSorted()
}

function labelsOf(series: string): { label: string; value: string }[] {
  const found = series.matchAll(/[{,](\w+)="((?:[^"\\]|\\.)*)"/g)
  return Array.from(found, ([, label = '', value = '']) => ({ label, value }))
}

/** All that a customer can choose differs by `name`. */
async function useAsCustomer(service: TestService, { name, port }: { name: string; port: number }): Promise<void> {
  const workspaceId = await makeWorkspace(service, { name: `Workspace ${name}` })
  const fields = { workspaceId, name: `Client ${name}`, brandName: name, webhookUrl: urlOf({ port }, `/${name}`) }
  const client = await makeClient(service, fields)
  const template = await service.manage('POST', `/workspaces/${workspaceId}/templates`, {
    ...{ name: `Template ${name}`, type: 'transactional', text: `${name} {{order}}` },
  })
  assert.equal(template.status, 201, JSON.stringify(template.body))
  // The carriers answer by the last two digits.
  for (const end of ['01', '02', '03', '04'])
    for (const prefix of ['+97798410', '+97798020']) {
      const sent = await client.send({
        to: `${prefix}${name.slice(-3)}${end}`,
        text: name,
        senderId: name.slice(0, 11),
      })
      assert.equal(sent.status, 200, JSON.stringify(sent.body))
    }
  await client.otp({ to: `+97798410${name.slice(-3)}01`, purpose: name })
  await client.verify({ to: `+97798410${name.slice(-3)}01`, purpose: name, code: '000000' })
  await client.get(`/sms/messages/${name}`)
  for (const method of ['GET', 'PURGE']) {
    for (const path of [`/${name}`, `/docs/${name}`, `/console/${name}`, `/api/manage/v1/${name}`])
      await (await fetch(`${service.url}${path}`, { method })).arrayBuffer()
  }
  await service.settle()
}

test('no customer adds a series, and every label value is one of a few or the name of a carrier', async (t) => {
  const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,webhooks', ...WEBHOOK_ENV, ...ALLOWED } })
  const smsc = await startSmsc({
    plan: ({ to }) =>
      ({ '02': { status: 0x58 }, '03': { status: 0x4_11 }, '04': { report: `SEEN${to.slice(-5, -2)}` } })[
        to.slice(-2)
      ] ?? {
        report: 'DELIVRD',
      },
  })
  const provider = await startProvider()
  t.after(() => provider.close())
  provider.does(({ json }, response) => {
    const end = String(json?.to).slice(-2)
    if (end === '01') answer(response, 200, { id: `id-${json?.ref}` })
    else answer(response, end === '02' ? 429 : 418, { error: `no ${json?.to}` })
  })
  const overSmpp = await addCarrier(service, smsc.port, { name: 'Over "SMPP"' })
  await addRoute(service, overSmpp)
  await addRoute(service, await addHttpCarrier(service, provider.url, { name: 'Over HTTP' }), {
    prefixes: ['+97798410'],
  })
  let calls = 0
  const { port } = await startEndpoint(t, (response) => response.writeHead(calls++ % 2 === 0 ? 204 : 500).end())

  await useAsCustomer(service, { name: 'customer-101', port })
  const before = await seriesOf(service)
  assert.ok(before.length > 300, `${before.length}`)
  for (let customer = 102; customer < 110; customer++)
    await useAsCustomer(service, { name: `customer-${customer}`, port })
  assert.deepEqual(await seriesOf(service), before)

  const carriers = ['Over \\"SMPP\\"', 'Over HTTP']
  const strange = before.flatMap(labelsOf).filter(({ label, value }) => {
    const allowed = label === 'carrier' ? carriers : (VALUES[label] ?? [])
    return allowed instanceof RegExp ? !allowed.test(value) : !allowed.includes(value)
  })
  assert.deepEqual(strange, [])

  await service.manage('PATCH', `/carriers/${overSmpp}`, { name: 'Renamed' })
  // What is read from the database is reused for a few seconds.
  await until(async () => !(await seriesOf(service)).some((series) => series.includes('Over \\"SMPP\\"')))
  assert.ok(
    (await seriesOf(service)).some(
      (series) => series.includes('answer_seconds_bucket') && series.includes('Over HTTP'),
    ),
  )
})
