// A known OTP and a known key appear nowhere: not in the database, not in the logs, and in no response after the first.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/store/database/sql.ts'
import { makeClient } from '../harness/client.ts'
import { dumpDatabase, formsOf } from '../harness/dump-database.ts'
import { ownService } from '../harness/service.ts'

const service = await ownService()

test('never stores or logs an OTP, a key or a webhook secret in plain text (§2.2, §5.1)', async () => {
  const client = await makeClient(service)
  const tester = await makeClient(service, { mode: 'test', testOtpCode: '907315' })
  const answers = [
    await tester.otp(),
    await tester.verify({ code: '907315' }, { 'idempotency-key': 'canary' }),
    await tester.verify({ code: '90731' }),
    await client.otp(),
    await client.send({ to: 'broken' }),
    await client.post('/sms/send', '{"broken'),
    await client.get('/sms/messages/unknown'),
  ]
  const [row] = await service.db.query<{ id: string; sealed: Buffer }>(
    sql`select message_id as id, sealed from sealed_text`,
  )
  assert.ok(row)
  const code = /: (\d{6}) is/.exec(service.ports.keyring.open('texts', row.id, row.sealed))?.[1]
  assert.ok(code)
  await client.verify({ code })
  const rotated = await service.manage('POST', `/clients/${client.id}/rotate-key`)
  const secrets = {
    code,
    testCode: '907315',
    apiKey: client.apiKey,
    newKey: rotated.body.apiKey,
    webhookSecret: client.webhookSecret,
  }
  const places = {
    database: await dumpDatabase(service.address),
    logs: service.logged.join('\n'),
    answers: JSON.stringify(answers.map(({ body }) => body)),
  }
  assert.ok(places.database.includes('Himal') && places.logs.includes('request'), 'the places are really looked at')
  for (const [place, text] of Object.entries(places)) {
    for (const [what, secret] of Object.entries(secrets)) {
      const found = formsOf(secret).find((form) =>
        new RegExp(`(?<![0-9a-zA-Z])${RegExp.escape(form)}(?![0-9a-zA-Z])`).test(text),
      )
      assert.equal(found, undefined, `${what} is readable in the ${place}`)
    }
  }
})
