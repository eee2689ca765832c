// Messages of test clients are deleted after their retention; other messages are not (D44).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeClient, makeWorkspace } from '../harness/client.ts'
import { query } from '../harness/server.ts'
import { ownService, type TestService } from '../harness/service.ts'

const DAY_SECONDS = 86_400

async function statusesOf({ address }: TestService) {
  const rows = await query(address, 'select status from message order by id')
  return rows.map((row) => row.status)
}

test('D44: deletes test messages after 30 days and keeps others, whatever their status', async () => {
  const service = await ownService({ env: { HULAKI_ROLES: 'api,upkeep' } })
  const workspaceId = await makeWorkspace(service)
  const [live, trial] = await Promise.all([
    makeClient(service, { workspaceId }),
    makeClient(service, { workspaceId, mode: 'test' }),
  ])
  await live.send()
  await trial.send()
  await trial.otp()
  await query(service.address, `update message set status = 'failed', rare_status = 'failed' where status = 'queued'`)
  await service.advance(15 * DAY_SECONDS)
  await trial.send()
  await service.advance(15 * DAY_SECONDS - 1)
  assert.deepEqual(await statusesOf(service), ['failed', 'test', 'test', 'test'])
  await service.advance(31)
  assert.deepEqual(await statusesOf(service), ['failed', 'test'])
  await service.advance(15 * DAY_SECONDS)
  assert.deepEqual(await statusesOf(service), ['failed'])
})

test('D44: HULAKI_KEEP_TEST_MESSAGES_DAYS sets the retention, and the sweep takes several batches', async () => {
  const service = await ownService({
    env: { HULAKI_ROLES: 'api,upkeep', HULAKI_KEEP_TEST_MESSAGES_DAYS: '1' },
  })
  const trial = await makeClient(service, { mode: 'test' })
  await trial.send()
  await query(
    service.address,
    `insert into message (id, workspace_id, client_id, to_number, country, sender, text, type, encoding, segments, cost_e4,
       status, rare_status, created_at, updated_at)
     select ('0199a000-0000-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid, workspace_id, client_id, to_number, country,
       sender, text, type, encoding, segments, cost_e4, status, rare_status, created_at, updated_at
     from message, generate_series(1, 2500) as number`,
  )
  await service.advance(DAY_SECONDS - 1)
  assert.equal((await statusesOf(service)).length, 1)
  await service.advance(31)
  assert.deepEqual(await statusesOf(service), [])
})
