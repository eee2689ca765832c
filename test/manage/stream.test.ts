// A streamed response ends if its reader is slower than the minimum rate, or takes too long.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { PacedWriter } from '../../src/manage/stream.ts'

const server = createServer()
server.listen(0, '127.0.0.1')
await once(server, 'listening')
after(() => server.close())

async function openStream(): Promise<{ stream: ServerResponse; reader: Socket }> {
  const reader = connect((server.address() as AddressInfo).port, '127.0.0.1')
  after(() => reader.destroy())
  const requested = once(server, 'request')
  reader.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  const [, stream] = (await requested) as [unknown, ServerResponse]
  return { stream, reader }
}

/** More than the sockets of both sides buffer. */
const LARGE = 'x'.repeat(32 * 1024 * 1024)
const NEVER = 1e9

test('a reader that keeps up gets every piece', async () => {
  const { stream, reader } = await openStream()
  reader.resume()
  const writer = new PacedWriter(stream, { graceMs: NEVER, bytesPerSecond: 1, maxMs: NEVER })
  assert.deepEqual(
    [await writer.write('head'), await writer.write(LARGE), await writer.write(LARGE)],
    [true, true, true],
  )
  assert.equal(stream.listenerCount('drain'), 0, 'no listener is left behind')
})

test('a reader below the minimum rate loses the stream', async () => {
  const { stream } = await openStream()
  const writer = new PacedWriter(stream, { graceMs: 20, bytesPerSecond: LARGE.length * 100, maxMs: NEVER })
  assert.equal(await writer.write(LARGE), false)
})

test('a stream ends after its longest duration, also within a piece', async () => {
  const { stream } = await openStream()
  const writer = new PacedWriter(stream, { graceMs: NEVER, bytesPerSecond: 1, maxMs: 20 })
  assert.equal(await writer.write(LARGE), false)
  assert.equal(await writer.write('more'), false)
})

test('a reader that is gone gets nothing more', async () => {
  const { stream, reader } = await openStream()
  const writer = new PacedWriter(stream, { graceMs: NEVER, bytesPerSecond: 1, maxMs: NEVER })
  const written = writer.write(LARGE)
  reader.destroy()
  assert.equal(await written, false)
})
