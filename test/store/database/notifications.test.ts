// Notifications that wake roles of other processes: received, and patient while there is no database.
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { after, test } from 'node:test'
import { createLog } from '../../../src/runtime/log.ts'
import { Db } from '../../../src/store/database/db.ts'
import { Notifications } from '../../../src/store/database/notifications.ts'
import { testDatabase } from '../../harness/database.ts'

const log = createLog('silent')

test('a ring of one process wakes the role in another', async () => {
  const db = await testDatabase()
  const [near, far] = [new Notifications({ db, notifyDb: db }, log), new Notifications({ db, notifyDb: db }, log)]
  const woken = Promise.withResolvers<void>()
  let wakes = 0
  await far.answer('delivery', () => {
    wakes += 1
    if (wakes === 2) woken.resolve()
  })
  near.notify('delivery')
  await woken.promise
  await Promise.all([near.stop(), far.stop()])
})

test('while there is no database it tries once a second, and not one time more for every time it failed', async () => {
  let tries = 0
  const third = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    tries += 1
    if (tries === 3) third.resolve()
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  const db = new Db(`postgres://nobody@127.0.0.1:${address.port}/nothing`, { connections: 1 })
  const notifications = new Notifications({ db, notifyDb: db }, log)
  after(async () => {
    await notifications.stop()
    await db.close()
    server.close()
  })
  const beganAt = performance.now()
  await notifications.answer('delivery', () => {})
  // The timer of the notifications keeps no process alive; the test must.
  const alive = setInterval(() => {}, 1000)
  await third.promise
  clearInterval(alive)
  const ms = performance.now() - beganAt
  assert.ok(ms > 1_800, `the third try came after ${Math.round(ms)} ms`)
})
