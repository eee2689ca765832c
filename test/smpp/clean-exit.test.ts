import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

const source = (name: string) => JSON.stringify(new URL(`../../src/smpp/${name}`, import.meta.url).href)

// Both sides in one process with long timers: a leaked timer would keep the process alive for at least ten seconds.
const program = `
  import { createServer } from 'node:net'
  import { acceptSession, connectSession } from ${source('open-session.ts')}
  const timers = { lingerMs: 10_000 }
  const server = createServer((socket) => {
    acceptSession(socket, { timers, onBind: () => ({}), handlers: { submit_sm: () => ({ message_id: '1' }) } })
  })
  server.listen(0, '127.0.0.1', async () => {
    const { port } = server.address()
    const session = await connectSession({ host: '127.0.0.1', port, timers, bindName: 'bind_transceiver', bind: {} })
    await session.submit({})
    await session.drain()
    server.close()
  })`

test('a drained session leaves nothing that keeps the process alive', () => {
  const { status, signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    timeout: 5000,
    encoding: 'utf8',
  })
  assert.deepEqual({ status, signal, stderr }, { status: 0, signal: null, stderr: '' })
})
