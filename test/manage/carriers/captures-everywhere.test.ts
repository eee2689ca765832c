// Packet captures (D60) record every process that uses the carrier, up to a limit.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { Captures } from '../../../src/actions/carriers/captures.ts'
import type { ManualClock } from '../../../src/runtime/clock.ts'
import { createLog } from '../../../src/runtime/log.ts'
import { insertFrames, listFrames } from '../../../src/store/carriers/carrier-captures.ts'
import { ALLOWED, addHttpCarrier, describe, startProvider } from '../../harness/http-carrier.ts'
import { addCarrier, addRoute, makeSender } from '../../harness/sending.ts'
import { ownService } from '../../harness/service.ts'
import { startSmsc } from '../../harness/smsc.ts'
import { until } from '../../harness/until.ts'

const smsc = await startSmsc()
const provider = await startProvider()
after(() => provider.close())
const env = { ...ALLOWED, HULAKI_PUBLIC_URL: 'http://127.0.0.1:1' }
/** This process serves the API and holds no connection; the other holds all of them. */
const asked = await ownService({ env: { ...env, HULAKI_ROLES: 'api' } })
const holding = await ownService({ env: { ...env, HULAKI_ROLES: 'delivery,api' }, beside: asked })
const sender = await makeSender(asked)
const { manage } = asked
type Shown = { bind: number; outgoing: boolean; decoded: Record<string, unknown> }

async function capture(carrierId: string, during: () => Promise<void>): Promise<Shown[]> {
  const begun = await manage('POST', `/carriers/${carrierId}/captures`, { seconds: 600 })
  assert.equal(begun.status, 201, JSON.stringify(begun.body))
  await during()
  // Both processes share one clock, because the process without delivery cannot advance the other.
  await holding.advance(600)
  const at = `/carriers/${carrierId}/captures/${begun.body.id}`
  await until(async () => {
    await asked.settle()
    return (await manage('GET', at)).body.frames > 0
  })
  return (await manage('GET', at)).body.exchanged
}

