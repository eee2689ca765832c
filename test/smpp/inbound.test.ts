import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { encode } from '../../src/smpp/codec.ts'
import { until } from '../harness/until.ts'
import { boundEsme, boundSmsc } from './raw-peer.ts'

describe('requests of the peer', () => {
  test('get their reply when their handler is done, in any order', async (t) => {
    const done = new Map<number, () => void>()
    const { smsc } = await boundEsme(t, {
      handlers: {
        deliver_sm: async ({ sequence }) => {
          await new Promise<void>((resolve) => done.set(sequence, resolve))
          return {}
        },
      },
    })
    smsc.send({ command: 'deliver_sm', sequence: 11 }, { command: 'deliver_sm', sequence: 12 })
    await until(() => done.size === 2)
    done.get(12)?.()
    assert.equal((await smsc.next('deliver_sm_resp')).sequence, 12)
    done.get(11)?.()
    assert.equal((await smsc.next('deliver_sm_resp')).sequence, 11)
  })

  test('get the reply of their handler', async (t) => {
    const { esme } = await boundSmsc(t, {
      handlers: {
        submit_sm: ({ destination_addr }) =>
          destination_addr === '977' ? { status: 0x0b } : { message_id: 'm1', tlvs: { dpf_result: 1 } },
      },
    })
    esme.send({ command: 'submit_sm', sequence: 2, destination_addr: '97798' })
    const { message_id, tlvs } = await esme.next('submit_sm_resp')
    assert.deepEqual({ message_id, tlvs }, { message_id: 'm1', tlvs: { dpf_result: 1 } })
    esme.send({ command: 'submit_sm', sequence: 3, destination_addr: '977' })
    assert.equal((await esme.next('submit_sm_resp')).status, 0x0b)
  })

  test('get 0x64 for deliver_sm and 0x08 for submit_sm if their handler throws, and the session continues', async (t) => {
    const errors: unknown[] = []
    const handler = () => {
      throw new Error('no database')
    }
    const onHandlerError = (error: unknown) => errors.push(error)
    const { smsc } = await boundEsme(t, { handlers: { deliver_sm: handler, data_sm: handler }, onHandlerError })
    smsc.send({ command: 'deliver_sm', sequence: 1 }, { command: 'data_sm', sequence: 2 })
    assert.equal((await smsc.next('deliver_sm_resp')).status, 0x64)
    assert.equal((await smsc.next('data_sm_resp')).status, 0x64)

    const { esme } = await boundSmsc(t, { handlers: { submit_sm: handler }, onHandlerError })
    esme.send({ command: 'submit_sm', sequence: 1 }, { command: 'enquire_link', sequence: 2 })
    assert.equal((await esme.next('submit_sm_resp')).status, 0x08)
    await esme.next('enquire_link_resp')
    assert.equal(errors.length, 3)
  })

  test('with a reply that cannot be encoded count as handler errors', async (t) => {
    const { esme } = await boundSmsc(t, { handlers: { submit_sm: async () => ({ message_id: 'a\0b' }) } })
    esme.send({ command: 'submit_sm', sequence: 5 })
    const { status, sequence } = await esme.next('submit_sm_resp')
    assert.deepEqual({ status, sequence }, { status: 0x08, sequence: 5 })
  })

  test('without a reply on purpose do not block others', async (t) => {
    const { esme } = await boundSmsc(t, {
      inboundLimit: 1,
      handlers: { submit_sm: ({ sequence }) => (sequence === 4 ? { message_id: 'x' } : undefined) },
    })
    for (const sequence of [2, 3, 4]) esme.send({ command: 'submit_sm', sequence })
    assert.equal((await esme.next('submit_sm_resp')).sequence, 4)
  })

  test('without a handler get a generic_nack with 0x03', async (t) => {
    const { smsc } = await boundEsme(t)
    smsc.send({ command: 'submit_sm', sequence: 8 })
    const { status, sequence } = await smsc.next('generic_nack')
    assert.deepEqual({ status, sequence }, { status: 0x03, sequence: 8 })
  })
})

