// Every request is settled once: answered, not written or unknown.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { UnwritablePduError } from '../../src/smpp/codec.ts'
import type { Pdu, ResponseName } from '../../src/smpp/commands.ts'
import type { PduAnswer, RequestOutcome } from '../../src/smpp/window.ts'
import { failOnRejection } from '../harness/background.ts'
import { until } from '../harness/until.ts'
import { boundEsme, boundSmsc, type RawPeer } from './raw-peer.ts'

const message = { destination_addr: '9779812345678', short_message: Buffer.from('hello') }
const notWritten: RequestOutcome = { kind: 'not_written' }
const linkLost: RequestOutcome = { kind: 'unknown', cause: 'link_lost' }
const noAnswer: RequestOutcome = { kind: 'unknown', cause: 'no_answer' }

const answer = (outcome: RequestOutcome) => {
  assert(outcome.kind === 'answered')
  return { status: outcome.status, messageId: outcome.messageId }
}

async function nextSubmits(smsc: RawPeer, count: number): Promise<Pdu<'submit_sm'>[]> {
  const submits = []
  while (submits.length < count) submits.push(await smsc.next('submit_sm'))
  return submits
}

describe('answered', () => {
  test('with the message ID of the carrier', async (t) => {
    const { session, smsc } = await boundEsme(t)
    const submitting = session.submit(message)
    const { sequence, destination_addr, short_message } = await smsc.next('submit_sm')
    assert.deepEqual(
      { destination_addr, short_message: short_message.toString() },
      { ...message, short_message: 'hello' },
    )
    smsc.send({ command: 'submit_sm_resp', sequence, message_id: 'abc' })
    assert.deepEqual(answer(await submitting), { status: 0, messageId: 'abc' })
  })

  test('with an error and no body', async (t) => {
    const { session, smsc } = await boundEsme(t)
    const submitting = session.submit(message)
    const { sequence } = await smsc.next('submit_sm')
    smsc.send({ command: 'submit_sm_resp', sequence, status: 0x58 })
    assert.deepEqual(answer(await submitting), { status: 0x58, messageId: '' })
  })

  test('out of order, each with its own response', async (t) => {
    const { session, smsc } = await boundEsme(t)
    const submitting = [1, 2, 3].map(() => session.submit(message))
    const submits = await nextSubmits(smsc, 3)
    const answers = submits.map(
      ({ sequence }, i) => ({ command: 'submit_sm_resp', sequence, message_id: `id${i}` }) as const,
    )
    smsc.send(...answers.toReversed())
    const outcomes = await Promise.all(submitting)
    assert.deepEqual(
      outcomes.map((outcome) => answer(outcome).messageId),
      ['id0', 'id1', 'id2'],
    )
  })

  test('by a generic_nack, which is an error even without a status', async (t) => {
    const { session, smsc } = await boundEsme(t)
    const submitting = [session.submit(message), session.submit(message)]
    const [first, second] = await nextSubmits(smsc, 2)
    assert(first && second)
    smsc.send(
      { command: 'generic_nack', sequence: first.sequence, status: 0x03 },
      { command: 'generic_nack', sequence: second.sequence },
    )
    const outcomes = await Promise.all(submitting)
    assert.deepEqual(
      outcomes.map((outcome) => answer(outcome).status),
      [0x03, 0xff],
    )
  })

  test('only by the response to its own command', async (t) => {
    const unexpected: Pdu<ResponseName>[] = []
    const { session, smsc } = await boundEsme(t, { onUnexpectedResponse: (pdu) => unexpected.push(pdu) })
    const submitting = session.submit(message)
    const { sequence } = await smsc.next('submit_sm')
    smsc.send(
      { command: 'deliver_sm_resp', sequence },
      { command: 'submit_sm_resp', sequence: sequence + 1, message_id: 'not ours' },
      { command: 'submit_sm_resp', sequence, message_id: 'ours' },
      { command: 'submit_sm_resp', sequence, message_id: 'again' },
    )
    assert.equal(answer(await submitting).messageId, 'ours')
    await until(() => unexpected.length === 3)
  })

  test('by an ESME, if our side is the SMSC', async (t) => {
    const { session, esme } = await boundSmsc(t)
    const delivering = session.deliver({ esm_class: 4 })
    const { sequence } = await esme.next('deliver_sm')
    esme.send({ command: 'deliver_sm_resp', sequence, status: 0x64 })
    assert.deepEqual(answer(await delivering), { status: 0x64, messageId: '' })
  })

  test('for data_sm too', async (t) => {
    const { session, smsc } = await boundEsme(t)
    const sending = session.request('data_sm', { tlvs: { message_payload: Buffer.from('long') } })
    const { sequence, tlvs } = await smsc.next('data_sm')
    assert.equal(tlvs.message_payload?.toString(), 'long')
    smsc.send({ command: 'data_sm_resp', sequence, message_id: 'd1' })
    assert.equal(answer(await sending).messageId, 'd1')
  })
})

