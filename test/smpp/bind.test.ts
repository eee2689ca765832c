import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { BindError } from '../../src/smpp/closing.ts'
import { UnwritablePduError } from '../../src/smpp/codec.ts'
import { type AcceptOptions, acceptSession, connectSession } from '../../src/smpp/open-session.ts'
import type { SessionState } from '../../src/smpp/session.ts'
import { boundEsme, boundSmsc, listen, rawEsme, rawSmsc } from './raw-peer.ts'

const refusedWith = (status: number | undefined) => (error: unknown) =>
  error instanceof BindError && error.status === status

describe('the ESME', () => {
  test('binds with the given fields as version 3.4 and reports its states', async (t) => {
    const { smsc, target } = await rawSmsc(t)
    const states: SessionState[] = []
    const bind = { system_id: 'hulaki', password: 'over-eight-chars', system_type: 'SMS', address_range: '^977' }
    const connecting = connectSession({ ...target, bind, onState: (state) => states.push(state) })
    const peer = await smsc
    const request = await peer.next('bind_transceiver')
    const { system_id, password, system_type, interface_version, address_range } = request
    assert.deepEqual({ system_id, password, system_type, address_range }, bind)
    assert.equal(interface_version, 0x34)
    peer.send({ command: 'bind_transceiver_resp', sequence: request.sequence, system_id: 'smsc' })
    const session = await connecting
    assert.equal(session.state, 'bound')
    session.close()
    assert.deepEqual(await session.closed, { reason: 'closed' })
    assert.deepEqual(states, ['connecting', 'binding', 'bound', 'closed'])
  })

  for (const bindName of ['bind_receiver', 'bind_transmitter'] as const) {
    test(`binds by ${bindName}`, async (t) => {
      const { smsc, target } = await rawSmsc(t)
      const connecting = connectSession({ ...target, bindName })
      const peer = await smsc
      const { sequence } = await peer.next(bindName)
      peer.send({ command: `${bindName}_resp`, sequence })
      const session = await connecting
      assert.equal(session.bindName, bindName)
      session.close()
    })
  }

  for (const command of ['bind_transceiver_resp', 'generic_nack'] as const) {
    test(`rejects with the status of a refused bind, by ${command}, and closes`, async (t) => {
      const { smsc, target } = await rawSmsc(t)
      const connecting = connectSession(target)
      const peer = await smsc
      const { sequence } = await peer.next('bind_transceiver')
      peer.send({ command, sequence, status: 0x0e })
      await assert.rejects(connecting, refusedWith(0x0e))
      await peer.ended()
    })
  }

  test('fails if the bind gets no response in time', async (t) => {
    const { smsc, target } = await rawSmsc(t)
    await assert.rejects(connectSession({ ...target, timers: { bindMs: 30 } }), /bind_timeout/)
    await (await smsc).ended()
  })

  test('stays bound after the bind timeout', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { session, smsc } = await boundEsme(t, { timers: { bindMs: 200, enquireAfterMs: 300 } })
    t.mock.timers.tick(300)
    await smsc.next('enquire_link')
    assert.equal(session.state, 'bound')
  })

  test('fails if the connection is not established in time', async (t) => {
    // A silent plain server never completes a TLS handshake.
    const port = await listen(t, () => {})
    const { target } = await rawSmsc(t)
    await assert.rejects(connectSession({ ...target, port, tls: {}, timers: { connectMs: 30 } }), /within 30 ms/)
  })

  test('fails if no server listens', async (t) => {
    const { target } = await rawSmsc(t)
    await assert.rejects(connectSession({ ...target, port: 1 }), { code: 'ECONNREFUSED' })
  })

  test('fails if the link is lost before the bind', async (t) => {
    const { smsc, target } = await rawSmsc(t)
    const connecting = connectSession(target)
    ;(await smsc).socket.destroy()
    await assert.rejects(connecting, refusedWith(undefined))
  })

  test('can be aborted while it connects and while it binds', async (t) => {
    const { smsc, target } = await rawSmsc(t)
    await assert.rejects(connectSession({ ...target, signal: AbortSignal.abort() }), { name: 'AbortError' })

    const whileConnecting = new AbortController()
    const port = await listen(t, () => whileConnecting.abort())
    await assert.rejects(connectSession({ ...target, port, tls: {}, signal: whileConnecting.signal }), /aborted/)

    const whileBinding = new AbortController()
    const connecting = connectSession({ ...target, signal: whileBinding.signal })
    const peer = await smsc
    await peer.next('bind_transceiver')
    whileBinding.abort()
    await assert.rejects(connecting, refusedWith(undefined))
    await peer.ended()
  })

  test('never writes a bind that cannot be encoded', async (t) => {
    const { smsc, target } = await rawSmsc(t)
    await assert.rejects(connectSession({ ...target, bind: { system_id: 'a\0b' } }), UnwritablePduError)
    const peer = await smsc
    await peer.ended()
    assert.equal(peer.socket.bytesRead, 0)
  })

  test('serves a deliver_sm in the same chunk as its bind response', async (t) => {
    const { smsc, target } = await rawSmsc(t)
    const connecting = connectSession({ ...target, handlers: { deliver_sm: () => ({}) } })
    const peer = await smsc
    const { sequence } = await peer.next('bind_transceiver')
    peer.send({ command: 'bind_transceiver_resp', sequence }, { command: 'deliver_sm', sequence: 9 })
    assert.equal((await peer.next('deliver_sm_resp')).status, 0)
    ;(await connecting).close()
  })

  test('responds 0x04 to a deliver_sm before the bind', async (t) => {
    const { smsc, target } = await rawSmsc(t)
    const connecting = connectSession({ ...target, handlers: { deliver_sm: () => ({}) } })
    const peer = await smsc
    const { sequence } = await peer.next('bind_transceiver')
    peer.send({ command: 'deliver_sm', sequence: 9 }, { command: 'bind_transceiver_resp', sequence })
    assert.equal((await peer.next('deliver_sm_resp')).status, 0x04)
    ;(await connecting).close()
  })
})

