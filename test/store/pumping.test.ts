// What the pumping guard is shown of a client's sends (D33).
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { judgeOtpSend } from '../../src/domain/pumping.ts'
import { insertOtpStats, lookForPumping, markVerified } from '../../src/store/pumping.ts'
import { makeClient } from '../harness/client.ts'
import { startTestService } from '../harness/service.ts'

const service = await startTestService()

test('R3: a surge of dead numbers is seen also behind a campaign of the hour before that was verified', async () => {
  const client = await makeClient(service)
  const sendTo = (to: string) => ({
    messageId: randomUUID(),
    workspaceId: client.workspaceId,
    clientId: client.id,
    to,
  })
  // Thin over the blocks: neither R1 nor R2 has anything to say.
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
  const look = (await lookForPumping(service.db, [next], at('04:30'))).get(next.messageId)
  assert.deepEqual(look?.facts.prefix, { numbers: 300, verified: 0 })
  const verdict = judgeOtpSend(look.facts)
  assert.equal(verdict.verdict === 'suspect' && verdict.rule, 'R3')
})
