// A stop does not wait for receivers that do not answer: what was on its way is another process's, and counts as never posted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/store/database/sql.ts'
import { ENDLESS_MS, limitPostings } from '../harness/posting-limit.ts'
import { until } from '../harness/until.ts'
import { clientWithReceiver, deliveryOf, startPostingService, tell, WEBHOOK_ENV } from './posting-service.ts'
import { startReceiver } from './receivers.ts'

/** Tells the events and answers questions; the senders are services of their own beside it. */
const teller = await startPostingService({ env: { HULAKI_ROLES: 'api' } })
const startSender = () => startPostingService({ beside: teller, env: { HULAKI_ROLES: 'webhooks', ...WEBHOOK_ENV } })

const queue = () =>
  teller.db.query<{ claimId: string | null; postings: number; claims: number; retry: boolean }>(sql`
    select claim_id as "claimId", attempts as postings, claims, retry from webhook_queue order by delivery_id`)

test('§6.4: a stop gives back what has no answer, uncounted, and another process posts it at once under the same id', async (t) => {
  // No posting ends by itself, and the clock stands: whatever is posted again was given back by the stop.
  limitPostings(t, ENDLESS_MS)
  let isUp = false
  const receiver = await startReceiver(t, (response) => isUp && response.end())
  const client = await clientWithReceiver(teller, receiver)
  const sender = await startSender()
  // As many as a receiver that nobody knows gets at once.
  const ids = await tell(teller, client, [{}, {}, {}, {}])
  await until(() => receiver.received.length === 4)
  // It takes over: it hears of the deliveries as they are given back, and has nothing to do until then.
  const successor = await startSender()
  isUp = true
  await sender.stop()
  await until(() => receiver.received.length === 8)
  const deliveryIds = receiver.received.map(({ headers }) => String(headers['x-svc-delivery']))
  assert.deepEqual(deliveryIds.slice(4).toSorted(), ids.toSorted())
  assert.deepEqual(deliveryIds.slice(0, 4).toSorted(), ids.toSorted())
  await successor.stop()
  for (const id of ids) {
    const { state, postings } = await deliveryOf(teller, id)
    assert.deepEqual([state, postings.length], ['delivered', 1])
  }
})

test('§6.4: nor does it wait for one that is still being dialled, nor for the body of an answer, which counts', async (t) => {
  limitPostings(t, ENDLESS_MS)
  const silent = await startReceiver(t, () => {}, { untilHandshake: new Promise(() => {}) })
  const dripping = await startReceiver(t, (response) => response.writeHead(200).write('and so on'))
  const [dialled] = await tell(teller, await clientWithReceiver(teller, silent))
  const [answered] = await tell(teller, await clientWithReceiver(teller, dripping))
  assert.ok(dialled && answered)
  const sender = await startSender()
  await until(() => silent.connections.open === 1 && dripping.received.length === 1)
  await sender.stop()
  assert.equal((await deliveryOf(teller, answered)).state, 'delivered')
  assert.deepEqual((await deliveryOf(teller, dialled)).postings, [])
  assert.deepEqual(await queue(), [{ claimId: null, postings: 0, claims: 0, retry: false }])
})
