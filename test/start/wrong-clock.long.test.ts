// The wall clock jumps by weeks, and the service follows the database's clock. libfaketime sets the clock of one process; otherwise skipped.
import assert from 'node:assert/strict'
import { globSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { testDatabaseAddress } from '../harness/database.ts'
import { dataFolder, ServiceProcess, urlOf } from '../harness/process.ts'
import { call } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const [library] = globSync('/usr/lib/*/faketime/libfaketime.so.1')
const skip = library === undefined && 'libfaketime is not installed'

test('D9, D13: a jump of the wall clock ends no month and dates no message, and is logged once', {
  skip,
}, async () => {
  const folder = dataFolder({ name: 'wrong' })
  const jump = join(folder, '..', 'jump')
  const setWall = (offset: string) => writeFileSync(jump, `${offset}\n`)
  setWall('+0')
  const service = new ServiceProcess({
    env: {
      DATABASE_URL: urlOf(await testDatabaseAddress()),
      HULAKI_DATA_DIR: folder,
      HULAKI_DEMO: 'on',
      LD_PRELOAD: library ?? '',
      FAKETIME_TIMESTAMP_FILE: jump,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  })
  const url = await service.url()
  const headers = { 'x-api-key': service.shown(/^ {4}live {2}(svc_live_\w+)$/m) ?? '' }
  const api = (method: string, path: string, body?: unknown) =>
    call(`${url}/api/sms/v1/sms${path}`, { method, headers, ...(body ? { body } : {}) })
  const isDatedRight = async () => {
    const beganAt = Date.now()
    const sent = await api('POST', '/send', { to: '9800000001', text: 'What time is it?' })
    assert.equal(sent.status, 200)
    const { body } = await api('GET', `/messages/${sent.body.messageId}`)
    const createdAt = new Date(body.createdAt).getTime()
    return createdAt > beganAt - 10_000 && Date.now() > createdAt - 10_000
  }
  const countLogged = () => service.stdout.split('system clock is wrong').length - 1
  assert.ok(await isDatedRight())
  const { balance } = (await api('GET', '/balance')).body
  setWall('+60d')
  assert.ok(await isDatedRight())
  await until(() => countLogged() === 1)
  assert.ok(await isDatedRight())
  setWall('-60d')
  assert.ok(await isDatedRight())
  setWall('+0')
  await until(() => service.stdout.includes('system clock is correct again'))
  assert.equal(countLogged(), 1)
  const token = service.shown(/^ {4}(hulaki_operator_\w+)$/m)
  const manage = (path: string) =>
    call(`${url}/api/manage/v1${path}`, { method: 'GET', headers: { authorization: `Bearer ${token}` } })
  const [workspace] = (await manage('/workspaces')).body.items
  const { items } = (await manage(`/workspaces/${workspace.id}/ledger`)).body
  assert.deepEqual([...new Set(items.map((entry: { kind: string }) => entry.kind))].sort(), ['grant', 'reservation'])
  assert.ok((await api('GET', '/balance')).body.balance < balance)
  assert.equal(await service.stop(), 0)
})
