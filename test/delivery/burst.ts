// Many messages wait in the queue before their carrier gets any.
import assert from 'node:assert/strict'
import { makeClient, makeWorkspace } from '../harness/client.ts'
import { addCarrier, addRoute } from '../harness/sending.ts'
import { ownService, type TestService } from '../harness/service.ts'
import { type SmscOptions, startSmsc } from '../harness/smsc.ts'

export const QUEUE_FULL = 0x14

let last = 0
export const nextNumber = () => `98${String(46_000_000 + ++last).padStart(8, '0')}`

export async function makeSender(service: TestService) {
  const rate = { transactional: 1, otp: 1, promotional: 1 }
  const workspaceId = await makeWorkspace(service, { rate, monthlyCredit: 100_000 })
  return makeClient(service, { workspaceId, brandName: 'Brand', requestsPerSecond: 10_000 })
}

interface BurstOptions {
  numbers: string[]
  plan: SmscOptions['plan'] & {}
  /** The settings of the carrier. */
  settings?: object
}

/** `begunAt` is just before the carrier gets the messages. */
export async function burst({ numbers, plan, settings = {} }: BurstOptions) {
  const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' } })
  const smsc = await startSmsc({ plan })
  const carrierId = await addCarrier(service, smsc.port, { enabled: false, window: 100, ...settings })
  await addRoute(service, carrierId)
  const client = await makeSender(service)
  for (let from = 0; from < numbers.length; from += 200) {
    const answers = await Promise.all(numbers.slice(from, from + 200).map((to) => client.send({ to })))
    for (const { status, body } of answers) assert.equal(status, 200, JSON.stringify(body))
  }
  const begunAt = performance.now()
  await service.manage('PATCH', `/carriers/${carrierId}`, { enabled: true })
  return { service, smsc, client, begunAt }
}
