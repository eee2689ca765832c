// The golden schema: the result of the migrations, read from the database. `npm run generate -- schema` writes it.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { sqlState } from '../../../src/store/database/db.ts'
import { sql } from '../../../src/store/database/sql.ts'
import { testDatabase } from '../../harness/database.ts'
import { describeSchema } from '../../harness/describe-schema.ts'

test('the migrations create the schema of schema.sql', async () => {
  const db = await testDatabase()
  const golden = readFileSync(new URL('schema.sql', import.meta.url), 'utf8')
  assert.equal(await describeSchema(db), golden, 'run `npm run generate -- schema` and review the difference')
})

test('the database rejects invalid values in busy tables', async () => {
  const db = await testDatabase()
  const workspaceId = '0198f0a4-81d0-7c3f-8a44-0e5d7b9c1a20'
  await db.query(sql`
    insert into workspace (id, name, country, currency, time_zone, plan, status, monthly_credit_e4, transactional_price_e4,
      otp_price_e4, promotional_price_e4, allowed_types, templates_required, balance_e4, period, period_ends_at, created_at,
      updated_at)
    values (${workspaceId}, 'Shop', 'NP', 'NPR', 'Asia/Kathmandu', 'standard', 'active', 0, 1, 1, 1, '{otp}', true, 0,
      '2026-11-01', now(), now(), now())`)
  await db.query(sql`
    insert into message (id, workspace_id, client_id, to_number, country, sender, type, encoding, segments, cost_e4, status,
      created_at, updated_at)
    values (${workspaceId}, ${workspaceId}, ${workspaceId}, '+9779841000001', 'NP', 'Shop', 'otp', 'GSM7', 1, 1, 'queued',
      now(), now())`)
  const wrong = [
    sql`update workspace set balance_e4 = -1`,
    sql`update workspace set balance_e4 = 9000000000000001`,
    sql`update workspace set otp_price_e4 = -1`,
    sql`update workspace set country = 'np'`,
    sql`update workspace set status = 'gone'`,
    sql`update workspace set allowed_types = '{letters}'`,
    sql`update workspace set allowed_types = '{promotional}'`,
    sql`update message set status = 'lost'`,
    sql`update message set segments = 7`,
    sql`update message set type = 'letter'`,
    sql`update message set error = 'bad luck'`,
    sql`update message set cost_e4 = -1`,
    sql`update message set encoding = 'UTF8'`,
    sql`insert into delivery_queue (first_message_id, message_ids, destination, avoid_carrier_id, priority, workspace_id, client_id, due_at)
      values (${workspaceId}, array[${workspaceId}::uuid], 'NP', ${workspaceId}, 3, ${workspaceId}, ${workspaceId}, now())`,
  ]
  for (const statement of wrong) {
    await assert.rejects(db.query(statement), (error) => sqlState(error) === '23514', statement.text)
  }
})