test('records calls of another process and receipts of this process in one capture', async () => {
  const receipts = { kind: 'callback', reading: { id: '/id', state: '/status' } }
  const http = { ...describe(provider.url), receipts }
  const carrierId = await addHttpCarrier(asked, provider.url, { http })
  const route = await addRoute(asked, carrierId)
  const isWorking = async () => (await manage('GET', `/carriers/${carrierId}`)).body.health.state === 'working'
  await until(isWorking)
  const { callbackUrl } = (await manage('POST', `/carriers/${carrierId}/callback`, {})).body
  const shown = await capture(carrierId, async () => {
    // Neither process polls: both receive a notification.
    let sent = 0
    await until(async () => {
      sent += 1
      const { body } = await sender.send({ to: '9841000001' })
      await until(async () => (await sender.get(body.messageId)).status === 'sent')
      for (const at of [asked.url, holding.url]) {
        const called = await fetch(`${at}${new URL(callbackUrl).pathname}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ id: `id-${sent}`, status: 'delivered' }),
        })
        assert.equal(called.status, 200)
      }
      return sent >= 5
    })
  })
  await manage('DELETE', `/routes/${route}`)
  const paths = shown.filter((it) => it.decoded.method).map((it) => `${it.bind} ${it.decoded.path}`)
  assert.ok(paths.includes('1 /messages'), paths.join())
  const called = shown.filter((it) => it.bind === 0 && !it.outgoing).map((it) => it.decoded.host)
  assert.deepEqual(new Set(called), new Set([asked.url, holding.url].map((it) => new URL(it).host)))
})

test('records PDUs of a connection that another process holds', async () => {
  const carrierId = await addCarrier(asked, smsc.port)
  await addRoute(asked, carrierId)
  await until(async () => (await manage('GET', `/carriers/${carrierId}`)).body.health.state === 'working')
  const shown = await capture(carrierId, async () => {
    for (let sent = 0; sent < 5; sent++) {
      const { body } = await sender.send({ to: '9841000002' })
      await until(async () => (await sender.get(body.messageId)).status === 'delivered')
    }
  })
  assert.ok(shown.some((it) => it.decoded.command === 'submit_sm'))
})

test('tests a carrier in the process that holds its connections', async () => {
  const { items } = (await manage('GET', '/carriers')).body
  for (const { id } of items) {
    const { binds } = (await manage('POST', `/carriers/${id}/test`, {})).body
    assert.deepEqual(
      binds.map((it: { fault: string | null; milliseconds: number | null }) => [it.fault, it.milliseconds !== null]),
      [[null, true]],
    )
  }
})

test('keeps the latest frames by number and size, records nothing without a capture, and loses nothing when a process stops', async (t) => {
  const clock = asked.clock as ManualClock
  const ports = { ...asked.ports, clock }
  const captures = new Captures(ports, createLog('error', { write: () => {} }))
  let isStopped = false
  t.after(() => (isStopped ? undefined : captures.stop()))
  const [carrier] = (await manage('GET', '/carriers')).body.items
  const seen = (bytes: Buffer) => ({ bind: 1, exchange: null, called: false, outgoing: true, bytes, decoded: {} })
  captures.add(carrier.id, () => assert.fail('nobody looks'))
  const { id } = (await manage('POST', `/carriers/${carrier.id}/captures`, { seconds: 600 })).body
  assert.equal((await manage('POST', `/carriers/${carrier.id}/captures`, { seconds: 600 })).status, 409)
  await captures.settle()
  captures.add(carrier.id, () => {
    throw new Error('what cannot be shown')
  })
  for (let nth = 1; nth <= 5_000; nth++) captures.add(carrier.id, () => seen(Buffer.from(String(nth))))
  for (let nth = 1; nth <= 40; nth++) captures.add(carrier.id, () => seen(Buffer.alloc(65_536, nth)))
  isStopped = true
  await captures.stop()
  const frames = await listFrames(asked.db, id)
  assert.deepEqual([frames.length, frames.at(0)?.nth, frames.at(-1)?.nth], [30, 5_011, 5_040])
  assert.ok(frames.reduce((sum, it) => sum + it.bytes.length, 0) <= 2_000_000)
  await holding.advance(600)
})

test('keeps two thousand small frames', async () => {
  const captures = new Captures(asked.ports, createLog('error', { write: () => {} }))
  const [carrier] = (await manage('GET', '/carriers')).body.items
  const { id } = (await manage('POST', `/carriers/${carrier.id}/captures`, { seconds: 1 })).body
  await captures.settle()
  const frame = { bind: 1, exchange: null, called: false, outgoing: true, bytes: Buffer.from('x'), decoded: {} }
  for (let nth = 1; nth <= 10_000; nth++) captures.add(carrier.id, () => frame)
  await captures.stop()
  const nths = (await listFrames(asked.db, id)).map((it) => it.nth).sort((one, other) => one - other)
  assert.deepEqual([nths.length, nths[0], nths.at(-1)], [2_000, 8_001, 10_000])
})

test('returns the latest frames of many processes, up to the size of one response', async () => {
  await asked.advance(2)
  const [carrier] = (await manage('GET', '/carriers')).body.items
  const { id } = (await manage('POST', `/carriers/${carrier.id}/captures`, { seconds: 1 })).body
  const started = Date.now()
  const frame = { bind: 1, exchange: null, called: false, outgoing: true, bytes: Buffer.alloc(1_000_000), decoded: {} }
  for (let nth = 1; nth <= 12; nth++) {
    const frames = [{ ...frame, nth: 1, at: new Date(started + nth) }]
    await insertFrames(asked.db, { captureId: id, processId: randomUUID(), frames })
  }
  const read = await listFrames(asked.db, id)
  assert.deepEqual([read.length, read.at(-1)?.at.getTime()], [7, started + 12])
})
