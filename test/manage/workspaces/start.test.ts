// The onboarding steps of a workspace, and the simulator badge.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../../src/store/database/sql.ts'
import { makeClient, makeWorkspace } from '../../harness/client.ts'
import { ownService } from '../../harness/service.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery,simulator' } })
const { manage, clock } = service
const start = async (workspaceId: string) => (await manage('GET', `/workspaces/${workspaceId}/start`)).body
const done = async (workspaceId: string) =>
  (await start(workspaceId)).steps.flatMap((it: { step: string; doneAt: string | null }) =>
    it.doneAt ? [it.step] : [],
  )

test('reports each completed step with the time of its first detection', async () => {
  const workspaceId = await makeWorkspace(service)
  assert.deepEqual(await done(workspaceId), [])
  const client = await makeClient(service, { workspaceId, webhookUrl: 'https://hooks.example.com/' })
  assert.deepEqual(await done(workspaceId), [])
  await client.get('/sms/balance')
  const keyUsedAt = clock.now().toISOString()
  assert.deepEqual(await done(workspaceId), ['key'])
  await service.advance(60)
  const to = '+9779800000001'
  await client.otp({ to })
  await service.settle()
  assert.deepEqual(await done(workspaceId), ['key', 'message'])
  const { items } = (await manage('GET', `/simulator/messages?number=${encodeURIComponent(to)}`)).body
  const code = /\d{6}/.exec(items[0].text)?.[0]
  assert.equal((await client.verify({ to, code })).body.verified, true)
  assert.deepEqual(await done(workspaceId), ['key', 'message', 'code'])
  const { id } = (await manage('POST', `/clients/${client.id}/test-event`)).body
  await service.db.query(sql`
    update webhook_event set state = 'delivered', ended_at = ${clock.now()} where delivery_id = ${id}`)
  assert.deepEqual(await done(workspaceId), ['key', 'message', 'code', 'webhook'])
  const { steps } = await start(workspaceId)
  assert.equal(steps[0].doneAt, keyUsedAt)
})

test('keeps a completed step after its evidence is deleted', async () => {
  const workspaceId = await makeWorkspace(service)
  const client = await makeClient(service, { workspaceId })
  await client.send()
  const { steps } = await start(workspaceId)
  await service.db.query(sql`delete from request_bucket`)
  await service.db.query(sql`delete from message where workspace_id = ${workspaceId}`)
  assert.deepEqual((await start(workspaceId)).steps, steps)
})

test('counts an OTP of a client in test mode (D19)', async () => {
  const workspaceId = await makeWorkspace(service)
  const client = await makeClient(service, { workspaceId, mode: 'test', testOtpCode: '123456' })
  await client.otp()
  assert.equal((await client.verify({ code: '123456' })).body.verified, true)
  assert.deepEqual(await done(workspaceId), ['key', 'message', 'code'])
})

test('reports whether a simulator runs, and the share of destinations that are routed to it', async () => {
  const workspaceId = await makeWorkspace(service)
  assert.deepEqual((await start(workspaceId)).simulator, { runs: true, serves: 'all' })
  const { id } = (await manage('GET', '/carriers')).body.items[0]
  await manage('PATCH', `/carriers/${id}`, { enabled: false })
  assert.deepEqual((await start(workspaceId)).simulator, { runs: true, serves: 'none' })
  await manage('PATCH', `/carriers/${id}`, { enabled: true })
})