describe('bad PDUs', () => {
  test('nacks unknown commands, rejects invalid bodies, ignores unknown responses and alerts, and continues', async (t) => {
    const { session, smsc } = await boundEsme(t, { handlers: { deliver_sm: () => ({}) } })
    const unknownCommand = Buffer.from('00000010000000030000000000000021', 'hex')
    const unknownResponse = Buffer.from('00000010800000030000000000000022', 'hex')
    const cutOff = Buffer.from('00000012000000050000000000000023414243', 'hex').subarray(0, 18)
    // alert_notification gets no response, not even a nack.
    const alert = Buffer.from('00000016000001020000000000000025010100010100', 'hex')
    smsc.sendBytes(Buffer.concat([unknownResponse, alert, unknownCommand, cutOff]))
    smsc.send({ command: 'deliver_sm', sequence: 0x24 })
    const nack = await smsc.next('generic_nack')
    assert.deepEqual([nack.status, nack.sequence], [0x03, 0x21])
    const refused = await smsc.next('deliver_sm_resp')
    assert.deepEqual([refused.status, refused.sequence], [0x02, 0x23])
    const taken = await smsc.next('deliver_sm_resp')
    assert.deepEqual([taken.status, taken.sequence], [0x00, 0x24])
    assert.equal(session.state, 'bound')
  })

  for (const length of [4, 15, 65_537]) {
    test(`a command_length of ${length} gets a nack with 0x02 and ends the session`, async (t) => {
      const { session, smsc } = await boundEsme(t)
      const submitting = session.submit({})
      const head = Buffer.alloc(16)
      head.writeUInt32BE(length)
      smsc.sendBytes(head)
      assert.deepEqual(await submitting, { kind: 'unknown', cause: 'link_lost' })
      await smsc.next('submit_sm')
      assert.equal((await smsc.next('generic_nack')).status, 0x02)
      await smsc.ended()
      assert.equal((await session.closed).reason, 'garbled')
    })
  }
})

describe('the limit on requests in progress', () => {
  test('pauses reading, even within a chunk, until a reply is sent', async (t) => {
    const running: (() => void)[] = []
    let seen = 0
    const { smsc } = await boundEsme(t, {
      inboundLimit: 3,
      handlers: {
        deliver_sm: async () => {
          seen += 1
          await new Promise<void>((resolve) => running.push(resolve))
          return {}
        },
      },
    })
    smsc.send(...Array.from({ length: 10 }, (_, i) => ({ command: 'deliver_sm', sequence: i }) as const))
    for (let answered = 0; answered < 10; answered++) {
      await until(() => seen === Math.min(10, answered + 3))
      running.shift()?.()
      await smsc.next('deliver_sm_resp')
      assert(running.length <= 3)
    }
  })

  test('holds for a peer that never reads its replies', async (t) => {
    const { session, smsc } = await boundEsme(t, { timers: { enquireAfterMs: 200, enquireAnswerMs: 50 } })
    smsc.socket.pause()
    const questions = Buffer.concat(
      Array.from({ length: 4096 }, (_, i) => encode({ command: 'enquire_link', sequence: i })),
    )
    let sentBytes = 0
    smsc.socket.on('drain', ask)
    function ask() {
      while (smsc.socket.write(questions)) sentBytes += questions.length
    }
    ask()
    assert.equal((await session.closed).reason, 'silent')
    assert(sentBytes < 64 * 1024 * 1024)
  })

  test('keeps every response that was read before the peer closed', async (t) => {
    const { session, smsc } = await boundEsme(t, {
      inboundLimit: 1,
      handlers: { deliver_sm: () => new Promise(() => {}) },
    })
    const submitting = session.submit({})
    const { sequence } = await smsc.next('submit_sm')
    const deliverSm = encode({ command: 'deliver_sm', sequence: 1 })
    const unknownCommand = Buffer.from('00000010000000030000000000000021', 'hex')
    const answer = encode({ command: 'submit_sm_resp', sequence, message_id: 'held' })
    smsc.sendBytes(Buffer.concat([deliverSm, deliverSm, unknownCommand, answer]))
    smsc.socket.end()
    const outcome = await submitting
    assert(outcome.kind === 'answered' && outcome.messageId === 'held')
    assert.equal((await session.closed).reason, 'lost')
  })
})
