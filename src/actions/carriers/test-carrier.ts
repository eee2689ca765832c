// Tests the real binds of a carrier. Requests and results are rows, because other processes may hold the binds.
import { setTimeout as sleep } from 'node:timers/promises'
import { isLeased, type TestStep } from '../../domain/carriers/carrier.ts'
import { maskNumber } from '../../domain/people/masking.ts'
import { type Refusal, refuse } from '../../domain/refusals.ts'
import { listBinds, type StoredBind } from '../../store/carriers/carrier-binds.ts'
import {
  type CarrierTest,
  type ClaimedTest,
  claimTests,
  findTest,
  insertTest,
  type NewTestedBind,
  storeEnquiry,
  storeTestAnswer,
  type TestAnswer,
} from '../../store/carriers/carrier-tests.ts'
import { findCarrier } from '../../store/carriers/carriers.ts'
import type { Caller, Ports } from '../ports.ts'
import { recordChange } from '../record-change.ts'

/** How long the request waits in real time. Later results appear in the list of tests. */
const PATIENCE_MS = 10_000
const LOOK_MS = 50
/** Older tests are not started: their process was gone. */
const OLDEST_MS = 30_000

interface CarrierTestRequest {
  carrierId: string
  /** Message to submit; null tests the binds only. */
  message: { to: string; text: string } | null
  /** How much longer the request waits for the receipt of an accepted message. */
  receiptMs: number
}

/** Resolves when all results are in, or after the timeout. */
export async function testCarrier(
  ports: Ports,
  caller: Caller,
  requested: CarrierTestRequest,
): Promise<CarrierTest | Refusal> {
  const id = await begin(ports, caller, requested)
  if (typeof id !== 'string') return id
  ports.notifications.notify('carrierTests')
  const db = ports.managementDb(caller.actor)
  for (const since = performance.now(); ; await sleep(LOOK_MS)) {
    const test = await findTest(db, id)
    // The carrier was removed meanwhile.
    if (!test) return refuse('not_found')
    const waited = performance.now() - since
    if (isReported(test) || waited > PATIENCE_MS + requested.receiptMs) return test
    const isDue = isAnswered(test) || waited > PATIENCE_MS
    if (isDue && (requested.receiptMs === 0 || test.outcome !== 'accepted')) return test
  }
}

function begin(ports: Ports, caller: Caller, { carrierId, message }: CarrierTestRequest): Promise<string | Refusal> {
  return ports.managementDb(caller.actor).transaction(async (tx) => {
    const carrier = await findCarrier(tx, carrierId)
    if (!carrier) return refuse('not_found')
    const now = ports.clock.now()
    const binds = (await listBinds(tx)).filter((bind) => bind.carrierId === carrierId)
    const isHeld = (bind: StoredBind) => bind.processId !== null && isLeased(bind.leasedUntil, now)
    const able = binds.find((bind) => isHeld(bind) && bind.mode !== 'receiver' && bind.state === 'bound')
    if (message && !able) return refuse('conflict', { error: unableOf(carrier, binds) })
    const test = {
      id: ports.ids.next(),
      carrierId,
      startedAt: now,
      to: message?.to ?? null,
      text: message?.text ?? null,
    }
    await insertTest(
      tx,
      test,
      binds.map((bind) => newTestedBind(bind, { isHeld: isHeld(bind), sends: message !== null && bind === able, now })),
    )
    const details = message ? { to: maskNumber(message.to) } : {}
    const change = { workspaceId: null, action: 'carrier.tested', subject: carrierId, details }
    await recordChange(tx, { ports, caller, ...change })
    return test.id
  })
}

function unableOf({ enabled }: { enabled: boolean }, binds: StoredBind[]): string {
  const lastError = binds.find((bind) => bind.lastError !== null)?.lastError
  const reason = enabled ? lastError : 'it is disabled'
  return `No connection of this carrier can submit a message now${reason ? `: ${reason}` : ''}`
}

function newTestedBind(
  { number, mode, state, boundAt, processId, lastError }: StoredBind,
  { isHeld, sends, now }: { isHeld: boolean; sends: boolean; now: Date },
): NewTestedBind {
  const requested = { number, mode, milliseconds: null, steps: [], sends }
  if (isHeld) return { ...requested, state, boundAt, processId, fault: null, answeredAt: null }
  const fault = lastError ?? 'no worker holds this connection'
  return { ...requested, state: 'idle', boundAt: null, processId: null, fault, answeredAt: now }
}

function isAnswered({ to, answeredAt, binds }: CarrierTest): boolean {
  return (to === null || answeredAt !== null) && binds.every((bind) => bind.answeredAt !== null)
}

function isReported(test: CarrierTest): boolean {
  return isAnswered(test) && test.reportedAt !== null
}

/** Tests for the binds of this process. Each is returned once. */
export function takeCarrierTests(ports: Ports, processId: string): Promise<ClaimedTest[]> {
  const now = ports.clock.now()
  return claimTests(ports.db, { processId, since: new Date(now.getTime() - OLDEST_MS), now })
}

export async function recordEnquiry(
  ports: Ports,
  { testId, number }: ClaimedTest,
  enquired: ({ milliseconds: number } | { fault: string }) & { steps?: TestStep[] },
): Promise<void> {
  const milliseconds = 'milliseconds' in enquired ? enquired.milliseconds : null
  const fault = 'fault' in enquired ? enquired.fault : null
  const { steps = [] } = enquired
  await storeEnquiry(ports.db, { testId, number, milliseconds, fault, steps, now: ports.clock.now() })
  ports.changeFeed.publishIn(null, 'carriers')
}

export async function recordTestAnswer(ports: Ports, answer: Omit<TestAnswer, 'now'>): Promise<void> {
  await storeTestAnswer(ports.db, { ...answer, now: ports.clock.now() })
  ports.changeFeed.publishIn(null, 'carriers')
}
