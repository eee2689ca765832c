// The audit log (§5.1 rule 8): actor, change, time and address.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeClient, makeOwner, makeWorkspace } from '../../harness/client.ts'
import { assertRefused } from '../../harness/refused.ts'
import { query } from '../../harness/server.ts'
import { OPERATOR_TOKEN, ownService } from '../../harness/service.ts'
import { ABSENT, makeTemplate } from '../fixtures.ts'

const service = await ownService()
const { manage, clock } = service
const workspaceId = await makeWorkspace(service, { monthlyCredit: 12.5 })
const owner = await makeOwner(service, workspaceId)
const { id: clientId } = await makeClient(service, { workspaceId, name: 'Web shop' })

interface Entry {
  actor: string
  action: string
  subject: string
  details: Record<string, unknown>
  address: string
  requestId: string
  at: string
}

async function entries(): Promise<Entry[]> {
  return (await manage('GET', `/workspaces/${workspaceId}/audit-log`)).body.items
}

test('records every change once, newest first, with the field names of the API', async () => {
  const template = await makeTemplate(service, workspaceId)
  await manage('POST', `/templates/${template}/reject`, { reason: 'Too vague' })
  await manage('POST', `/templates/${template}/approve`)
  await manage('POST', `/workspaces/${workspaceId}/credits`, { amount: 0.3, note: 'Gift' })
  await manage('PATCH', `/workspaces/${workspaceId}`, { rate: { otp: 2.5 } })
  await manage('PATCH', `/clients/${clientId}`, { brandName: 'Himal 2' })
  await manage('POST', `/clients/${clientId}/rotate-webhook-secret`, { graceHours: 3 })
  await manage('POST', `/clients/${clientId}/disable`)
  await manage('POST', `/clients/${clientId}/disable`)
  await manage('POST', `/clients/${clientId}/enable`)
  const rows = (await entries()).map(({ action, subject, details }) => [action, subject, details])
  const { keyPrefix } = (await manage('GET', `/clients/${clientId}`)).body
  const usual = { transactional: 1.5, promotional: 1 }
  const made = rows.at(-1)?.[2] as Record<string, unknown>
  assert.deepEqual([made.monthlyCredit, made.rate], [12.5, { ...usual, otp: 1.2 }])
  assert.deepEqual(rows.slice(0, -1), [
    ['client.enabled', clientId, {}],
    ['client.disabled', clientId, {}],
    ['client.webhook_secret_rotated', clientId, { graceHours: 3 }],
    ['client.changed', clientId, { brandName: { from: 'Himal', to: 'Himal 2' } }],
    ['workspace.changed', workspaceId, { rate: { from: { ...usual, otp: 1.2 }, to: { ...usual, otp: 2.5 } } }],
    ['workspace.credited', workspaceId, { amount: 0.3, note: 'Gift' }],
    ['template.approved', template, {}],
    ['template.rejected', template, { reason: 'Too vague' }],
    ['template.submitted', template, { name: 'Order', type: 'transactional' }],
    ['client.created', clientId, { name: 'Web shop', mode: 'live', keyPrefix }],
    ['owner_token.created', owner.id, { name: 'Asha', role: 'owner' }],
  ])
})

test('records actor, time, address and request id', async () => {
  await service.advance(60)
  const answer = await manage('POST', `/clients/${clientId}/rotate-key`, undefined, owner.token)
  const [byOwner] = await entries()
  assert.equal(byOwner?.action, 'client.key_rotated')
  assert.equal(byOwner.actor, `owner:${owner.id}`)
  assert.equal(byOwner.address, '127.0.0.1')
  assert.equal(byOwner.requestId, answer.headers.get('x-request-id'))
  assert.equal(byOwner.at, clock.now().toISOString())
  await manage('POST', `/clients/${clientId}/rotate-key`)
  assert.equal((await entries())[0]?.actor, 'operator')
})

test('records the address of the caller behind a trusted proxy', async () => {
  const behind = await ownService({ env: { HULAKI_TRUSTED_PROXIES: '127.0.0.0/8' }, beside: service })
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, 'x-forwarded-for': '203.0.113.9' }
  const addressVia = async ({ url }: { url: string }) => {
    const rotated = await fetch(`${url}/api/manage/v1/clients/${clientId}/rotate-key`, { method: 'POST', headers })
    return (await entries()).find((it) => it.requestId === rotated.headers.get('x-request-id'))?.address
  }
  assert.equal(await addressVia(behind), '203.0.113.9')
  assert.equal(await addressVia(service), '127.0.0.1')
})

test('records nothing for a refused call', async () => {
  const before = await entries()
  await manage('PATCH', `/clients/${clientId}`, { brandName: 'हिमाल' })
  await manage('POST', `/clients/${clientId}/rotate-key`, undefined, 'no-token-at-all')
  await manage('POST', `/workspaces/${workspaceId}/credits`, { amount: -5 })
  assert.deepEqual(await entries(), before)
})

test('shows the operator the whole log, with changes of the service', async () => {
  await service.advance(1)
  await manage('PATCH', '/service', { smsEnabled: false })
  await manage('PUT', '/countries/IN', { name: 'India', state: 'live' })
  const { items } = (await manage('GET', '/audit-log?limit=2')).body
  assert.deepEqual(
    items.map(({ action, subject, details }: Entry) => [action, subject, details]),
    [
      ['country.changed', 'IN', { state: { from: 'comingSoon', to: 'live' } }],
      ['service.changed', 'service', { smsEnabled: { from: true, to: false } }],
    ],
  )
})

test('cannot be rewritten, and neither can the ledger', async () => {
  for (const table of ['audit_entry', 'ledger_entry']) {
    await assert.rejects(query(service.address, `update ${table} set at = at`), /is append-only/)
    await assert.rejects(query(service.address, `delete from ${table}`), /is append-only/)
    await assert.rejects(query(service.address, `truncate ${table}`), /is append-only/)
  }
})

test('answers 404 for a missing workspace', async () => {
  assertRefused(await manage('GET', `/workspaces/${ABSENT}/audit-log`), 404, 'not_found')
})
