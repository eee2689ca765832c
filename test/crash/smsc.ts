// The SMSC of the crash loop: records every submission, answers after some milliseconds, and repeats a receipt until it is acknowledged.
import { setTimeout as sleep } from 'node:timers/promises'
import { failOnRejection } from '../harness/background.ts'
import { openSmsc, type Taken } from '../harness/smsc.ts'
import { LoopLink } from './peer.ts'
import { networkOutcomeOf } from './schedule.ts'

const MAX_ANSWER_MS = 60
const MAX_RECEIPT_MS = 200
const INVALID_DESTINATION = 0x0b

const loop = new LoopLink()

const smsc = await openSmsc({
  plan: async (submission) => {
    const { to } = submission
    loop.log({ kind: 'submitted', to, at: Date.now() })
    await loop.hold('submitted, no answer')
    await sleep(Math.random() * MAX_ANSWER_MS)
    setImmediate(() => loop.pass('answer on the wire'))
    if (networkOutcomeOf(to) === 'refused') return { status: INVALID_DESTINATION }
    failOnRejection(report(submission))
    return {}
  },
})

async function report(submission: Taken): Promise<void> {
  const { to } = submission
  const state = networkOutcomeOf(to) === 'delivered' ? 'DELIVRD' : 'UNDELIV'
  await sleep(Math.random() * MAX_RECEIPT_MS)
  await loop.insist(async () => {
    const acknowledged = smsc.reportOn(submission, state)
    loop.pass('receipt on the wire')
    return (await acknowledged) === 0
  })
  loop.log({ kind: 'acknowledged', to, at: Date.now() })
}

loop.listening(smsc.port)
