// A process that freezes during a transaction does not block other workspaces and numbers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeClient } from '../harness/client.ts'
import { freezer } from '../harness/freezer.ts'
import { type Answer, ownService } from '../harness/service.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api' } })
const freezeWhile = freezer(service)

async function served(asked: Promise<Answer>): Promise<void> {
  const { status, body } = await asked
  assert.equal(status, 200, JSON.stringify(body))
}

/** Whether the requests have been answered. */
function watched(asked: Promise<Answer>[]) {
  let answered = 0
  const all = asked.map(async (it) => {
    await served(it)
    answered += 1
  })
  return { all: Promise.all(all), answered: () => answered }
}

test('other workspaces send while a frozen process holds one workspace', async () => {
  const [held, neighbour] = [await makeClient(service), await makeClient(service)]
  const child = await freezeWhile({ workspaceId: held.workspaceId })
  const own = watched([held.send(), held.otp({ to: '+9779841000001' })])
  for (let sent = 0; sent < 20; sent++) await served(neighbour.send())
  assert.equal(own.answered(), 0)
  child.kill('SIGKILL')
  await own.all
})

test('OTPs to other numbers are sent while a frozen process holds one number', async () => {
  const [client, neighbour] = [await makeClient(service), await makeClient(service)]
  const child = await freezeWhile({ number: '+9779841000002' })
  const own = watched([client.otp({ to: '+9779841000002' })])
  for (let sent = 0; sent < 10; sent++)
    await served(neighbour.otp({ to: `+97798410001${String(sent).padStart(2, '0')}` }))
  assert.equal(own.answered(), 0)
  child.kill('SIGKILL')
  await own.all
})
