// Data that the OTP fraud guard reads about a client's sends (D33).
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { detectPumping } from '../../../src/actions/messages/check-otp-fraud.ts'
import { checkOtpSend } from '../../../src/domain/codes/pumping.ts'
import { insertOtpStats, markVerified, storeHolds } from '../../../src/store/codes/pumping.ts'
import type { Queries } from '../../../src/store/database/db.ts'
import type { Statement } from '../../../src/store/database/sql.ts'
import { makeClient } from '../../harness/client.ts'
import { sharedService } from '../../harness/service.ts'

const service = await sharedService()

test('R3 detects a surge of unverified numbers right after a verified campaign (D33)', async () => {
  const client = await makeClient(service)
  const sendTo = (to: string) => ({
    messageId: randomUUID(),
    workspaceId: client.workspaceId,
    clientId: client.id,
    to,
  })
  // Spread over many blocks, so that neither R1 nor R2 applies.
  const sends = (first: number) =>
    Array.from({ length: 300 }, (_, index) => sendTo(`+977980${String(first + index * 1_003).padStart(7, '0')}`))
  const campaign = sends(1_000_000)
  const attack = sends(5_000_000)
  const at = (time: string) => new Date(`2026-03-02T${time}:00Z`)
  await service.db.transaction(async (tx) => {
    await insertOtpStats(tx, campaign, at('03:10'))
    await markVerified(
      tx,
      campaign.slice(0, 240).map((it) => it.messageId),
      at('03:11'),
    )
    await insertOtpStats(tx, attack, at('04:00'))
  })
  const next = sendTo('+9779809999999')
  const look = (await detectPumping(service.db, [next], at('04:30'))).get(next.messageId)
  assert.deepEqual(look?.facts.prefix, { numbers: 300, verified: 0 })
  const verdict = checkOtpSend(look.facts)
  assert.equal(verdict.verdict === 'suspect' && verdict.hold.rule, 'R3')
})

test('the guard reads a batch with two statements, and with one if holds or trusted numbers decide (D33)', async () => {
  const client = await makeClient(service)
  const sendTo = (to: string) => ({ messageId: randomUUID(), workspaceId: client.workspaceId, clientId: client.id, to })
  const at = (time: string) => new Date(`2026-03-03T${time}:00Z`)
  const blocks = Array.from({ length: 40 }, (_, index) => `+97798${index % 4}${String(100 + index)}`)
  const numbersOf = (first: number, count: number) =>
    blocks.flatMap((block) => Array.from({ length: count }, (_, index) => sendTo(`${block}${first + index}`)))
  await service.db.transaction((tx) => insertOtpStats(tx, numbersOf(1000, 9), at('04:00')))
  let statements = 0
  const counting: Queries = {
    query: <Row>(statement: Statement) => {
      statements += 1
      return service.db.query<Row>(statement)
    },
  }
  const batch = numbersOf(1020, 12)
  const looks = await detectPumping(counting, batch, at('04:05'))
  assert.equal(statements, 2)
  const verdicts = batch
    .map((send) => looks.get(send.messageId))
    .map((look) => look && checkOtpSend(look.facts).verdict)
  assert.deepEqual(new Set(verdicts), new Set(['suspect']))
  assert.deepEqual(looks.get(batch[0]?.messageId ?? '')?.facts.prefixSends, { lastHour: 90, usualPerHour: 0 })

  const hold = {
    rule: 'R2',
    reason: 'dead',
    mode: 'block',
    strikes: 1,
    struckAt: at('04:05'),
    until: at('04:20'),
  } as const
  await service.db.transaction((tx) =>
    storeHolds(
      tx,
      blocks.map((scope) => ({ ...hold, scope, clientId: client.id })),
    ),
  )
  statements = 0
  await detectPumping(counting, batch, at('04:06'))
  assert.equal(statements, 1)

  const verified = batch.map((send) => send.messageId)
  await service.db.transaction(async (tx) => {
    await insertOtpStats(tx, batch, at('04:29'))
    await markVerified(tx, verified, at('04:30'))
  })
  statements = 0
  await detectPumping(counting, batch, at('04:31'))
  assert.equal(statements, 1, 'the holds have ended, but the numbers are trusted')
})
