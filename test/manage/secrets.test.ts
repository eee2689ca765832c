// §5.1 rule 3: a secret is shown once, and is then in no table, response or log line.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getBalance, makeClient, makeOwner, makeWorkspace } from '../harness/client.ts'
import { dumpDatabase, formsOf } from '../harness/dump-database.ts'
import { call, OPERATOR_TOKEN, ownService } from '../harness/service.ts'

const service = await ownService()
const { manage } = service
const workspaceId = await makeWorkspace(service)
const { token } = await makeOwner(service, workspaceId)
const client = await makeClient(service, { workspaceId, mode: 'test', testOtpCode: '735190' })
const rotatedKey = (await manage('POST', `/clients/${client.id}/rotate-key`)).body.apiKey
const addedKey = (await manage('POST', `/clients/${client.id}/keys`)).body.apiKey
const rotatedSecret = (await manage('POST', `/clients/${client.id}/rotate-webhook-secret`)).body.webhookSecret
await call(`${service.url}/api/sms/v1/sms/otp/send`, {
  method: 'POST',
  headers: { 'x-api-key': rotatedKey },
  body: { to: '9841000001' },
})
await getBalance(service, rotatedKey)
await getBalance(service, addedKey)
const secrets = {
  'the API key': client.apiKey,
  'the rotated API key': rotatedKey,
  'the added API key': addedKey,
  'the webhook secret': client.webhookSecret,
  'the rotated webhook secret': rotatedSecret,
  'the test code': '735190',
  'the owner token': token,
  'the operator token': OPERATOR_TOKEN,
}

test('no secret is in a dump of the whole database', async () => {
  const dump = await dumpDatabase(service.address)
  // Checks that the dump is complete.
  for (const kept of [client.id, rotatedKey.slice(0, 12), 'Himal Bank']) assert.ok(dump.includes(kept), kept)
  for (const [name, secret] of Object.entries(secrets)) {
    for (const form of formsOf(secret)) assert.ok(!dump.includes(form), `${name} is in the database`)
  }
})

test('no secret is in any response after the response that created it', async () => {
  const paths = ['clients', 'audit-log', 'owner-tokens', 'ledger', 'templates'].map(
    (it) => `/workspaces/${workspaceId}/${it}`,
  )
  for (const path of [...paths, `/clients/${client.id}`, `/workspaces/${workspaceId}`, '/audit-log']) {
    const { status, body } = await manage('GET', path)
    assert.equal(status, 200)
    for (const [name, secret] of Object.entries(secrets)) {
      assert.ok(!JSON.stringify(body).includes(secret), `${name} is in ${path}`)
    }
  }
})

test('no secret is in the log', () => {
  assert.ok(service.logged.length > 5)
  for (const [name, secret] of Object.entries(secrets)) {
    assert.ok(!service.logged.some((line) => line.includes(secret)), `${name} is in the log`)
  }
})
