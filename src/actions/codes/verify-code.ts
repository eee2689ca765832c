// Verifies OTPs (§4.3): exactly one `verified: true` and at most five wrong attempts, also for concurrent requests (D22).
import { checkOtpAttempt, codeParts, type OtpScope, sameHash, type VerifyOutcome } from '../../domain/codes/otp.ts'
import { answerScopeKey, checkIdempotency, type Idempotency } from '../../domain/messages/idempotency.ts'
import { OVERLOADED, Refusal } from '../../domain/refusals.ts'
import { refuseInactive } from '../../domain/workspaces/workspace.ts'
import { Batcher, type Batching } from '../../runtime/batcher.ts'
import { countBy } from '../../runtime/count-by.ts'
import type { Metrics } from '../../runtime/metrics.ts'
import { addCodeDays } from '../../store/codes/code-days.ts'
import { lockCodes, type StoredCode, storeTries } from '../../store/codes/one-time-codes.ts'
import { markVerified } from '../../store/codes/pumping.ts'
import { retryDecision } from '../../store/database/db.ts'
import { insertAnswers } from '../../store/idempotent-answers.ts'
import type { KnownClient } from '../../store/workspaces/admission.ts'
import { type Accepted, keptAnswer, loadKnownAnswers } from '../idempotency.ts'
import type { Ports } from '../ports.ts'

interface VerifyJob {
  /** Null if the number is invalid: there is no OTP for it (D23). */
  scope: OtpScope | null
  client: Pick<KnownClient, 'id' | 'workspaceId' | 'workspaceStatus'>
  code: string
  idempotency: Idempotency | null
  /** Called once; a repeated request with the same idempotency key gets the same bytes (§8.3). */
  answerOf: (outcome: VerifyOutcome) => string
}

export type VerifyCode = (trying: VerifyJob) => Promise<Accepted | Refusal>

export function createVerification(ports: Ports, batching: Batching, metrics: Metrics): VerifyCode {
  const attempts = metrics.counter('otp_verifications_total', 'Attempts to verify an OTP, by outcome', ['outcome'])
  const batcher = new Batcher<VerifyJob, Accepted | Refusal>({
    lanes: 1,
    laneOf: () => 0,
    fairBy: ({ client }) => [client.workspaceId, client.id],
    ...batching,
    onBatch: metrics.batchObserver('verify'),
    whenFull: () => OVERLOADED,
    run: async (batch) => {
      const { answers, outcomes } = await verifyBatch(ports, batch)
      for (const [outcome, count] of countBy(outcomes, nameOf)) attempts.inc({ outcome }, count)
      return answers
    },
    onError: retryDecision,
  })
  return (trying) => batcher.add(trying)
}

interface VerifiedBatch {
  answers: (Accepted | Refusal)[]
  /** Of the attempts that were not refused or repeated. */
  outcomes: VerifyOutcome[]
}

function nameOf(outcome: VerifyOutcome): string {
  return outcome.verified ? 'verified' : outcome.reason
}

function verifyBatch(ports: Ports, batch: VerifyJob[]): Promise<VerifiedBatch> {
  return ports.db.transaction(async (tx) => {
    const now = ports.clock.now()
    const scopes = batch.flatMap(({ scope }) => (scope ? [scope] : []))
    const codes = new Map((await lockCodes(tx, scopes)).map((code) => [keyOf(code), code]))
    const knownAnswers = new Map(await loadKnownAnswers(tx, batch, now))
    const verified: string[] = []
    const outcomes: VerifyOutcome[] = []
    const answers = batch.map(({ scope, client, code, idempotency, answerOf }): Accepted | Refusal => {
      const before = checkIdempotency(knownAnswers, idempotency, refuseInactive(client.workspaceStatus))
      if (before) return before instanceof Refusal ? before : { answer: before.answer, replayed: true }
      if (idempotency) knownAnswers.set(answerScopeKey(idempotency), 'running')
      const stored = scope ? codes.get(keyOf(scope)) : undefined
      const { outcome, after } = checkOtpAttempt(stored ?? null, { isRight: isRight(ports, stored, code), now })
      outcomes.push(outcome)
      if (scope && after) codes.set(keyOf(scope), after)
      if (outcome.verified && after) verified.push(after.messageId)
      return { answer: answerOf(outcome), replayed: false }
    })
    const kept = batch.flatMap(({ idempotency }, index) => {
      const answer = answers[index]
      return idempotency && answer && 'answer' in answer && !answer.replayed
        ? [keptAnswer(ports, idempotency, answer.answer)]
        : []
    })
    tx.afterCommit(() =>
      ports.changeFeed.publishTopic('codes', () => new Set(batch.map((it) => it.client.workspaceId))),
    )
    await Promise.all([
      storeTries(tx, [...codes.values()]),
      markVerified(tx, verified, now),
      insertAnswers(tx, kept, now),
      addCodeDays(tx, 'verified', verified),
    ])
    return { answers, outcomes }
  })
}

function isRight({ keyring }: Ports, stored: StoredCode | undefined, code: string): boolean {
  if (!stored) return false
  return sameHash(keyring.hash('codes', codeParts(stored, code), stored.keyId), stored.codeHash)
}

function keyOf({ clientId, to, purpose }: OtpScope): string {
  return `${clientId}:${to}:${purpose}`
}
