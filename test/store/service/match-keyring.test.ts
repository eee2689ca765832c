// Key rotation: a new key becomes active, the next start reseals all secrets, then the old key can be removed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decryptSmppSecrets, encryptCarrierSecrets } from '../../../src/actions/carriers/carrier-secrets.ts'
import { matchKeyring } from '../../../src/actions/service/match-keyring.ts'
import { newKeyringText, parseKeyring } from '../../../src/runtime/keyring.ts'
import { systemRandom } from '../../../src/runtime/random.ts'
import { listAllCarriers, storeCarrier } from '../../../src/store/carriers/carriers.ts'
import { sql } from '../../../src/store/database/sql.ts'
import { makeClient } from '../../harness/client.ts'
import { testDatabase } from '../../harness/database.ts'
import { ownService } from '../../harness/service.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api' } })
const first = JSON.parse(service.keyringText)
const next = JSON.parse(newKeyringText(systemRandom))

/** A keyring with a second, active key for each purpose, with or without the first. */
function rotated({ keepFirst }: { keepFirst: boolean }) {
  const set = (purpose: string) => ({
    active: 'k2',
    keys: { k2: next[purpose].keys.k1, ...(keepFirst ? { k1: first[purpose].keys.k1 } : {}) },
  })
  const text = JSON.stringify({ codes: set('codes'), texts: set('texts'), secrets: set('secrets') })
  return parseKeyring(text, systemRandom)
}

test('a key cannot be removed while stored values need it, and can be removed after resealing', async () => {
  const client = await makeClient(service, { mode: 'test', testOtpCode: '864209' })
  await matchKeyring(service.db, parseKeyring(service.keyringText, systemRandom))
  assert.equal((await client.otp()).status, 200)

  const early = await matchKeyring(service.db, rotated({ keepFirst: false }))
  assert.deepEqual(
    [early?.purpose, early?.keyId, early?.isHeld],
    ['codes', 'k1', false],
    'a valid OTP is hashed with the key',
  )
  const other = await matchKeyring(service.db, parseKeyring(newKeyringText(systemRandom), systemRandom))
  assert.deepEqual([other?.keyId, other?.isHeld], ['k1', true], 'a different key with the same id')

  assert.equal(await matchKeyring(service.db, rotated({ keepFirst: true })), null)
  const [row] = await service.db.query<{ sealed: Buffer }>(sql`
    select webhook_secret_sealed as sealed from client where id = ${client.id}`)
  assert.equal(
    rotated({ keepFirst: false }).open('secrets', `webhook-secret:${client.id}`, row?.sealed ?? Buffer.of()),
    client.webhookSecret,
  )
  await service.db.query(sql`delete from otp_code`)
  assert.equal(await matchKeyring(service.db, rotated({ keepFirst: false })), null)
})

test('of three concurrent first starts with different keyrings, only one succeeds', async () => {
  const db = await testDatabase()
  const starts = [0, 1, 2].map(() => matchKeyring(db, parseKeyring(newKeyringText(systemRandom), systemRandom)))
  const foreign = (await Promise.all(starts)).filter((it) => it !== null)
  assert.deepEqual(
    foreign.map((it) => it.isHeld),
    [true, true],
  )
})

test('rotation reseals carrier secrets, including the TLS key', async () => {
  const { db, keyringText, manage } = await ownService({ env: { HULAKI_ROLES: 'api' } })
  await manage('POST', '/carriers', { name: 'A', host: 'a.example', port: 1, systemId: 'a', password: 'b' })
  const old = JSON.parse(keyringText)
  const secrets = (keys: object) => ({ active: 'k2', keys: { k2: next.secrets.keys.k1, ...keys } })
  const keyring = (keys: object) => parseKeyring(JSON.stringify({ ...old, secrets: secrets(keys) }), systemRandom)
  const [carrier] = await listAllCarriers(db)
  assert(carrier?.kind === 'smpp')
  const given = { password: 'pass', tlsKey: 'key' }
  const secretsSealed = encryptCarrierSecrets({ keyring: parseKeyring(keyringText, systemRandom) }, carrier.id, given)
  await db.transaction((tx) => storeCarrier(tx, { ...carrier, secretsSealed }))
  assert.equal(await matchKeyring(db, keyring(old.secrets.keys)), null)
  assert.equal(await matchKeyring(db, keyring({})), null)
  const [after] = await listAllCarriers(db)
  assert(after?.kind === 'smpp')
  assert.deepEqual(decryptSmppSecrets({ keyring: keyring({}) }, after), given)
})
