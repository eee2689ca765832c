// Processes share binds: a bind moves to another process only after it has drained.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdBinds } from '../../src/actions/carriers/hold-binds.ts'
import type { BindName } from '../../src/domain/carriers/bind.ts'
import { addCarrier } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api' } })
const carrierId = await addCarrier(service, 9, { binds: 2 })
const [one, other] = [service.ports.ids.next(), service.ports.ids.next()]

async function hold(processId: string, numbers: number[]): Promise<number[]> {
  const health = {
    state: 'connecting' as const,
    peer: null,
    boundAt: null,
    inFlight: 0,
    lastError: null,
    lastErrorAt: null,
    retryAt: null,
  }
  const report = { segmentsPerSecond: 0, isWorking: false, isWorthTrying: false, brokenReason: null, healthSince: null }
  const held = numbers.map((number) => ({ carrierId, number, ...health, ...report, isFull: false }))
  const holding = await holdBinds(service.ports, {
    processId,
    held,
    recently: { accepted: 0, rejected: 0, delivered: 0, undelivered: 0 },
  })
  return holding.held.map((bind: BindName) => bind.number)
}

test("a bind above a process's share is free for others only after its release", async () => {
  assert.deepEqual(await hold(one, []), [1, 2])
  assert.deepEqual(await hold(other, []), [], 'both are held')
  assert.deepEqual(await hold(one, [1, 2]), [1], 'must release the second')
  assert.deepEqual(await hold(other, []), [], 'the second still drains')
  assert.deepEqual(await hold(one, [1, 2]), [1])
  assert.deepEqual(await hold(other, []), [])
  assert.deepEqual(await hold(one, [1]), [1], 'the second has drained')
  assert.deepEqual(await hold(other, []), [2])
})
