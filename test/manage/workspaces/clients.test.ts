// API clients (§5.1, §5.4, §6.3).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getBalance, makeClient, makeOwner, makeWorkspace } from '../../harness/client.ts'
import { assertRefused } from '../../harness/refused.ts'
import { ownService, START } from '../../harness/service.ts'
import { ABSENT, clientBody } from '../fixtures.ts'

const service = await ownService()
const second = await ownService({ beside: service })
const { manage } = service
const workspaceId = await makeWorkspace(service)
const { token: owner } = await makeOwner(service, workspaceId)

const unrestricted = {
  types: null,
  ipAllowlist: null,
  numberPrefixes: null,
  dailyCap: null,
  hourlyCapPerNumber: null,
  pumpingGuard: 'monitor',
  pumpingAllowlist: null,
}

test('creates a client with two secrets and defaults', async () => {
  const { status, body } = await manage('POST', `/workspaces/${workspaceId}/clients`, clientBody)
  assert.equal(status, 201)
  const { id, apiKey, webhookSecret, ...rest } = body
  assert.match(apiKey, /^svc_live_[0-9a-f]{48}$/)
  assert.match(webhookSecret, /^whsec_[0-9a-f]{64}$/)
  assert.deepEqual(rest, {
    ...clientBody,
    workspaceId,
    mode: 'live',
    defaultSender: 'Himal',
    webhookUrl: null,
    requestsPerSecond: 20,
    keyPrefix: apiKey.slice(0, 'svc_live_'.length + 6),
    keys: [{ id: rest.keys[0].id, prefix: rest.keyPrefix, createdAt: START.toISOString() }],
    hasTestOtpCode: false,
    disabledAt: null,
    disabledBy: null,
    previousWebhookSecretEndsAt: null,
    restrictions: unrestricted,
    setByOperator: {},
    createdAt: START.toISOString(),
    updatedAt: START.toISOString(),
  })
  assert.deepEqual((await manage('GET', `/clients/${id}`)).body, { id, ...rest })
  assert.equal((await getBalance(service, apiKey)).status, 200)
})

test('changes only the fields of a patch', async () => {
  const { id } = await makeClient(service, { workspaceId, mode: 'test', restrictions: { dailyCap: 5 } })
  const before = (await manage('GET', `/clients/${id}`)).body
  const patch = {
    webhookUrl: 'https://hooks.example.com/sms',
    requestsPerSecond: 50,
    testOtpCode: '123456',
    restrictions: { ipAllowlist: ['203.0.113.0/24', '2001:db8::1'], numberPrefixes: ['+97798'], types: ['otp'] },
  }
  const { status, body } = await manage('PATCH', `/clients/${id}`, patch)
  assert.equal(status, 200)
  const { testOtpCode: _, ...shown } = patch
  const restrictions = { ...unrestricted, dailyCap: 5, ...patch.restrictions }
  const setByOperator = { dailyCap: 5, ...patch.restrictions }
  assert.deepEqual(body, { ...before, ...shown, hasTestOtpCode: true, restrictions, setByOperator })
  const lifted = await manage('PATCH', `/clients/${id}`, {
    webhookUrl: null,
    testOtpCode: null,
    restrictions: { ipAllowlist: null },
  })
  assert.deepEqual(
    [lifted.body.webhookUrl, lifted.body.hasTestOtpCode, lifted.body.restrictions.ipAllowlist],
    [null, false, null],
  )
  assert.deepEqual(lifted.body.restrictions.types, ['otp'])
})

test('rejects the old key and accepts the new key on the next request after a rotation, on every process (§5.1 rule 5)', async () => {
  const { id, apiKey } = await makeClient(service, { workspaceId })
  for (const process of [service, second]) assert.equal((await getBalance(process, apiKey)).status, 200)
  const rotated = await manage('POST', `/clients/${id}/rotate-key`)
  assert.equal(rotated.status, 200)
  for (const process of [second, service]) {
    assertRefused(await getBalance(process, apiKey), 401, 'unauthorized')
    assert.equal((await getBalance(process, rotated.body.apiKey)).status, 200)
  }
  assert.equal(rotated.body.keyPrefix, rotated.body.apiKey.slice(0, 'svc_live_'.length + 6))
  assert.equal('webhookSecret' in rotated.body, false)
})

test('refuses a disabled client on the next request on every process until it is enabled (§5.1 rule 6)', async () => {
  const { id, apiKey } = await makeClient(service, { workspaceId })
  const disabled = await second.manage('POST', `/clients/${id}/disable`)
  assert.deepEqual([disabled.status, disabled.body.disabledAt], [200, START.toISOString()])
  for (const process of [service, second]) assertRefused(await getBalance(process, apiKey), 403, 'client_disabled')
  assert.equal((await manage('POST', `/clients/${id}/disable`)).status, 200)
  const enabled = await manage('POST', `/clients/${id}/enable`)
  assert.deepEqual([enabled.status, enabled.body.disabledAt], [200, null])
  for (const process of [service, second]) assert.equal((await getBalance(process, apiKey)).status, 200)
})

