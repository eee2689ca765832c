// A shed connection is read again before the end of its Retry-After if there is capacity.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownService } from '../harness/service.ts'
import { overloaded } from './overloaded.ts'

test('reads a shed connection again as soon as there is capacity (D6)', async () => {
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
