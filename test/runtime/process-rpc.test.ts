// Queries between processes are answered or rejected, never left open.
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { type Channel, RpcConnection, RpcRouter, UnknownSubject } from '../../src/runtime/process-rpc.ts'

/** The two ends of a channel. Messages arrive later as copies, as between processes. */
function channelPair() {
  const ends = [new EventEmitter(), new EventEmitter()] as const
  let open = true
  const endOf = (mine: EventEmitter, other: EventEmitter): Channel =>
    Object.assign(mine, {
      send: (message: unknown) => {
        if (!open) throw new Error('channel closed')
        const copy = structuredClone(message)
        setImmediate(() => other.emit('message', copy))
      },
    })
  const cut = () => {
    open = false
    for (const end of ends) end.emit('disconnect')
  }
  return { near: endOf(ends[0], ends[1]), far: endOf(ends[1], ends[0]), cut }
}

function connected() {
  const { near, far, cut } = channelPair()
  const primary = new RpcRouter()
  const connection = new RpcConnection(near, (subject, input) => primary.call(subject, input))
  const worker = new RpcRouter((subject, input) => upward.call(subject, input))
  const upward = new RpcConnection(far, (subject, input) => worker.call(subject, input))
  return { primary, worker, connection, cut }
}

test('answers a subject of this process locally', async () => {
  const { primary, worker } = connected()
  primary.handle('name', () => 'primary')
  worker.handle('name', () => 'worker')
  assert.equal(await worker.call('name'), 'worker')
})

test('asks the other process for other subjects, and keeps dates and bytes', async () => {
  const { primary, worker, connection } = connected()
  primary.handle('echo', async (input: unknown) => ({ input }))
  const input = { at: new Date(0), bytes: new Uint8Array([1, 2]), list: [null] }
  assert.deepEqual(await worker.call('echo', input), { input })
  worker.handle('twice', (number: number) => number * 2)
  const answers = await Promise.all([1, 2, 3].map((number) => connection.call('twice', number)))
  assert.deepEqual(answers, [2, 4, 6])
})

test('returns an error with its fields', async () => {
  const { primary, worker } = connected()
  primary.handle('listen', () => {
    throw Object.assign(new Error('taken'), { code: 'EADDRINUSE', port: 80 })
  })
  await assert.rejects(worker.call('listen'), { message: 'taken', code: 'EADDRINUSE', port: 80 })
})

test('rejects an unknown subject at once', async () => {
  const { worker } = connected()
  await assert.rejects(worker.call('the weather'), { code: 'UNKNOWN_SUBJECT' })
  await assert.rejects(new RpcRouter().call('the weather'), UnknownSubject)
})

test('rejects open questions when the other process is gone', async () => {
  const { worker, connection, cut } = connected()
  worker.handle('never', () => new Promise(() => {}))
  const open = connection.call('never')
  setImmediate(cut)
  await assert.rejects(open, /gone/)
  await assert.rejects(connection.call('never'), /gone/)
})
