import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boundEsme, boundSmsc } from './raw-peer.ts'

const quick = { enquireAfterMs: 40, enquireAnswerMs: 40 }
const patient = { enquireAfterMs: 30, enquireAnswerMs: 3000 }

test('sends an enquire_link to a silent peer, and keeps a peer that responds', async (t) => {
  const { session, smsc } = await boundEsme(t, { timers: patient })
  for (let round = 0; round < 3; round++) {
    const { sequence } = await smsc.next('enquire_link')
    smsc.send({ command: 'enquire_link_resp', sequence })
  }
  assert.equal(session.state, 'bound')
})

test('closes a half-open link and settles its requests', async (t) => {
  const { session, smsc } = await boundEsme(t, { timers: quick })
  const outcome = await session.submit({})
  assert.deepEqual(outcome, { kind: 'unknown', cause: 'link_lost' })
  assert.deepEqual(await session.closed, { reason: 'silent' })
  await smsc.next('submit_sm')
  await smsc.next('enquire_link')
})

test('the SMSC sends enquire_link too', async (t) => {
  const { session, esme } = await boundSmsc(t, { timers: quick })
  await esme.next('enquire_link')
  assert.equal((await session.closed).reason, 'silent')
})

test('every frame counts as activity', async (t) => {
  const { session, smsc } = await boundEsme(t, { timers: patient })
  for (let round = 0; round < 3; round++) {
    await smsc.next('enquire_link')
    smsc.send({ command: 'enquire_link', sequence: round })
    await smsc.next('enquire_link_resp')
  }
  assert.equal(session.state, 'bound')
})

test('bytes without a complete frame do not count as activity', async (t) => {
  const { session, smsc } = await boundEsme(t, { timers: quick })
  const head = Buffer.from('0000ffff00000005', 'hex')
  const trickle = setInterval(() => smsc.sendBytes(head.subarray(0, 1)), 10)
  t.after(() => clearInterval(trickle))
  smsc.sendBytes(head)
  assert.equal((await session.closed).reason, 'silent')
})

test('silence does not count while our own handlers pause reading', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const begun = Promise.withResolvers<void>()
  const handled = Promise.withResolvers<void>()
  const { session, smsc } = await boundEsme(t, {
    timers: { enquireAfterMs: 150, enquireAnswerMs: 50, lingerMs: 20 },
    inboundLimit: 1,
    handlers: {
      deliver_sm: async () => {
        begun.resolve()
        await handled.promise
        return {}
      },
    },
  })
  smsc.send({ command: 'deliver_sm', sequence: 1 })
  await begun.promise
  t.mock.timers.tick(10_000)
  handled.resolve()
  // No enquire_link was sent meanwhile.
  await smsc.next('deliver_sm_resp')
  assert.equal(session.state, 'bound')
  t.mock.timers.tick(150)
  await smsc.next('enquire_link') // the heartbeat runs again
  t.mock.timers.tick(50)
  assert.equal(session.state, 'closed')
})
