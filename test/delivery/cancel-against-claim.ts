// Cancels messages while delivery claims them: each message is either cancelled or claimed, never both or neither (D59).
import assert from 'node:assert/strict'
import { actOnMessage } from '../../src/actions/messages/act-on-messages.ts'
import { claimMessages } from '../../src/actions/messages/claim-messages.ts'
import { Room } from '../../src/domain/carriers/room.ts'
import { Refusal } from '../../src/domain/refusals.ts'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'

/** Both sides take this many of the oldest messages at once. */
const AT_ONCE = 10
const CLAIMED_AT_ONCE = 4

const caller = { actor: { kind: 'operator' as const }, address: null, requestId: null }

export async function cancelAgainstClaim(messages: number): Promise<{ cancelled: number; claimed: number }> {
  const service = await ownService({ env: { HULAKI_ROLES: 'api' } })
  const sender = await makeSender(service, { monthlyCredit: 10_000 })
  const carrierId = await addCarrier(service, 9)
  await addRoute(service, carrierId)
  const sent = await Promise.all(
    Array.from({ length: messages }, (_, index) => sender.send({ to: `98${String(41_000_000 + index)}` })),
  )
  const { balance } = await sender.balance()
  const claimed = new Set<string>()
  const cancelled = new Set<string>()
  const refused = new Set<string>()
  const cancel = async (id: string) => {
    const result = await actOnMessage(service.ports, caller, { id, act: 'cancel' })
    if (result instanceof Refusal) assert.equal(result.code, 'conflict')
    else assert.deepEqual([result.status, result.error], ['failed', ''])
    ;(result instanceof Refusal ? refused : cancelled).add(id)
  }
  const claimOne = async () => {
    const found = await claimMessages(service.ports, {
      claimId: service.ports.ids.next(),
      carrierId,
      places: [{ destination: 'NP', avoidCarrierId: null, priority: 1 }],
      behind: null,
      room: new Room({ places: 1, free: 1, tokens: Number.POSITIVE_INFINITY }),
      leaseMs: 3_600_000,
      inOnePiece: false,
      senderRules: { defaultSender: null, senderRewrites: {}, allowedSenders: [] },
      receipts: 'each',
      wantsFields: false,
      prices: undefined,
    })
    for (const { id } of found.messages) claimed.add(id)
  }
  const ids: string[] = sent.map((it) => it.body.messageId).sort()
  for (let from = 0; from < messages; from += AT_ONCE) {
    const some = ids.slice(from, from + AT_ONCE)
    await Promise.all([...some.map(cancel), ...Array.from({ length: CLAIMED_AT_ONCE }, claimOne)])
  }

  assert.equal(cancelled.size + refused.size, messages)
  for (const id of ids) assert.notEqual(claimed.has(id), cancelled.has(id), id)
  assert.deepEqual([...refused].sort(), [...claimed].sort())
  const stored = await service.db.query<Record<string, unknown>>({
    text: `
      select status, count(*) as messages,
        sum((select count(*) from submission where message_id = message.id))::int as submissions,
        sum((select count(*) from ledger_entry where message_id = message.id and kind = 'refund'))::int as refunds,
        sum((select count(*) from webhook_event where message_id = message.id))::int as events,
        sum((select count(*) from claim where message.id = any(message_ids)))::int as claims,
        sum((select count(*) from delivery_queue where message.id = any(message_ids)))::int as places,
        sum((select count(*) from audit_entry where subject = message.id::text))::int as lines
      from message group by status order by status`,
    values: [],
    name: undefined,
  })
  const [over, under] = [cancelled.size, claimed.size]
  assert.deepEqual(stored, [
    {
      status: 'failed',
      messages: over,
      submissions: 0,
      refunds: over,
      events: over,
      claims: 0,
      places: 0,
      lines: over,
    },
    {
      status: 'queued',
      messages: under,
      submissions: 0,
      refunds: 0,
      events: 0,
      claims: under,
      places: 0,
      lines: 0,
    },
  ])
  assert.equal((await sender.balance()).balance, balance + over)
  return { cancelled: over, claimed: under }
}
