// The migration to client_key: keys of the version before keep working.
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ManualClock } from '../../../src/runtime/clock.ts'
import { Db } from '../../../src/store/database/db.ts'
import { migrate } from '../../../src/store/database/migrate.ts'
import { getBalance } from '../../harness/client.ts'
import { testDatabaseAddress, useDatabase } from '../../harness/database.ts'
import { assertRefused } from '../../harness/refused.ts'
import { query } from '../../harness/server.ts'
import { ownService } from '../../harness/service.ts'

const NOW = new Date('2026-11-18T06:00:00.000Z')
const MIGRATIONS = join(import.meta.dirname, '../../../src/store/database/migrations')
const WORKSPACE = '00000000-0000-7000-8000-000000000001'
const CLIENT = '00000000-0000-7000-8000-000000000010'
const ROTATED = '00000000-0000-7000-8000-000000000011'

async function oldDatabase() {
  const folder = mkdtempSync(join(tmpdir(), 'hulaki-migrations-'))
  after(() => rmSync(folder, { recursive: true }))
  for (const file of ['0100_initial.sql', '0101_claims.sql', '0102_webhook_claims.sql'])
    cpSync(join(MIGRATIONS, file), join(folder, file))
  const address = await testDatabaseAddress({ template: 'template0' })
  const db = new Db(address, { connections: 2 })
  useDatabase(address, () => db.close())
  await migrate(db, NOW, { folder })
  const client = (id: string, apiKey: string) => `
    insert into client (id, workspace_id, name, brand_name, mode, default_sender, requests_per_second, api_key_hash, api_key_prefix,
      webhook_secret_sealed, created_at, updated_at)
    values ('${id}', '${WORKSPACE}', '${apiKey}', 'Shop', 'live', 'Shop', 20, sha256('${apiKey}'), '${apiKey.slice(0, 12)}', '\\x01', '2026-11-01',
      '2026-11-01');`
  const rotation = (n: number, day: string) => `
    insert into audit_entry (id, workspace_id, actor, action, subject, details, at)
    values ('00000000-0000-7000-8000-00000000010${n}', '${WORKSPACE}', 'operator', 'client.key_rotated', '${ROTATED}', '{}', '${day}');`
  await query(
    address,
    `insert into workspace (id, name, country, currency, time_zone, plan, status, monthly_credit_e4, transactional_price_e4, otp_price_e4,
       promotional_price_e4, allowed_types, templates_required, balance_e4, period, period_ends_at, created_at, updated_at)
     values ('${WORKSPACE}', 'Shop', 'NP', 'NPR', 'Asia/Kathmandu', 'standard', 'active', 10000, 100, 100, 100, '{otp,transactional}', false, 10000,
       '2026-11-01', '2026-12-01', '2026-11-01', '2026-11-01');
     ${client(CLIENT, 'svc_live_first')} ${client(ROTATED, 'svc_live_second')}
     ${rotation(1, '2026-11-05')} ${rotation(2, '2026-11-09')}`,
  )
  return { address, db }
}

test('keys from before the migration keep working, with the time of their creation or last rotation', async () => {
  const { address, db } = await oldDatabase()
  assert((await migrate(db, NOW)) >= 1)
  const clock = new ManualClock(NOW)
  const made = await ownService({ env: { HULAKI_ROLES: 'api' }, clock })
  const service = await ownService({
    env: { HULAKI_ROLES: 'api' },
    beside: { address, keyringText: made.keyringText, clock },
  })
  const { manage } = service
  for (const [id, apiKey, createdAt] of [
    [CLIENT, 'svc_live_first', '2026-11-01T00:00:00.000Z'],
    [ROTATED, 'svc_live_second', '2026-11-09T00:00:00.000Z'],
  ] as const) {
    assert.equal((await getBalance(service, apiKey)).status, 200)
    const { keys, keyPrefix } = (await manage('GET', `/clients/${id}`)).body
    const { id: keyId } = keys[0]
    assert.deepEqual(keys, [{ id: keyId, prefix: apiKey.slice(0, 12), createdAt }])
    assert.equal(keyPrefix, apiKey.slice(0, 12))
    const added = await manage('POST', `/clients/${id}/keys`)
    assert.equal(added.status, 201)
    assert.equal((await manage('DELETE', `/clients/${id}/keys/${keyId}`)).status, 204)
    assertRefused(await getBalance(service, apiKey), 401, 'unauthorized')
    assert.equal((await getBalance(service, added.body.apiKey)).status, 200)
  }
})
