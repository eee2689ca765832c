import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestLogBuffer } from '../../../src/domain/workspaces/request-log.ts'

const request = {
  id: '1',
  workspaceId: 'w',
  clientId: 'c',
  keyHint: 'svc_live_0a1b2c',
  method: 'POST',
  route: '/send',
  status: 429,
  code: 'rate_limited',
  milliseconds: 1,
  at: new Date('2026-11-16T04:10:00Z'),
}

test('stores a limited number of rejections per workspace and hour, counts all, and restarts with the next hour (D43)', () => {
  const gathered = new RequestLogBuffer()
  for (let n = 0; n < 1_500; n++) assert.equal(gathered.add(request), true)
  gathered.add({ ...request, workspaceId: 'other' })
  const { refused, sums } = gathered.take()
  assert.equal(refused.filter((it) => it.workspaceId === 'w').length, 1_000)
  assert.equal(refused.length, 1_001)
  assert.deepEqual(
    sums.map((it) => [it.workspaceId, it.requests]),
    [
      ['w', 1_500],
      ['other', 1],
    ],
  )
  gathered.add(request)
  assert.deepEqual(gathered.take().refused, [])
  gathered.add({ ...request, at: new Date('2026-11-16T05:00:00Z') })
  assert.equal(gathered.take().refused.length, 1)
})

test('stores 60 successes per workspace and minute and then one every five seconds, and counts all (D43)', () => {
  const gathered = new RequestLogBuffer()
  const success = { ...request, status: 200, code: '' }
  const startMs = Date.parse('2026-11-16T04:10:00Z')
  for (let n = 0; n < 6_000; n++) gathered.add({ ...success, at: new Date(startMs + n * 10) })
  gathered.add({ ...success, workspaceId: 'other', at: new Date(startMs + 59_999) })
  const { refused, successful, sums } = gathered.take()
  assert.deepEqual([refused.length, sums[0]?.requests], [0, 6_000])
  const own = successful.filter((it) => it.workspaceId === 'w')
  assert.deepEqual(
    own.map((it) => it.isSampled),
    [...Array(60).fill(false), ...Array(12).fill(true)],
  )
  assert.equal(own[60]?.at.getTime(), startMs + 600)
  assert.equal(successful.length, own.length + 1)
  assert.equal(successful.at(-1)?.isSampled, false)
  gathered.add({ ...success, at: new Date(startMs + 60_000) })
  assert.deepEqual(
    gathered.take().successful.map((it) => it.isSampled),
    [false],
  )
})

test('drops requests beyond the limit', () => {
  const gathered = new RequestLogBuffer()
  for (let n = 0; n < 10_000; n++) gathered.add({ ...request, workspaceId: `w${n}` })
  assert.equal(gathered.add({ ...request, workspaceId: 'one more' }), false)
  assert.equal(gathered.add({ ...request, workspaceId: 'w1' }), true)
})

test('counts requests with unknown keys by address and minute, and addresses beyond the limit together (D43)', () => {
  const gathered = new RequestLogBuffer()
  const { id, method, route, at } = request
  const unknown = { id, method, route, at, keyHint: 'svc_live_0a1b2c…', address: '192.0.2.1' }
  for (let n = 0; n < 1_000; n++) gathered.addUnknownKey(unknown)
  for (let n = 0; n < 500; n++) gathered.addUnknownKey({ ...unknown, address: `198.51.${n >> 8}.${n & 255}` })
  const { unknownKeys } = gathered.take()
  assert.equal(unknownKeys.length, 101)
  assert.deepEqual([unknownKeys[0]?.requests, unknownKeys[0]?.keyHint], [1_000, 'svc_live_0a1b2c…'])
  const others = unknownKeys.find((it) => it.address === '')
  assert.deepEqual([others?.requests, others?.keyHint], [401, ''])
  for (let minute = 1; minute < 60; minute++)
    for (let n = 0; n < 100; n++)
      gathered.addUnknownKey({ ...unknown, address: `203.0.113.${n}`, at: new Date(at.getTime() + minute * 60_000) })
  const inHour = gathered
    .take()
    .unknownKeys.filter(({ minute, address }) => address !== '' && minute < new Date('2026-11-16T05:00:00Z'))
  assert.equal(inHour.length, 900)
})
