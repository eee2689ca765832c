// Expired data is deleted on time (§2.2, D21, D25).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findNextSweepOfCodes } from '../../src/actions/service/sweeps.ts'
import { sql } from '../../src/store/database/sql.ts'
import { makeClient } from '../harness/client.ts'
import { addCarrierElsewhere } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'

const service = await ownService()
await addCarrierElsewhere(service)

async function counts() {
  const [row] = await service.db.query(sql`
    select (select count(*) from otp_code) as codes, (select count(*) from sealed_text) as texts,
      (select count(*) from rate_limit_hit) as hits, (select count(*) from otp_caller) as callers,
      (select count(*) from idempotent_answer) as answers`)
  return row
}

test('deletes an OTP and its sealed text at expiry, windows after an hour, calling addresses sooner, and idempotent responses after a day (§2.2, D21)', async () => {
  const client = await makeClient(service)
  await client.otp({ ip: '203.0.113.7' }, { 'idempotency-key': 'k' })
  assert.deepEqual(await counts(), { codes: 1, texts: 1, hits: 2, callers: 1, answers: 1 })
  await service.advance(59)
  assert.deepEqual(await counts(), { codes: 1, texts: 1, hits: 2, callers: 1, answers: 1 })
  await service.advance(240)
  assert.deepEqual(await counts(), { codes: 1, texts: 1, hits: 2, callers: 0, answers: 1 })
  await service.advance(1)
  assert.deepEqual(await counts(), { codes: 0, texts: 0, hits: 2, callers: 0, answers: 1 })
  await service.advance(3300)
  assert.deepEqual(await counts(), { codes: 0, texts: 0, hits: 0, callers: 0, answers: 1 })
  await service.advance(86_400 - 3600)
  assert.deepEqual(await counts(), { codes: 0, texts: 0, hits: 0, callers: 0, answers: 0 })
})

test('keeps a locked OTP for a day, but its sealed text for 300 s (§3.2, D21)', async () => {
  const tester = await makeClient(service, { mode: 'test', testOtpCode: '246813' })
  await tester.otp()
  for (let tries = 0; tries < 5; tries++) await tester.verify({ code: '000000' })
  await (await makeClient(service)).otp()
  assert.deepEqual(await counts(), { codes: 2, texts: 1, hits: 1, callers: 1, answers: 0 })
  await service.advance(300)
  assert.deepEqual(await counts(), { codes: 1, texts: 0, hits: 1, callers: 0, answers: 0 })
  await service.advance(86_099)
  assert.deepEqual(await counts(), { codes: 1, texts: 0, hits: 0, callers: 0, answers: 0 })
  await service.advance(1)
  assert.deepEqual(await counts(), { codes: 0, texts: 0, hits: 0, callers: 0, answers: 0 })
})

test('deletes OTPs that expire within a second together', async () => {
  const client = await makeClient(service)
  for (const to of ['+9779841000021', '+9779841000022', '+9779841000023']) {
    await service.advance(0.1)
    await client.otp({ to })
  }
  const [row] = await service.db.query<{ first: Date; last: Date }>(sql`
    select min(expires_at) as first, max(expires_at) as last from otp_code`)
  const next = await findNextSweepOfCodes(service.ports)
  assert.ok(row && next && row.first < row.last && row.last <= next && next.getTime() - row.first.getTime() < 1_000)
})
