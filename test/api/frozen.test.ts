// A process that freezes or vanishes in the middle of a transaction costs the others little: neighbours nothing that they would
// notice, and its own workspace at most ten seconds.
import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { makeClient } from '../harness/client.ts'
import { startTestService } from '../harness/service.ts'

const MOST_FOR_NEIGHBOURS_MS = 2_000
const MOST_FOR_ITSELF_MS = 10_000

const service = await startTestService({ env: { HULAKI_ROLES: 'api' } })
const frozen: ChildProcess[] = []
after(() => {
  for (const child of frozen) child.kill('SIGKILL')
})

async function freezeWhile(holding: { workspaceId?: string; number?: string }): Promise<void> {
  const orders = JSON.stringify({ address: service.address, ...holding })
  const child = fork(join(import.meta.dirname, '..', 'harness', 'frozen-process.ts'), [orders])
  frozen.push(child)
  await once(child, 'message')
  child.kill('SIGSTOP')
}

async function timed<Answer extends { status: number; body: unknown }>(asked: Promise<Answer>): Promise<number> {
  const begunAt = performance.now()
  const { status, body } = await asked
  assert.equal(status, 200, JSON.stringify(body))
  return performance.now() - begunAt
}

test('with a workspace in the hand of a frozen process, the others send on, and it waits at most ten seconds', async () => {
  const [held, neighbour] = [await makeClient(service), await makeClient(service)]
  await timed(neighbour.send())
  await freezeWhile({ workspaceId: held.workspaceId })
  const own = [timed(held.send()), timed(held.otp({ to: '+9779841000001' }))]
  const others: number[] = []
  for (let sent = 0; sent < 20; sent++) others.push(await timed(neighbour.send()))
  assert.ok(Math.max(...others) < MOST_FOR_NEIGHBOURS_MS, others.join(' '))
  // Only the first had to find out that there is something to wait for.
  assert.ok(others.toSorted((a, b) => a - b)[10] ?? 0 < 100, others.join(' '))
  for (const ms of await Promise.all(own)) assert.ok(ms < MOST_FOR_ITSELF_MS, String(ms))
  assert.ok((await timed(held.send())) < MOST_FOR_NEIGHBOURS_MS)
})

test('with a number in the hand of a frozen process, codes to other numbers go on', async () => {
  const client = await makeClient(service)
  const neighbour = await makeClient(service)
  await freezeWhile({ number: '+9779841000002' })
  const own = timed(client.otp({ to: '+9779841000002' }))
  for (let sent = 0; sent < 10; sent++) {
    const ms = await timed(neighbour.otp({ to: `+97798410001${String(sent).padStart(2, '0')}` }))
    assert.ok(ms < MOST_FOR_NEIGHBOURS_MS, String(ms))
  }
  assert.ok((await own) < MOST_FOR_ITSELF_MS)
})
