// A backup of a service under load is one moment: every answered send before its start is in it, and the books balance (D81).
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openBundledPostgres } from '../../src/store/database/bundled-postgres.ts'
import { dataFolder, ServiceProcess } from '../harness/process.ts'
import { query } from '../harness/server.ts'
import { call } from '../harness/service.ts'
import { until } from '../harness/until.ts'
import { startEndpoint } from '../webhooks/endpoints.ts'
import { urlOf, WEBHOOK_ENV } from '../webhooks/webhook-service.ts'
import { scratch } from './commands.ts'
import { hulaki, startHulaki } from './program.ts'

const folder = dataFolder()
const backups = scratch()
const settings = { HULAKI_DATA_DIR: folder }
const HALF = 400

const service = new ServiceProcess({
  env: { ...settings, HULAKI_PROCESSES: '2', ...WEBHOOK_ENV },
})
const url = await service.url()
const apiKey = service.shown(/^ {4}live {2}(svc_live_\w+)$/m) ?? ''
const operator = service.shown(/^ {4}(hulaki_operator_\w+)$/m) ?? ''

const manage = async (method: string, path: string, body?: object) => {
  const headers = { authorization: `Bearer ${operator}` }
  const answer = await call(`${url}/api/manage/v1${path}`, { method, headers, ...(body && { body }) })
  assert.ok(answer.status < 300, JSON.stringify(answer.body))
  return answer.body
}

const accepted: string[] = []
async function send(): Promise<void> {
  const body = { to: '9800000001', text: `Order ${accepted.length}` }
  const answer = await call(`${url}/api/sms/v1/sms/send`, { method: 'POST', headers: { 'x-api-key': apiKey }, body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  accepted.push(answer.body.messageId)
}

/** What must hold at every moment. Each query returns the rows that break it. */
const FAULTS = {
  'the balance is the sum of all entries, and that of the last one': `
    select name from workspace
    where balance_e4 <> (select sum(amount_e4) from ledger_line where workspace_id = workspace.id and account = 'available')
      or balance_e4 <> (select balance_e4 from ledger_entry where ledger_entry.workspace_id = workspace.id order by ledger_entry.id desc limit 1)`,
  'a message has its ledger entry': `
    select id from message where cost_e4 > 0 and not exists (
      select from ledger_entry where ledger_entry.id = message.reservation_id)`,
  'an event has its message': `
    select delivery_id from webhook_event where message_id is not null and not exists (select from message where id = message_id)`,
  'a queued delivery has its event': `
    select delivery_id from webhook_queue where not exists (
      select from webhook_event where webhook_event.delivery_id = webhook_queue.delivery_id)`,
  'a submission has its message': `
    select message_id from submission where not exists (select from message where id = message_id)`,
  'the usage is that of the messages': `
    select (select sum(messages) from usage_day), (select count(*) from message)
    where (select sum(messages) from usage_day) <> (select count(*) from message)`,
}

test('a backup under load restores to one moment, with everything that was answered before its start', async (t) => {
  const [workspace] = (await manage('GET', '/workspaces')).items
  const [client] = (await manage('GET', `/workspaces/${workspace.id}/clients`)).items.filter(
    ({ mode }: { mode: string }) => mode === 'live',
  )
  await manage('PATCH', `/clients/${client.id}`, {
    webhookUrl: urlOf(await startEndpoint(t, (response) => response.end())),
    requestsPerSecond: 10_000,
  })
  await manage('POST', `/workspaces/${workspace.id}/credits`, { amount: 100_000 })
  let isLoaded = true
  const senders = Array.from({ length: 8 }, async () => {
    while (isLoaded) await send()
  })
  const buyer = (async () => {
    while (isLoaded) await manage('POST', `/workspaces/${workspace.id}/credits`, { amount: 1 })
  })()
  await until(() => accepted.length > HALF)
  const before = [...accepted]
  const made = await hulaki(['backup', '--to', backups, '--json'], settings)
  assert.equal(made.code, 0, made.err)
  const atEnd = accepted.length
  await until(() => accepted.length > atEnd + 10)
  isLoaded = false
  await Promise.all([...senders, buyer])
  assert.equal(await service.stop(), 0)

  const { backup, messages } = JSON.parse(made.out)
  assert.ok(
    messages >= before.length && messages < accepted.length,
    `${before.length}, ${messages}, ${accepted.length}`,
  )
  const copy = dataFolder()
  const restored = await hulaki(['restore', backup], { HULAKI_DATA_DIR: copy })
  assert.equal(restored.code, 0, restored.err)
  assert.equal(readFileSync(join(copy, 'keyring.json'), 'utf8'), readFileSync(join(folder, 'keyring.json'), 'utf8'))
  const postgres = await openBundledPostgres(copy)
  for (const [title, faults] of Object.entries(FAULTS))
    assert.deepEqual(await query(postgres.connection, faults), [], title)
  const kept = new Set((await query(postgres.connection, 'select id from message')).map(({ id }) => id))
  assert.deepEqual(
    before.filter((id) => !kept.has(id)),
    [],
  )
  await postgres.release()

  const again = new ServiceProcess({ env: { HULAKI_DATA_DIR: copy, HULAKI_PROCESSES: '1' } })
  const path = `${await again.url()}/api/sms/v1/sms/messages/${before.at(-1)}`
  await until(async () => {
    const { body } = await call(path, { method: 'GET', headers: { 'x-api-key': apiKey } })
    return body.status === 'delivered'
  })
  assert.equal(await again.stop(), 0)
})

test('a killed backup leaves no file with its name, and the next one removes the rest', async () => {
  // Rows that take a second to copy.
  const postgres = await openBundledPostgres(folder)
  await query(
    postgres.connection,
    `insert into verified_number (workspace_id, to_number, verified_at)
     select workspace.id, '+977' || number, created_at from workspace, generate_series(9800000000, 9800400000) as number`,
  )
  await postgres.release()
  const target = scratch()
  const run = startHulaki(['backup', '--to', target], settings)
  await until(() => readdirSync(target).length > 0)
  run.kill()
  await run.end
  const left = readdirSync(target)
  if (left.some((name) => name.endsWith('.backup'))) return assert.fail('the kill came after the end')
  assert.ok(left.every((name) => name.includes('.draft-')))
  assert.equal((await hulaki(['backup', '--to', target], settings)).code, 0)
  assert.deepEqual(
    readdirSync(target)
      .map((name) => name.replace(/.*\./, ''))
      .sort(),
    ['backup', 'keyring'],
  )
})

const disk = dataFolder({ name: 'disk' })
mkdirSync(disk)
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]).status === 0

test('a full disk is named in the error and leaves nothing behind', {
  skip: !isMounted && 'cannot mount a file system',
}, async (t) => {
  t.after(() => execFileSync('umount', ['-l', disk]))
  const { code, err } = await hulaki(['backup', '--to', disk], settings)
  assert.equal(code, 1)
  assert.match(err, /^The disk is full; free space/m)
  assert.deepEqual(readdirSync(disk), [])
})

test('without a database nothing is created', async () => {
  const empty = scratch()
  const { code, err } = await hulaki(['backup', '--to', backups], { HULAKI_DATA_DIR: join(empty, 'data') })
  assert.deepEqual([code, readdirSync(empty)], [1, []])
  assert.match(err, /There is no database in/)
})
