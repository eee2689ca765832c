// D62: the cheapest working carrier gets a message, with failover to the more expensive one and back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { ownService, systemClock } from '../harness/service.ts'
import { startSmsc } from '../harness/smsc.ts'
import { until } from '../harness/until.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api,delivery' }, clock: systemClock() })
const [dear, cheap] = [await connect(1), await connect(2)]
const sender = await makeSender(service)
let last = 0

async function connect(priority: number) {
  const smsc = await startSmsc()
  const id = await addCarrier(service, smsc.port)
  await addRoute(service, id, { priority })
  await until(() => smsc.sessions.size === 1)
  const price = (prices: Record<string, number>) =>
    service.manage('PUT', `/carriers/${id}/prices`, {
      currency: 'NPR',
      prices: Object.entries(prices).map(([prefix, price]) => ({ prefix, price })),
    })
  return { id, smsc, price }
}

/** The carrier that got the message. */
async function sendTo(beginning: string): Promise<'dear' | 'cheap'> {
  const to = `${beginning}${String(1_000_000 + ++last)}`
  const sent = await sender.send({ to })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  const has = ({ smsc }: typeof dear) => smsc.taken.some((it) => it.to === to)
  await until(() => has(dear) || has(cheap))
  return has(dear) ? 'dear' : 'cheap'
}

/** A change is applied soon, but not in the same instant. */
const untilGoes = (beginning: string, where: 'dear' | 'cheap') => until(async () => (await sendTo(beginning)) === where)

test('routes by price, to the next carrier while the cheapest is down, and back', async () => {
  await dear.price({ '': 0.5, '+977981': 0.1 })
  await cheap.price({ '+977': 0.3 })
  assert.equal(await sendTo('+977984'), 'dear', 'without the policy, the priority counts')
  const nepal = { name: 'Nepal', state: 'live' }
  const put = await service.manage('PUT', '/countries/NP', { ...nepal, policy: 'cheapest' })
  assert.deepEqual([put.status, put.body.policy], [200, 'cheapest'])
  await untilGoes('+977984', 'cheap')
  assert.equal(await sendTo('+977981'), 'dear', 'cheaper for these numbers')
  assert.equal((await service.manage('PUT', '/countries/NP', nepal)).body.policy, 'cheapest', 'an omitted policy stays')

  await service.manage('PATCH', `/carriers/${cheap.id}`, { enabled: false })
  await until(() => cheap.smsc.sessions.size === 0)
  await untilGoes('+977984', 'dear')
  await service.manage('PATCH', `/carriers/${cheap.id}`, { enabled: true })
  await untilGoes('+977984', 'cheap')

  await cheap.price({ '+977': 0.7 })
  await untilGoes('+977984', 'dear')
  await service.manage('PUT', '/countries/NP', { ...nepal, policy: 'priority' })
  await cheap.price({ '+977': 0.01 })
  await untilGoes('+977984', 'dear')
})
