// The Demo workspace is created once, completely or not at all.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeDemo } from '../../src/actions/workspaces/make-demo.ts'
import { sql } from '../../src/store/database/sql.ts'
import { call, ownService } from '../harness/service.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api' } })
const { db, ports, manage, url } = service

test('a failed creation of Demo leaves nothing behind, and the next start creates it once', async () => {
  await db.query(sql`alter table client add constraint break_off check (name <> 'Demo test')`)
  await assert.rejects(makeDemo(ports), /break_off/)
  assert.deepEqual((await manage('GET', '/workspaces')).body.items, [])
  await db.query(sql`alter table client drop constraint break_off`)
  const made = await Promise.all(Array.from({ length: 5 }, () => makeDemo(ports)))
  const [keys, ...more] = made.filter((it) => it !== null)
  assert.ok(keys)
  assert.deepEqual(more, [], 'one of several concurrent starts creates it')
  assert.equal((await manage('GET', '/workspaces')).body.items.length, 1)
  for (const apiKey of Object.values(keys)) {
    const sent = await call(`${url}/api/sms/v1/sms/send`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey },
      body: { to: '9800000001', text: 'Namaste' },
    })
    assert.equal(sent.status, 200, JSON.stringify(sent.body))
  }
})
