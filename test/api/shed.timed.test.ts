// Who was refused for overload need not wait for the whole of its Retry-After, where there is room before.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownService } from '../harness/service.ts'
import { overloaded } from './overloaded.ts'

test('D6: who was refused for overload is read again as soon as there is room', async () => {
  const { narrow, socket, request, answer, release } = await overloaded(await ownService())
  socket.write(request)
  await answer()
  const refusedAt = performance.now()
  await release()
  socket.write(request)
  assert.match(await answer(), /^HTTP\/1.1 400 /)
  const ms = performance.now() - refusedAt
  assert.ok(ms < 900, String(ms))
  socket.destroy()
  await narrow.stop()
})
