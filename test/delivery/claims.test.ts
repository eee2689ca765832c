// Claims and their expiry, driven by hand in one process.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimMessages } from '../../src/actions/messages/claim-messages.ts'
import { expireWaiting } from '../../src/actions/messages/expire-messages.ts'
import { endLapsedClaims, recordAnswers } from '../../src/actions/messages/record-answers.ts'
import { Room } from '../../src/domain/carriers/room.ts'
import { listUnappliedRoutes, markRouteApplied } from '../../src/store/carriers/routes.ts'
import { CommitUnknown, type Db, type Tx } from '../../src/store/database/db.ts'
import { sql } from '../../src/store/database/sql.ts'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'
import { until } from '../harness/until.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api' } })
const sender = await makeSender(service)
const carrierId = await addCarrier(service, 9)
await addRoute(service, carrierId)
let last = 0

const nextNumber = () => `98${String(43_000_000 + ++last).padStart(8, '0')}`
const rows = <Row>(text: string, ...values: unknown[]) => service.db.query<Row>({ text, values, name: undefined })

async function sendOne(body: Record<string, unknown> = {}): Promise<string> {
  const sent = await sender.send({ to: nextNumber(), ...body })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  return sent.body.messageId
}

/** Claims like a worker of this carrier. */
const claim = ({ places = 20, free = 20, ports = service.ports } = {}) =>
  claimMessages(ports, {
    claimId: service.ports.ids.next(),
    carrierId,
    places: [0, 1, 2].map((priority) => ({ destination: 'NP', avoidCarrierId: null, priority })),
    behind: null,
    room: new Room({ places, free, tokens: Number.POSITIVE_INFINITY }),
    leaseMs: 60_000,
    inOnePiece: false,
    senderRules: { defaultSender: null, senderRewrites: {}, allowedSenders: [] },
    receipts: 'each',
    wantsFields: false,
    prices: undefined,
  })
const answer = (messageId: string, ordinal: number, outcome: 'accepted' | 'throttled') => ({
  ...{
    workspaceId: sender.workspaceId,
    carrierId,
    to: '+9779800000000',
    claimedAt: service.clock.now(),
    ofSegments: 1,
    carrierCostE4: null,
    sender: 'Shop',
    receipts: 'each' as const,
    claim: null,
    message: null,
  },
  messageId,
  ordinal,
  segment: 1,
  outcome,
  error: '' as const,
  commandStatus: null,
  carrierMessageId: null,
  reference: null,
})

test('D14: a message expires by its own time, even if it is younger than its ID, and counts as work only then', async () => {
  const id = await sendOne({ type: 'otp' })
  await rows(`update message set created_at = created_at + interval '5 s' where id = $1`, id)
  await service.advance(301)
  assert.equal(await expireWaiting(service.ports), 0)
  assert.equal((await sender.get(id)).status, 'queued')
  await service.advance(5)
  assert.equal(await expireWaiting(service.ports), 1)
  assert.equal((await sender.get(id)).status, 'failed')
  assert.equal(await expireWaiting(service.ports), 0)
})

test('D15: an expired claim is ignored if the message was claimed again', async () => {
  const id = await sendOne()
  assert.deepEqual(
    (await claim()).messages.map((it) => it.id),
    [id],
  )
  await service.advance(61)
  assert.equal(await endLapsedClaims(service.ports), 1)
  await recordAnswers(service.ports, [answer(id, 1, 'throttled')])
  await service.advance(2)
  assert.equal((await claim()).messages[0]?.ordinal, 2)
  assert.equal(await endLapsedClaims(service.ports), 0)
  const outcomes = await rows<{ outcome: string }>(
    'select outcome from submission where message_id = $1 order by ordinal',
    id,
  )
  assert.deepEqual(
    outcomes.map((it) => it.outcome),
    ['throttled'],
  )
  await recordAnswers(service.ports, [answer(id, 2, 'accepted')])
})

const losing = (transaction: (work: (tx: Tx) => Promise<unknown>) => Promise<unknown>) => {
  const query = service.db.query.bind(service.db)
  return { ports: { ...service.ports, db: { query, transaction } as unknown as Db } }
}

test('a claim with an unknown COMMIT is processed if it is stored, otherwise it is an error', async () => {
  const id = await sendOne()
  const rolledBack = losing((work) =>
    service.db.transaction(async (tx) => {
      await work(tx)
      throw new CommitUnknown()
    }),
  )
  await assert.rejects(claim(rolledBack), CommitUnknown)
  const stored = losing(async (work) => {
    await service.db.transaction(work)
    throw new CommitUnknown()
  })
  const { messages } = await claim(stored)
  assert.deepEqual(
    messages.map((it) => [it.id, it.ordinal, it.submitting]),
    [[id, 1, [1]]],
  )
  await recordAnswers(service.ports, [answer(id, 1, 'accepted')])
})

test('a claim whose COMMIT is still running is confirmed after it has ended', async () => {
  const id = await sendOne()
  const released = Promise.withResolvers<void>()
  let committing: Promise<unknown> = Promise.resolve()
  const slow = losing(async (work) => {
    const locked = Promise.withResolvers<void>()
    committing = service.db.transaction(async (tx) => {
      await work(tx)
      locked.resolve()
      await released.promise
    })
    await locked.promise
    throw new CommitUnknown()
  })
  const claiming = claim(slow)
  await until(async () => {
    const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return (await service.db.query(waiting)).length > 0
  })
  released.resolve()
  await committing
  const { messages } = await claiming
  assert.deepEqual(
    messages.map((it) => it.id),
    [id],
  )
  await recordAnswers(service.ports, [answer(id, 1, 'accepted')])
})

test('D16: a long message takes one place per segment, and places for OTPs stay reserved', async () => {
  const long = [await sendOne({ text: 'x'.repeat(700) }), await sendOne({ text: 'x'.repeat(700) })]
  const code = await sendOne({ type: 'otp' })
  const claimed = await claim({ places: 10, free: 10 })
  assert.deepEqual(
    claimed.messages.map((it) => [it.id, it.load.submissions]),
    [
      [code, 1],
      [long[0], 5],
    ],
    'two places of ten are kept for codes, and the other long one has only two left',
  )
  const none = await claim({ places: 10, free: 4 })
  assert.deepEqual([none.messages, none.worked], [[], false])
  assert.equal((await claim({ places: 10, free: 7 })).messages[0]?.id, long[1])
})

test('a route whose prefixes change during sorting is sorted again', async () => {
  const routeId = await addRoute(service, carrierId, { prefixes: ['+977984'] })
  const [before] = (await listUnappliedRoutes(service.db)).filter((it) => it.id === routeId)
  assert(before)
  await service.manage('PATCH', `/routes/${routeId}`, { prefixes: ['+977985'] })
  await service.db.transaction((tx) => markRouteApplied(tx, before))
  const unsorted = await listUnappliedRoutes(service.db)
  assert.deepEqual(unsorted.find((it) => it.id === routeId)?.prefixes, ['+977985'])
  await service.manage('DELETE', `/routes/${routeId}`)
})

test('D14: a message that returns to the queue wakes delivery', async () => {
  let woken = 0
  await service.ports.notifications.answer('delivery', () => {
    woken += 1
  })
  const id = await sendOne()
  const [claimed] = (await claim()).messages.filter((it) => it.id === id)
  assert.ok(claimed)
  woken = 0
  await recordAnswers(service.ports, [answer(id, 1, 'throttled')])
  assert.equal(woken, 1)
  service.ports.notifications.leave('delivery')
})
