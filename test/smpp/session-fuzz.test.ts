// No input of a peer causes a crash, hang or leak, and all requests are settled when the link ends.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { encode } from '../../src/smpp/codec.ts'
import type { RequestOutcome } from '../../src/smpp/window.ts'
import { until } from '../harness/until.ts'
import { arbitraryPdu } from './arbitrary-pdu.ts'
import { boundEsme, boundSmsc } from './raw-peer.ts'

const IN_FLIGHT = 5
/** An ended session must not leave a timer; such a timer would outlast every test. */
const timers = { responseMs: 3_600_000, drainMs: 20, lingerMs: 20 }

const random = fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => Buffer.from(bytes))
const valid = fc.array(arbitraryPdu(), { minLength: 1, maxLength: 5 }).map((pdus) => Buffer.concat(pdus.map(encode)))
const mutated = fc
  .tuple(valid, fc.array(fc.record({ place: fc.nat(), byte: fc.nat(255) }), { minLength: 1, maxLength: 6 }))
  .map(([bytes, mutations]) => {
    for (const { place, byte } of mutations) bytes[place % bytes.length] = byte
    return bytes
  })
const cutOff = fc.tuple(valid, fc.nat()).map(([bytes, place]) => bytes.subarray(0, place % bytes.length))
const attack = fc.array(fc.oneof(random, valid, mutated, cutOff), { minLength: 1, maxLength: 4 })
const ending = fc.constantFrom('end', 'reset', 'none')

type Ending = 'end' | 'reset' | 'none'

describe('a live session under random and mutated bytes', () => {
  test('as an ESME', async (t) => {
    const handlers = { deliver_sm: async () => ({}), data_sm: failing }
    await attackMany(t, async (chunks, end) => {
      const { session, smsc } = await boundEsme(t, { handlers, timers, inboundLimit: 3 })
      const submitting = Array.from({ length: IN_FLIGHT }, () => session.submit({}))
      for (const chunk of chunks) smsc.sendBytes(chunk)
      finish(end, smsc.socket, () => session.close())
      return { outcomes: submitting, closed: session.closed, isClosed: () => session.state === 'closed' }
    })
  })

  test('as an SMSC', async (t) => {
    const handlers = { submit_sm: async () => ({ message_id: '1' }), data_sm: failing }
    await attackMany(t, async (chunks, end) => {
      const { session, esme } = await boundSmsc(t, { handlers, timers, inboundLimit: 3 })
      const delivering = Array.from({ length: IN_FLIGHT }, () => session.deliver({}))
      for (const chunk of chunks) esme.sendBytes(chunk)
      finish(end, esme.socket, () => session.close())
      return { outcomes: delivering, closed: session.closed, isClosed: () => session.state === 'closed' }
    })
  })
})

type Battle = { outcomes: Promise<RequestOutcome>[]; closed: Promise<unknown>; isClosed: () => boolean }

async function attackMany(t: TestContext, fight: (chunks: Buffer[], end: Ending) => Promise<Battle>): Promise<void> {
  const timersBefore = countTimers()
  await fc.assert(
    fc.asyncProperty(attack, ending, async (chunks, end) => {
      const { outcomes, closed, isClosed } = await fight(chunks, end)
      const settled = await Promise.all(outcomes)
      await closed
      assert(isClosed())
      for (const { kind } of settled) assert(['answered', 'not_written', 'unknown'].includes(kind))
    }),
    { numRuns: 100 },
  )
  // Short closing timers end soon; a leaked timer does not.
  await until(() => countTimers() <= timersBefore)
  t.diagnostic(`sockets left: ${process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length}`)
}

function finish(end: Ending, socket: { end(): void; resetAndDestroy(): void }, close: () => void): void {
  if (end === 'end') socket.end()
  else if (end === 'reset') socket.resetAndDestroy()
  else setTimeout(close, 5)
}

function countTimers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
}

function failing(): never {
  throw new Error('the handler failed')
}
