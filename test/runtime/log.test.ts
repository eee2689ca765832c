// The log contains no secrets, even if a caller passes one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../src/runtime/log.ts'
import { type Statement, sql } from '../../src/store/database/sql.ts'
import { testDatabase } from '../harness/database.ts'
import { secretIn } from '../harness/log-leaks.ts'

const db = await testDatabase({ connections: 1 })

/** The log line of a fault. */
function lineOf(err: unknown): { text: string; err: Record<string, unknown> } {
  const lines: string[] = []
  createLog('info', { write: (line) => lines.push(line) }).error({ err }, 'it failed')
  const [text = ''] = lines
  return { text, err: JSON.parse(text).err }
}

const errorOf = (statement: Statement) =>
  db.query(statement).then(
    () => assert.fail('the statement does not fail'),
    (error: Error) => error,
  )

test('logs only code, constraint, table and stack of a database error', async () => {
  const secret = '+9779841234567'
  for (const [statement, expected] of [
    [
      sql`insert into country (code, name, state, time_zone) values ('NP', ${secret}, 'live', '')`,
      { code: '23505', table: 'country' },
    ],
    [sql`insert into country (code, name) values ('XX', ${secret})`, { code: '23502', table: 'country' }],
    [sql`select ${secret}::text::uuid`, { code: '22P02' }],
    [sql`select ${`x\n    at ${secret}`}::text::uuid`, { code: '22P02' }],
    [sql`do ${'x'}`, { code: '42601' }],
  ] as const) {
    const error = await errorOf(statement)
    for (const logged of [lineOf(error), lineOf(new Error('it broke', { cause: error }))]) {
      assert.ok(!logged.text.includes(secret), logged.text)
      assert.doesNotMatch(logged.text, /"(detail|where|hint|position|routine)":/)
    }
    const { err } = lineOf(error)
    assert.equal(err.message, undefined)
    assert.match(String(err.stack), /^ {4}at .*log\.test\.ts/m)
    assert.deepEqual({ ...err, ...expected }, err)
  }
  const broken = lineOf(
    await errorOf(sql`insert into country (code, name, state, time_zone) values ('NP', 'x', 'live', '')`),
  )
  assert.equal(broken.err.constraint, 'country_pkey')
})

test('logs the message of a connection or server error', async () => {
  const { err } = lineOf(await errorOf(sql`select pg_terminate_backend(pg_backend_pid())`))
  assert.equal(err.code, '57P01')
  assert.match(String(err.message), /^terminating connection/)
  const refused = lineOf(Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' }))
  assert.match(String(refused.err.message), /ECONNREFUSED/)
})

test('logs up to five causes', () => {
  const error = new Error('one')
  error.cause = error
  assert.equal(lineOf(error).text.match(/"message":"one"/g)?.length, 6)
  assert.equal(lineOf('a thrown string').err.message, 'a thrown string')
})

test('the leak detector of the test run finds secrets, and nothing else', () => {
  const hex = '0123456789abcdef'.repeat(3)
  for (const secret of [
    `svc_live_${hex}`,
    `whsec_${hex}`,
    'authorization: Bearer operator-token-of-the-tests',
    `hulaki_owner_${hex}`,
    'to +9779841234567',
    'Himal: 123456 is your verification code, valid for 5 minutes.',
    '{"err":{"code":"23505","detail":"Key (id)=(1) already exists."}}',
    '{"err":{"code":"23505","where":"COPY"}}',
  ]) {
    assert.ok(secretIn(secret), secret)
  }
  for (const harmless of ['svc_live_012345', '+977984', '{"msg":"the details"}', 'Server listening']) {
    assert.equal(secretIn(harmless), null)
  }
})

test('redacts secret fields at every depth', () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => lines.push(line) })
  const secret = 'svc_live_0123456789'
  log.info({ apiKey: secret, headers: { 'x-api-key': secret, authorization: `Bearer ${secret}` } }, 'one')
  log.info(
    { request: { headers: { 'x-api-key': secret }, body: { text: secret } }, carrier: { password: secret } },
    'two',
  )
  assert.equal(lines.length, 2)
  assert.ok(!lines.join().includes(secret))
})