describe('the window', () => {
  test('holds requests back until a response makes room', async (t) => {
    const { session, smsc } = await boundEsme(t, { window: 2 })
    assert.equal(session.room, 2)
    const submitting = [1, 2, 3].map(() => session.submit(message))
    assert.equal(session.room, 0)
    const [first] = await nextSubmits(smsc, 2)
    assert(first)
    smsc.send({ command: 'enquire_link', sequence: 1 })
    await smsc.next('enquire_link_resp') // everything before it is written
    assert.equal(smsc.unread.length, 0)
    smsc.send({ command: 'submit_sm_resp', sequence: first.sequence })
    await smsc.next('submit_sm')
    assert.equal(answer(await (submitting[0] ?? assert.fail())).status, 0)
  })

  test('is not blocked by a PDU that cannot be encoded', async (t) => {
    const { session, smsc } = await boundEsme(t, { window: 1 })
    await assert.rejects(session.submit({ source_addr: 'a\0b' }), UnwritablePduError)
    assert.equal(session.room, 1)
    failOnRejection(session.submit(message))
    await smsc.next('submit_sm')
  })

  test('numbers requests up to 0x7fffffff, then from 1', async (t) => {
    const { session, smsc } = await boundEsme(t, { firstSequence: 0x7ffffffe })
    const submitting = [session.submit(message), session.submit(message)]
    const submits = await nextSubmits(smsc, 2)
    assert.deepEqual(
      submits.map(({ sequence }) => sequence),
      [0x7fffffff, 1],
    )
    for (const { sequence } of submits) smsc.send({ command: 'submit_sm_resp', sequence })
    await Promise.all(submitting)
  })
})

test('a peer that pauses reading gets everything once', async (t) => {
  const count = 40_000
  // Enough time for a slow machine.
  const timers = { responseMs: 3_600_000, enquireAfterMs: 3_600_000 }
  const { session, smsc } = await boundEsme(t, { window: count, timers })
  smsc.socket.pause()
  const text = { ...message, short_message: Buffer.alloc(250, 0x41) }
  const submitting = Array.from({ length: count }, () => session.submit(text))
  setTimeout(() => smsc.socket.resume(), 50)
  const submits = await nextSubmits(smsc, count)
  assert.equal(new Set(submits.map(({ sequence }) => sequence)).size, count)
  smsc.send(...submits.map(({ sequence }) => ({ command: 'submit_sm_resp', sequence }) as const))
  const outcomes = await Promise.all(submitting)
  assert(outcomes.every(({ kind }) => kind === 'answered'))
})

describe('unknown', () => {
  test('without a response in time; the window has room again, and a late response is reported', async (t) => {
    const unexpected: Pdu<ResponseName>[] = []
    const { session, smsc } = await boundEsme(t, {
      window: 1,
      timers: { responseMs: 30 },
      onUnexpectedResponse: (pdu) => unexpected.push(pdu),
    })
    const late = Promise.withResolvers<PduAnswer>()
    assert.deepEqual(await session.submit(message, late.resolve), noAnswer)
    assert.equal(session.room, 1)
    const { sequence } = await smsc.next('submit_sm')
    smsc.send({ command: 'submit_sm_resp', sequence, message_id: 'late' })
    assert.deepEqual(answer(await late.promise), { status: 0, messageId: 'late' })
    smsc.send({ command: 'submit_sm_resp', sequence, message_id: 'twice' })
    await until(() => unexpected.length === 1)
    assert.equal(session.state, 'bound')
  })

  test('if the link is lost after writing; unwritten requests may be resent', async (t) => {
    const { session, smsc } = await boundEsme(t, { window: 2 })
    const submitting = [1, 2, 3, 4].map(() => session.submit(message))
    await nextSubmits(smsc, 2)
    smsc.socket.resetAndDestroy()
    assert.deepEqual(await Promise.all(submitting), [linkLost, linkLost, notWritten, notWritten])
    assert.equal((await session.closed).reason, 'lost')
  })

  test('when our side closes', async (t) => {
    const { session } = await boundEsme(t, { window: 1 })
    const submitting = [session.submit(message), session.submit(message)]
    session.close()
    assert.deepEqual(await Promise.all(submitting), [linkLost, notWritten])
  })
})

describe('not written', () => {
  test('on a closed session', async (t) => {
    const { session } = await boundEsme(t)
    session.close()
    assert.deepEqual(await session.submit(message), notWritten)
    assert.equal(session.room, 0)
  })

  test('on a full socket: a peer that stops reading is disconnected, and nothing is lost or duplicated', async (t) => {
    const count = 60_000
    const { session, smsc } = await boundEsme(t, {
      window: count,
      timers: { enquireAfterMs: 150, enquireAnswerMs: 50, responseMs: 10_000 },
    })
    smsc.socket.pause()
    const text = { ...message, short_message: Buffer.alloc(250, 0x41) }
    const outcomes = await Promise.all(Array.from({ length: count }, () => session.submit(text)))
    assert.equal((await session.closed).reason, 'silent')
    const kinds = new Set(outcomes.map((outcome) => outcome.kind))
    assert.deepEqual([...kinds], ['unknown', 'not_written'])
  })
})