test('keeps the old webhook secret for the grace period, one day by default, and not with 0 (§6.3 rule 4)', async () => {
  const { id, webhookSecret } = await makeClient(service, { workspaceId })
  const rotate = (body?: object) => manage('POST', `/clients/${id}/rotate-webhook-secret`, body)
  const usual = await rotate()
  assert.equal(usual.status, 200)
  assert.notEqual(usual.body.webhookSecret, webhookSecret)
  assert.equal(usual.body.previousWebhookSecretEndsAt, new Date(START.getTime() + 24 * 3_600_000).toISOString())
  const week = await rotate({ graceHours: 168 })
  assert.equal(week.body.previousWebhookSecretEndsAt, new Date(START.getTime() + 168 * 3_600_000).toISOString())
  assert.equal((await rotate({ graceHours: 0 })).body.previousWebhookSecretEndsAt, null)
  for (const graceHours of [-1, 169, 1.5, '24']) {
    assertRefused(await rotate({ graceHours }), 400, 'invalid_request', ['graceHours'])
  }
})

const refused: [what: string, changes: object, path: unknown[]][] = [
  ['no brand name', { brandName: undefined }, ['brandName']],
  ['a brand name over 30 characters (§2.2)', { brandName: 'x'.repeat(31) }, ['brandName']],
  ['a brand name beyond GSM-7 (§2.2)', { brandName: 'हिमाल' }, ['brandName']],
  ['a control character in the sender (D4)', { defaultSender: 'a\u0007' }, ['defaultSender']],
  ['a mode that is none', { mode: 'demo' }, ['mode']],
  ['a webhook without TLS (§5.5)', { webhookUrl: 'http://hooks.example.com/' }, ['webhookUrl']],
  ['a webhook to this machine (D31)', { webhookUrl: 'https://127.0.0.1/' }, ['webhookUrl']],
  ['a webhook with a password (D31)', { webhookUrl: 'https://me:pass@hooks.example.com/' }, ['webhookUrl']],
  ['a test code for a live client (D19)', { testOtpCode: '123456' }, ['testOtpCode']],
  ['a test code that is none', { mode: 'test', testOtpCode: '12345' }, ['testOtpCode']],
  ['no requests per second', { requestsPerSecond: 0 }, ['requestsPerSecond']],
  ['a network that is none', { restrictions: { ipAllowlist: ['10.0.0.0/33'] } }, ['restrictions', 'ipAllowlist', 0]],
  ['a prefix without its plus', { restrictions: { numberPrefixes: ['977'] } }, ['restrictions', 'numberPrefixes', 0]],
  ['a negative cap', { restrictions: { dailyCap: -1 } }, ['restrictions', 'dailyCap']],
  ['a guard that is none', { restrictions: { pumpingGuard: 'on' } }, ['restrictions', 'pumpingGuard']],
  ['a restriction that is none', { restrictions: { weekdays: [1] } }, ['restrictions']],
]
for (const [what, changes, path] of refused) {
  test(`400: ${what}`, async () => {
    const answer = await manage('POST', `/workspaces/${workspaceId}/clients`, { ...clientBody, ...changes })
    assertRefused(answer, 400, 'invalid_request', path)
  })
}

test('lets only the operator set the rate limit, at creation and later', async () => {
  const { id } = await makeClient(service, { workspaceId })
  const body = { ...clientBody, requestsPerSecond: 100 }
  const made = await manage('POST', `/workspaces/${workspaceId}/clients`, body, owner)
  assertRefused(made, 400, 'invalid_request', ['requestsPerSecond'])
  const changed = await manage('PATCH', `/clients/${id}`, { requestsPerSecond: 100 }, owner)
  assertRefused(changed, 400, 'invalid_request', ['requestsPerSecond'])
})

test('rejects a change of the mode, and invalid fields of a patch', async () => {
  const { id } = await makeClient(service, { workspaceId })
  assertRefused(await manage('PATCH', `/clients/${id}`, { mode: 'test' }), 400, 'invalid_request')
  assertRefused(await manage('PATCH', `/clients/${id}`, { testOtpCode: '123456' }), 400, 'invalid_request', [
    'testOtpCode',
  ])
  const url = { webhookUrl: 'https://169.254.169.254/' }
  assertRefused(await manage('PATCH', `/clients/${id}`, url), 400, 'invalid_request', ['webhookUrl'])
})

test('answers 404 for a missing client or workspace', async () => {
  assertRefused(await manage('POST', `/workspaces/${ABSENT}/clients`, clientBody), 404, 'not_found')
  assertRefused(await manage('GET', `/workspaces/${ABSENT}/clients`), 404, 'not_found')
  assertRefused(await manage('GET', `/clients/${ABSENT}`), 404, 'not_found')
  assertRefused(await manage('PATCH', `/clients/${ABSENT}`, {}), 404, 'not_found')
  assertRefused(await manage('GET', `/clients/${ABSENT}/keys`), 404, 'not_found')
  assertRefused(await manage('DELETE', `/clients/${ABSENT}/keys/${ABSENT}`), 404, 'not_found')
  for (const change of ['keys', 'rotate-key', 'rotate-webhook-secret', 'disable', 'enable']) {
    assertRefused(await manage('POST', `/clients/${ABSENT}/${change}`), 404, 'not_found')
  }
})
