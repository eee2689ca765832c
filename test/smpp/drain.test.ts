import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../harness/until.ts'
import { boundEsme, boundSmsc } from './raw-peer.ts'

test('drain rejects new requests, waits for those in flight, unbinds and closes', async (t) => {
  const { session, smsc } = await boundEsme(t, { window: 1 })
  const [inFlight, waiting] = [session.submit({}), session.submit({})]
  const { sequence } = await smsc.next('submit_sm')
  const draining = session.drain()
  assert.equal(session.state, 'draining')
  assert.deepEqual(await waiting, { kind: 'not_written' })
  assert.deepEqual(await session.submit({}), { kind: 'not_written' })
  assert.equal(smsc.unread.length, 0) // no unbind yet
  smsc.send({ command: 'submit_sm_resp', sequence, message_id: 'last' })
  const outcome = await inFlight
  assert(outcome.kind === 'answered' && outcome.messageId === 'last')
  const unbind = await smsc.next('unbind')
  smsc.send({ command: 'unbind_resp', sequence: unbind.sequence })
  assert.deepEqual(await draining, { reason: 'unbound' })
  await smsc.ended()
})

test('drain waits for a response up to the response timeout', async (t) => {
  const { session, smsc } = await boundEsme(t, { timers: { drainMs: 1, responseMs: 60_000 } })
  const submitting = session.submit({})
  const { sequence } = await smsc.next('submit_sm')
  const draining = session.drain()
  // Each round trip is longer than `drainMs`, so a drain that waits only for `drainMs` would close the link too early.
  for (let trips = 1; trips <= 50; trips++) {
    smsc.send({ command: 'enquire_link', sequence: 1000 + trips })
    await smsc.next('enquire_link_resp')
  }
  smsc.send({ command: 'submit_sm_resp', sequence, message_id: 'slow' })
  const outcome = await submitting
  assert(outcome.kind === 'answered' && outcome.messageId === 'slow')
  await smsc.next('unbind')
  assert.deepEqual(await draining, { reason: 'unbound' })
})

test('drain keeps serving the peer and reads until unbind_resp', async (t) => {
  const handled = Promise.withResolvers<void>()
  const { session, smsc } = await boundEsme(t, {
    handlers: {
      deliver_sm: async () => {
        await handled.promise
        return {}
      },
    },
  })
  smsc.send({ command: 'deliver_sm', sequence: 1 })
  const submitting = session.submit({})
  const { sequence } = await smsc.next('submit_sm')
  const draining = session.drain()
  smsc.send({ command: 'submit_sm_resp', sequence })
  await submitting
  handled.resolve()
  assert.equal((await smsc.next('deliver_sm_resp')).sequence, 1)
  const unbind = await smsc.next('unbind')
  smsc.send({ command: 'deliver_sm', sequence: 2 })
  assert.equal((await smsc.next('deliver_sm_resp')).sequence, 2)
  smsc.send({ command: 'unbind_resp', sequence: unbind.sequence })
  assert.deepEqual(await draining, { reason: 'unbound' })
})

test('drain has a limit: requests without a response are unknown', async (t) => {
  const { session, smsc } = await boundEsme(t, { timers: { drainMs: 30, responseMs: 60 } })
  const submitting = session.submit({})
  await smsc.next('submit_sm')
  const closing = await session.drain()
  assert.equal((await submitting).kind, 'unknown')
  assert.equal(closing.reason, 'unbound')
})

test('repeated drain calls share one drain', async (t) => {
  const { session, smsc } = await boundEsme(t)
  const draining = [session.drain(), session.drain()]
  const { sequence } = await smsc.next('unbind')
  smsc.send({ command: 'unbind_resp', sequence })
  assert.deepEqual(await Promise.all(draining), [{ reason: 'unbound' }, { reason: 'unbound' }])
  assert.deepEqual(await session.drain(), { reason: 'unbound' })
  assert.equal(smsc.unread.length, 0) // no second unbind
})

test("the peer's unbind gets its response after all requests of both sides", async (t) => {
  const handled = Promise.withResolvers<void>()
  const { session, smsc } = await boundEsme(t, {
    window: 1,
    handlers: {
      deliver_sm: async () => {
        await handled.promise
        return {}
      },
    },
  })
  const [inFlight, waiting] = [session.submit({}), session.submit({})]
  const { sequence } = await smsc.next('submit_sm')
  smsc.send({ command: 'deliver_sm', sequence: 1 }, { command: 'unbind', sequence: 2 })
  assert.deepEqual(await waiting, { kind: 'not_written' })
  smsc.send({ command: 'submit_sm_resp', sequence, message_id: 'x' })
  assert.equal((await inFlight).kind, 'answered')
  assert.equal(smsc.unread.length, 0)
  handled.resolve()
  await smsc.next('deliver_sm_resp')
  assert.equal((await smsc.next('unbind_resp')).sequence, 2)
  await smsc.ended()
  assert.deepEqual(await session.closed, { reason: 'unbound' })
})

test("the peer's unbind gets its response after the limit at the latest", async (t) => {
  const { session, esme } = await boundSmsc(t, {
    timers: { drainMs: 30 },
    handlers: { submit_sm: () => new Promise(() => {}) },
  })
  const delivering = session.deliver({})
  await esme.next('deliver_sm')
  esme.send({ command: 'submit_sm', sequence: 2 }, { command: 'unbind', sequence: 3 })
  await esme.next('unbind_resp')
  assert.deepEqual(await delivering, { kind: 'unknown', cause: 'link_lost' })
  await esme.ended()
})

test('both of two crossing unbinds get a response', async (t) => {
  const { session, smsc } = await boundEsme(t)
  const draining = session.drain()
  const { sequence } = await smsc.next('unbind')
  smsc.send({ command: 'unbind', sequence: 77 })
  assert.equal((await smsc.next('unbind_resp')).sequence, 77)
  smsc.send({ command: 'unbind_resp', sequence })
  assert.deepEqual(await draining, { reason: 'unbound' })
})

test('closes the socket if the peer does not close after the unbind', async (t) => {
  const { session, smsc } = await boundEsme(t, { timers: { lingerMs: 30 } })
  smsc.socket.allowHalfOpen = true
  smsc.send({ command: 'unbind', sequence: 1 })
  await smsc.next('unbind_resp')
  await session.closed
  await until(() => session.state === 'closed')
})
