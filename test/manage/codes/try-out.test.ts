// Test OTPs without an API key: same path, price and errors as in the v1 API.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeClient, makeOwner } from '../../harness/client.ts'
import { assertRefused } from '../../harness/refused.ts'
import { ownService } from '../../harness/service.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,upkeep,simulator' } })
const { manage } = service
const to = '+9779800000001'

const codeOnHandset = async () => {
  await service.settle()
  const { items } = (await manage('GET', '/simulator/messages')).body
  return /: (\d{6}) is/.exec(items[0].text)?.[1]
}

test('delivers a test OTP to the handset at the price of an OTP, and verifies it once', async () => {
  const client = await makeClient(service)
  const { token } = await makeOwner(service, client.workspaceId)
  const path = `/clients/${client.id}/test-otp`
  const before = (await client.get('/sms/balance')).body.balance
  const sent = await manage('POST', path, { to }, token)
  assert.deepEqual([sent.status, sent.body.expiresInSeconds], [200, 300])
  const code = await codeOnHandset()
  assert(code)
  assert.equal((await client.get('/sms/balance')).body.balance, before - 1.2)
  // The OTP is separate from an OTP that a program sent to the same number.
  assert.deepEqual((await client.verify({ to, code })).body, {
    success: true,
    verified: false,
    reason: 'no_active_otp',
  })
  const wrong = code === '000000' ? '000001' : '000000'
  const verify = async (it: string) => (await manage('POST', `${path}/verify`, { to, code: it }, token)).body
  assert.deepEqual(await verify(wrong), { verified: false, reason: 'invalid_code' })
  assert.deepEqual(await verify(code), { verified: true })
  assert.deepEqual(await verify(code), { verified: false, reason: 'no_active_otp' })
  const { items } = (await manage('GET', `/workspaces/${client.workspaceId}/audit-log`)).body
  assert.deepEqual(
    items.slice(0, 2).map((it: { action: string; subject: string; details: object }) => [it.action, it.details]),
    [
      ['client.test_otp_verified', {}],
      ['client.test_otp_sent', { messageId: sent.body.messageId }],
    ],
  )
})

test('refuses like the v1 API with the same codes: cooldown, number, address, rate, disabled client (D6)', async () => {
  const client = await makeClient(service, { requestsPerSecond: 2 })
  const path = `/clients/${client.id}/test-otp`
  const number = '+9779800000101'
  assert.equal((await manage('POST', path, { to: number })).status, 200)
  assertRefused(await manage('POST', path, { to: number }), 429, 'rate_limited')
  // Both requests of this second are used.
  assertRefused(await client.get('/sms/balance'), 429, 'rate_limited')
  await service.advance(1)
  assertRefused(await manage('POST', path, { to: '+97714200000' }), 400, 'invalid_number')
  await manage('PATCH', `/clients/${client.id}`, { restrictions: { ipAllowlist: ['203.0.113.7'] } })
  await service.advance(1)
  assertRefused(await manage('POST', path, { to }), 403, 'ip_not_allowed')
  await manage('POST', `/clients/${client.id}/disable`)
  assertRefused(await manage('POST', path, { to }), 403, 'client_disabled')
  await manage('PATCH', `/workspaces/${client.workspaceId}`, { status: 'suspended' })
  await manage('PATCH', `/clients/${client.id}`, { restrictions: { ipAllowlist: null } })
  await manage('POST', `/clients/${client.id}/enable`)
  await service.advance(1)
  assertRefused(await manage('POST', path, { to }), 403, 'workspace_suspended')
})
