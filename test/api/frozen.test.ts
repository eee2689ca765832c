// A process that freezes or vanishes in the middle of a transaction costs the others little: neighbours do not wait for it, and its own
// workspace only until the server has ended it.
import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { makeClient } from '../harness/client.ts'
import { type Answer, ownService } from '../harness/service.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api' } })
const frozen: ChildProcess[] = []
after(() => {
  for (const child of frozen) child.kill('SIGKILL')
})

interface Holding {
  workspaceId?: string
  number?: string
  /** Until it is killed; otherwise until the server ends it, after 5 s. */
  forGood?: boolean
}

async function freezeWhile(holding: Holding): Promise<ChildProcess> {
  const orders = JSON.stringify({ address: service.address, ...holding })
  const child = fork(join(import.meta.dirname, '..', 'harness', 'frozen-process.ts'), [orders])
  frozen.push(child)
  await once(child, 'message')
  child.kill('SIGSTOP')
  return child
}

async function served(asked: Promise<Answer>): Promise<void> {
  const { status, body } = await asked
  assert.equal(status, 200, JSON.stringify(body))
}

/** Whether they have been answered by now. */
function watched(asked: Promise<Answer>[]) {
  let answered = 0
  const all = asked.map(async (it) => {
    await served(it)
    answered += 1
  })
  return { all: Promise.all(all), answered: () => answered }
}

test('with a workspace in the hand of a frozen process, the others send on while it waits', async () => {
  const [held, neighbour] = [await makeClient(service), await makeClient(service)]
  const child = await freezeWhile({ workspaceId: held.workspaceId, forGood: true })
  const own = watched([held.send(), held.otp({ to: '+9779841000001' })])
  for (let sent = 0; sent < 20; sent++) await served(neighbour.send())
  assert.equal(own.answered(), 0)
  child.kill('SIGKILL')
  await own.all
})

test('with a number in the hand of a frozen process, codes to other numbers go on', async () => {
  const [client, neighbour] = [await makeClient(service), await makeClient(service)]
  const child = await freezeWhile({ number: '+9779841000002', forGood: true })
  const own = watched([client.otp({ to: '+9779841000002' })])
  for (let sent = 0; sent < 10; sent++)
    await served(neighbour.otp({ to: `+97798410001${String(sent).padStart(2, '0')}` }))
  assert.equal(own.answered(), 0)
  child.kill('SIGKILL')
  await own.all
})

test('what a frozen process holds, the server takes from it, before whoever waits for it is refused', async () => {
  const held = await makeClient(service)
  await freezeWhile({ workspaceId: held.workspaceId, number: '+9779841000003' })
  await Promise.all([
    served(held.send()),
    served(held.otp({ to: '+9779841000001' })),
    served(held.otp({ to: '+9779841000003' })),
  ])
  await served(held.send())
})
