// A stop does not wait for receivers that do not answer: what was on its way is another process's, and counts as never posted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/store/sql.ts'
import { systemClock } from '../harness/service.ts'
import { clientWithReceiver, deliveryOf, startPostingService, tell, WEBHOOK_ENV } from './posting-service.ts'
import { startReceiver, waitUntil } from './receivers.ts'

const PROMPT_MS = 3_000
const clock = systemClock()
/** Tells the events and answers questions; the senders are services of their own beside it. */
const teller = await startPostingService({ clock, env: { HULAKI_ROLES: 'api' } })
const startSender = () => startPostingService({ beside: teller, env: { HULAKI_ROLES: 'webhooks', ...WEBHOOK_ENV } })

async function stopInTime(sender: { stop: () => Promise<void> }): Promise<void> {
  const began = performance.now()
  await sender.stop()
  const ms = performance.now() - began
  assert.ok(ms < PROMPT_MS, `the stop took ${ms} ms`)
}

const queue = () =>
  teller.db.query<{ claimId: string | null; postings: number; claims: number; retry: boolean }>(sql`
    select claim_id as "claimId", postings, claims, retry from webhook_queue order by delivery_id`)

test('§6.4: a stop gives back what has no answer, uncounted, and another process posts it at once under the same id', async (t) => {
  let isUp = false
  const receiver = await startReceiver(t, (response) => isUp && response.end())
  const client = await clientWithReceiver(teller, receiver)
  const sender = await startSender()
  // As many as a receiver that nobody knows gets at once.
  const ids = await tell(teller, client, [{}, {}, {}, {}])
  await waitUntil(() => receiver.received.length === 4)
  // It takes over: it hears of the deliveries as they are given back, and has nothing to do until then.
  const successor = await startSender()
  isUp = true
  await stopInTime(sender)
  await waitUntil(() => receiver.received.length === 8, { seconds: 2 })
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
  const silent = await startReceiver(t, () => {}, { untilHandshake: new Promise(() => {}) })
  const dripping = await startReceiver(t, (response) => response.writeHead(200).write('and so on'))
  const [dialled] = await tell(teller, await clientWithReceiver(teller, silent))
  const [answered] = await tell(teller, await clientWithReceiver(teller, dripping))
  assert.ok(dialled && answered)
  const sender = await startSender()
  await waitUntil(() => silent.connections.open === 1 && dripping.received.length === 1)
  await stopInTime(sender)
  assert.equal((await deliveryOf(teller, answered)).state, 'delivered')
  assert.deepEqual((await deliveryOf(teller, dialled)).postings, [])
  assert.deepEqual(await queue(), [{ claimId: null, postings: 0, claims: 0, retry: false }])
})
