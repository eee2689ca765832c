import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestLogBuffer } from '../../../src/domain/workspaces/request-log.ts'

const request = {
  id: '1',
  workspaceId: 'w',
  clientId: 'c',
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

test('counts successful requests without storing them, and drops requests beyond the limit', () => {
  const gathered = new RequestLogBuffer()
  gathered.add({ ...request, status: 200, code: '' })
  const { refused, sums } = gathered.take()
  assert.deepEqual([refused.length, sums[0]?.requests], [0, 1])
  for (let n = 0; n < 10_000; n++) gathered.add({ ...request, workspaceId: `w${n}` })
  assert.equal(gathered.add({ ...request, workspaceId: 'one more' }), false)
  assert.equal(gathered.add({ ...request, workspaceId: 'w1' }), true)
})
