// The printed statement of a month over the management API.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { makeClient, makeOwner, makeWorkspace } from '../../harness/client.ts'
import { makePerson } from '../../harness/people.ts'
import { assertRefused } from '../../harness/refused.ts'
import { ownService } from '../../harness/service.ts'
import { until } from '../../harness/until.ts'
import { ABSENT } from '../fixtures.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,upkeep,simulator' } })
const { manage, advance, settle } = service
const DAY = 86_400
const HOSTILE = '</td><script>alert("1")</script>&\u202e'

const pageOf = async (workspaceId: string, month: string, language = 'en', token?: string) =>
  manage('GET', `/workspaces/${workspaceId}/months/${month}/statement?language=${language}`, undefined, token)

/** The rows of a table as texts. */
function rowsOf(html: string, title: string): string[][] {
  const table = html.split(`<h2>${title}</h2>`)[1]?.split('</table>')[0] ?? ''
  const texts = (row: string) => [...row.matchAll(/<bdi>(.*?)<\/bdi>/g)].map(([, text = '']) => text)
  return table.split('<tr').flatMap((row) => (row.includes('<bdi>') ? [texts(row)] : []))
}

test('a month that has not begun in the time zone of the workspace is refused', async () => {
  const workspaceId = await makeWorkspace(service)
  const calls = (month: string) => [
    `/workspaces/${workspaceId}/months/${month}`,
    `/workspaces/${workspaceId}/months/${month}/statement`,
    `/workspaces/${workspaceId}/usage.csv?month=${month}`,
  ]
  for (const call of calls('2026-12')) {
    const { status, body } = await manage('GET', call)
    assert.deepEqual([status, body.error, body.details[0].path], [400, '2026-12 has not begun', ['month']], call)
  }
  for (const month of ['2026-11', '2026-10'])
    for (const call of calls(month)) assert.equal((await manage('GET', call)).status, 200, call)
})

test('a malformed day has one error', async () => {
  const workspaceId = await makeWorkspace(service)
  const { body } = await manage('GET', `/workspaces/${workspaceId}/ledger.csv?from=01.11.2026`)
  assert.deepEqual(
    body.details.map(({ message }: { message: string }) => message),
    ['Must be a day such as 2026-01-02'],
  )
  const early = await manage('GET', `/workspaces/${workspaceId}/ledger.csv?from=1900-01-01`)
  assert.match(early.body.details[0].message, /between the years 1970 and 9999/)
})

test('adds a month with top-up, usage, refund, close and a late refund up to the ledger (D9, D10)', async () => {
  const rate = { transactional: 0.1, otp: 0.2, promotional: 0.0003 }
  const workspaceId = await makeWorkspace(service, { rate, monthlyCredit: 1234.5 })
  const client = await makeClient(service, { workspaceId, name: HOSTILE })
  await manage('POST', `/workspaces/${workspaceId}/credits`, { amount: 1000, note: HOSTILE })
  const failed = (await client.send({ to: '+9779811000003' })).body.messageId
  await client.send({ to: '+9779811000020', type: 'promotional' })
  await client.otp({ to: '+9779811000021' })
  const isFailed = async (id: string) => (await client.get(`/sms/messages/${id}`)).body.status === 'failed'
  await settle()
  await until(() => isFailed(failed))
  const open = (await pageOf(workspaceId, '2026-11')).body
  assert.deepEqual(rowsOf(open, 'Summary').slice(-2), [
    ['Sum of the lines', '2,234.2997'],
    ['Closing balance', '2,234.2997'],
  ])
  assert.match(open, /The month is not closed yet/)
  await advance(13 * DAY)
  // No answer to the submission: refunded in December.
  const silent = (await client.send({ to: '+9779811000012' })).body.messageId
  await advance(4 * DAY)
  await until(() => isFailed(silent))
  const { status, headers, body } = await pageOf(workspaceId, '2026-11')
  assert.deepEqual([status, headers.get('content-type')], [200, 'text/html; charset=utf-8'])
  assert.deepEqual(rowsOf(body, 'Summary'), [
    ['Opening balance', '0.0000'],
    ['Monthly credit', '1,234.5000'],
    ['Top-ups', '1,000.0000'],
    ['Messages', '-0.4003'],
    ['Refunds', '0.2000'],
    ['Expired at the end of the month', '-2,234.1997'],
    ['Expired refunds after the end of the month', '-0.1000'],
    ['Sum of the lines', '0.0000'],
    ['Closing balance', '0.0000'],
  ])
  assert.match(body, /The lines add up to the balance of the ledger\./)
  const name = '&lt;/td&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;\u202e'
  const [topUp = [], ...total] = rowsOf(body, 'Top-ups')
  assert.match(body, /Top-ups expire at the end of the month, like the rest of the balance\./)
  assert.deepEqual(
    [topUp.slice(1), ...total],
    [
      [name, '1,000.0000'],
      ['Total', '', '1,000.0000'],
    ],
  )
  assert.deepEqual(rowsOf(body, 'Messages by client and type'), [
    [name, 'OTP', '1', '1', '0.2000', '0.0000', '0.2000'],
    [name, 'promotional', '1', '1', '0.0003', '0.0000', '0.0003'],
    [name, 'transactional', '2', '2', '0.2000', '0.2000', '0.0000'],
    ['Total', '', '4', '4', '0.4003', '0.2000', '0.2003'],
  ])
  const december = (await pageOf(workspaceId, '2026-12')).body
  assert.deepEqual(rowsOf(december, 'Summary').slice(-2), [
    ['Sum of the lines', '1,234.50'],
    ['Closing balance', '1,234.50'],
  ])
  const before = (await pageOf(workspaceId, '2026-10')).body
  assert.deepEqual(rowsOf(before, 'Summary').at(-1), ['Closing balance', '0.00'])
})

test('is one page in English or Nepali that loads nothing and runs nothing', async () => {
  const workspaceId = await makeWorkspace(service, { name: HOSTILE })
  const { headers, body } = await pageOf(workspaceId, '2026-11')
  const style = /<style>([\s\S]*?)<\/style>/.exec(body)?.[1] ?? ''
  const hash = createHash('sha256').update(style).digest('base64')
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  assert.equal(headers.get('content-security-policy'), policy)
  assert.match(style, /@page \{ size: A4/)
  assert.doesNotMatch(body.replace('<meta charset', ''), /<script|<link|<img|<iframe|url\(|@import|href=|src=|style=/i)
  const nepali = (await pageOf(workspaceId, '2026-11', 'ne')).body
  assert.match(nepali, /<html lang="ne">/)
  assert.match(nepali, /<h1>स्टेटमेन्ट, नोभेम्बर 2026<\/h1>/)
  assert.doesNotMatch(nepali.replaceAll(/<style>[\s\S]*<\/style>/g, ''), /Summary|Total|balance/)
})

test('is for owners and operators of the workspace only', async () => {
  const workspaceId = await makeWorkspace(service)
  const { token } = await makeOwner(service, workspaceId)
  assert.equal((await pageOf(workspaceId, '2026-11', 'en', token)).status, 200)
  const viewer = await makePerson(service, { workspaceId, role: 'viewer' })
  const path = `/workspaces/${workspaceId}/months/2026-11/statement`
  assertRefused(await viewer.browser.ask('GET', path), 404, 'not_found')
  assertRefused(await pageOf(ABSENT, '2026-11'), 404, 'not_found')
  assertRefused(await pageOf(workspaceId, '2026-13'), 400, 'invalid_request', ['month'])
  assertRefused(await pageOf(workspaceId, '2026-11', 'xx'), 400, 'invalid_request', ['language'])
})
