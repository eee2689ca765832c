// The rate of a carrier depends on real time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../harness/until.ts'
import { burst, nextNumber, QUEUE_FULL } from './burst.ts'

test('thirty full inboxes do not slow down 1 300 other messages', async () => {
  const full = new Set(Array.from({ length: 30 }, nextNumber))
  const others = Array.from({ length: 1_300 }, nextNumber)
  // The worst case: all of them first.
  const numbers = [...full, ...others]
  const isFull = (to: string) => full.has(to.slice(4))
  const plan = ({ to }: { to: string }) => (isFull(to) ? { status: QUEUE_FULL } : {})
  const { service, smsc } = await burst({ numbers, plan })
  await until(() => smsc.taken.length > 0)
  const begunAt = performance.now()
  await until(() => smsc.taken.filter(({ to }) => !isFull(to)).length === others.length)
  const seconds = (performance.now() - begunAt) / 1000
  // A slowed account would need more than twenty seconds.
  assert(seconds < 8, `${seconds} s`)
  assert.equal(smsc.taken.filter(({ to }) => isFull(to)).length, 30)
  smsc.plan = () => ({ report: 'DELIVRD' })
  await service.advance(60)
  assert.equal(smsc.taken.filter(({ to }) => isFull(to)).length, 60)
})
