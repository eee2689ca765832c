// The HTTP carrier of the crash loop: records every submission, answers after some milliseconds, and repeats a receipt until it gets a 200.
import { setTimeout as sleep } from 'node:timers/promises'
import { failOnRejection } from '../harness/background.ts'
import { answer, startProvider } from '../harness/http-carrier.ts'
import { LoopLink } from './peer.ts'
import { networkOutcomeOf } from './schedule.ts'

const MAX_ANSWER_MS = 60
const MAX_RECEIPT_MS = 200

const loop = new LoopLink()
const provider = await startProvider()

interface Submission {
  to: string
  ref: string
  callback: string
}

provider.does(async ({ json }, response) => {
  const submission: Submission = json
  loop.log({ kind: 'submitted', to: submission.to, at: Date.now() })
  await loop.hold('submitted, no answer')
  await sleep(Math.random() * MAX_ANSWER_MS)
  setImmediate(() => loop.pass('answer on the wire'))
  if (networkOutcomeOf(submission.to) === 'refused') return answer(response, 400, { error: 'invalid number' })
  answer(response, 200, { id: idOf(submission) })
  failOnRejection(report(submission))
})

async function report(submission: Submission): Promise<void> {
  const { to, ref, callback } = submission
  const state = networkOutcomeOf(to) === 'delivered' ? 'DELIVRD' : 'UNDELIV'
  await sleep(Math.random() * MAX_RECEIPT_MS)
  await loop.insist(async () => {
    const body = JSON.stringify({ id: idOf(submission), ref, to, state })
    const response = fetch(callback, { method: 'POST', body, signal: AbortSignal.timeout(10_000) })
    loop.pass('receipt on the wire')
    return (await response).status === 200
  })
  loop.log({ kind: 'acknowledged', to, at: Date.now() })
}

function idOf({ ref }: Submission): string {
  return `id-${ref}`
}

loop.listening(Number(new URL(provider.url).port))