describe('the SMSC', () => {
  async function unboundSmsc(t: TestContext, options: Partial<AcceptOptions> = {}) {
    const failed = Promise.withResolvers<unknown>()
    const port = await listen(t, (socket) => {
      acceptSession(socket, { onBind: () => ({}), ...options }).catch(failed.resolve)
    })
    return { esme: await rawEsme(t, port), failed: failed.promise }
  }

  test('accepts the bind and sends its system_id', async (t) => {
    const { esme } = await unboundSmsc(t, {
      onBind: async ({ command, system_id, password }) => {
        assert.deepEqual(
          { command, system_id, password },
          { command: 'bind_receiver', system_id: 'me', password: 'pw' },
        )
        return { system_id: 'hulaki', tlvs: { sc_interface_version: 0x34 } }
      },
    })
    esme.send({ command: 'bind_receiver', sequence: 4, system_id: 'me', password: 'pw' })
    const { system_id, sequence, tlvs } = await esme.next('bind_receiver_resp')
    assert.deepEqual(
      { system_id, sequence, tlvs },
      { system_id: 'hulaki', sequence: 4, tlvs: { sc_interface_version: 0x34 } },
    )
  })

  test('rejects a bind with a status and closes', async (t) => {
    const { esme, failed } = await unboundSmsc(t, { onBind: () => ({ status: 0x0f }) })
    esme.send({ command: 'bind_transceiver', sequence: 1 })
    assert.equal((await esme.next('bind_transceiver_resp')).status, 0x0f)
    await esme.ended()
    assert(refusedWith(0x0f)(await failed))
  })

  test('responds 0x0D if its bind handler fails', async (t) => {
    const { esme } = await unboundSmsc(t, {
      onBind: () => {
        throw new Error('no database')
      },
    })
    esme.send({ command: 'bind_transmitter', sequence: 1 })
    assert.equal((await esme.next('bind_transmitter_resp')).status, 0x0d)
    await esme.ended()
  })

  test('closes the connection of a peer that does not bind in time', async (t) => {
    const { esme, failed } = await unboundSmsc(t, { timers: { bindMs: 30 } })
    await esme.ended()
    assert(refusedWith(undefined)(await failed))
  })

  test('responds to enquire_link and unbind before the bind, and rejects messages', async (t) => {
    const { esme } = await unboundSmsc(t, { handlers: { submit_sm: () => ({ message_id: '1' }) } })
    esme.send({ command: 'enquire_link', sequence: 1 }, { command: 'submit_sm', sequence: 2 })
    await esme.next('enquire_link_resp')
    assert.equal((await esme.next('submit_sm_resp')).status, 0x04)
    esme.send({ command: 'unbind', sequence: 3 })
    await esme.next('unbind_resp')
    await esme.ended()
  })

  test('responds 0x05 to a second bind', async (t) => {
    const { esme, session } = await boundSmsc(t)
    esme.send({ command: 'bind_transmitter', sequence: 2 })
    assert.equal((await esme.next('bind_transmitter_resp')).status, 0x05)
    assert.equal(session.state, 'bound')
  })

  test('rejects a submit_sm from a receiver', async (t) => {
    const { esme } = await unboundSmsc(t, { handlers: { submit_sm: () => ({ message_id: '1' }) } })
    esme.send({ command: 'bind_receiver', sequence: 1 })
    await esme.next('bind_receiver_resp')
    esme.send({ command: 'submit_sm', sequence: 2 })
    assert.equal((await esme.next('submit_sm_resp')).status, 0x04)
  })
})
