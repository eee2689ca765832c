// Matches responses, reports and replies with submissions (D13, D15, D18), also several in one batch.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimMessages } from '../../src/actions/messages/claim-messages.ts'
import { type ReceivedAnswer, recordAnswers } from '../../src/actions/messages/record-answers.ts'
import { recordInbound } from '../../src/actions/messages/record-inbound.ts'
import { matchPendingReports, recordReports } from '../../src/actions/messages/record-reports.ts'
import type { Ports } from '../../src/actions/ports.ts'
import type { ClaimedMessage } from '../../src/domain/carriers/claim.ts'
import { Room } from '../../src/domain/carriers/room.ts'
import type { ReportStatus } from '../../src/domain/messages/report.ts'
import type { SubmissionAnswer } from '../../src/domain/messages/submission.ts'
import { Db } from '../../src/store/database/db.ts'
import { sql } from '../../src/store/database/sql.ts'
import { startProxy } from '../harness/proxy.ts'
import { addCarrierElsewhere, makeSender } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'

const service = await ownService({ env: { HULAKI_ROLES: 'api' } })
const { ports } = service
const sender = await makeSender(service)
const carrierId = await addCarrierElsewhere(service)

let last = 0
const nextNumber = () => `+97798${String(43_000_000 + ++last)}`
const statusOf = async (id: string) => (await sender.get(id)).status

/** Sends and claims a message without a response. */
async function submit(to: string, body: Record<string, unknown> = {}, by = sender): Promise<string> {
  const sent = await by.send({ to, ...body })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  await claim()
  return sent.body.messageId
}

/** Storing costs must not add a round trip. */
const PRICES = { currency: 'NPR', prices: [{ prefix: '', priceE4: 1_234 }] }

/** The replies as their client sees them. */
const written = new Map<string, ClaimedMessage>()

async function claim(by: Ports = ports) {
  const claimed = await claimMessages(by, {
    claimId: ports.ids.next(),
    carrierId,
    places: [0, 1, 2].flatMap((priority) =>
      [null, carrierId].map((avoidCarrierId) => ({ destination: 'NP', avoidCarrierId, priority })),
    ),
    behind: null,
    room: new Room({ places: 20, free: 20, tokens: Number.POSITIVE_INFINITY }),
    leaseMs: 60_000,
    inOnePiece: false,
    senderRules: { defaultSender: null, senderRewrites: {}, allowedSenders: [] },
    receipts: 'each',
    wantsFields: false,
    prices: PRICES,
  })
  for (const message of claimed.messages) written.set(message.id, message)
  return claimed
}

function answer(
  messageId: string,
  outcome: SubmissionAnswer['outcome'],
  some: Partial<SubmissionAnswer> = {},
): ReceivedAnswer {
  const { reference = null } = some
  const { workspaceId, to, claimedAt, ofSegments, carrierCostE4, source, receipts } = written.get(
    messageId,
  ) as ClaimedMessage
  const known = {
    workspaceId,
    carrierId,
    to,
    claimedAt,
    ofSegments,
    carrierCostE4,
    sender: source.address,
    receipts,
    claim: null,
    message: null,
  }
  const nothing = { error: '' as const, commandStatus: null, ...known }
  return { messageId, ordinal: 1, segment: 1, outcome, ...nothing, carrierMessageId: reference, reference, ...some }
}

function report(to: string, reference: string, status: ReportStatus) {
  const about = {
    id: ports.ids.next(),
    carrierId,
    reference,
    to,
    byText: false,
    status,
    receivedAt: service.clock.now(),
  }
  return { ...about, error: '' as const, state: status.toUpperCase(), code: '000', raw: 'raw' }
}

async function lookAgainFor(seconds: number[]): Promise<void> {
  for (const wait of seconds) {
    await service.advance(wait)
    await matchPendingReports(ports)
  }
}

test('D15: a late response counts, also in one batch with its timeout', async () => {
  const id = await submit(nextNumber())
  await recordAnswers(ports, [answer(id, 'unknown'), answer(id, 'accepted', { reference: 'late' })])
  assert.equal(await statusOf(id), 'sent')
  const [kept] = await service.db.query(sql`select outcome, reference from submission where message_id = ${id}`)
  assert.deepEqual(kept, { outcome: 'accepted', reference: 'late' })
})

test('D15: a report older than a submission is not its response', async () => {
  const to = nextNumber()
  await recordReports(ports, [report(to, 'stray', 'delivered')])
  await lookAgainFor([2, 10, 60, 300])
  const id = await submit(to)
  await recordAnswers(ports, [answer(id, 'unknown')])
  await lookAgainFor([600, 3600])
  assert.equal(await statusOf(id), 'submitting')
})

test('D15: matches the reports of a long message without responses in one lookup', async () => {
  const to = nextNumber()
  const id = await submit(to, { text: 'x'.repeat(900) })
  const segments = [1, 2, 3, 4, 5, 6]
  await recordAnswers(
    ports,
    segments.map((segment) => answer(id, 'unknown', { segment })),
  )
  await recordReports(
    ports,
    segments.map((segment) => report(to, `long${segment}`, 'delivered')),
  )
  await lookAgainFor([2])
  assert.equal(await statusOf(id), 'delivered')
})

test('D15: a final message does not take the report of an open one', async () => {
  const to = nextNumber()
  const code = (await sender.sendCode(to)).body.messageId
  await claim()
  await recordAnswers(ports, [answer(code, 'unknown')])
  await service.advance(2)
  await claim()
  await recordAnswers(ports, [answer(code, 'accepted', { reference: 'code', ordinal: 2 })])
  await recordReports(ports, [report(to, 'code', 'delivered')])
  assert.equal(await statusOf(code), 'delivered')
  await service.advance(3600)
  const id = await submit(to)
  await recordAnswers(ports, [answer(id, 'unknown')])
  await recordReports(ports, [report(to, 'living', 'delivered')])
  await lookAgainFor([2])
  assert.equal(await statusOf(id), 'delivered')
})

test('D15: a report with an unknown ID waits while a response may still arrive', async () => {
  const to = nextNumber()
  const old = await submit(to)
  await recordAnswers(ports, [answer(old, 'unknown')])
  const young = await submit(to)
  await recordReports(ports, [report(to, 'young', 'delivered')])
  await lookAgainFor([2])
  await recordAnswers(ports, [answer(young, 'accepted', { reference: 'young' })])
  await lookAgainFor([10])
  assert.deepEqual([await statusOf(old), await statusOf(young)], ['submitting', 'delivered'])
})

test('repeated IDs: an early report belongs to the response with the same number', async () => {
  const [one, two, stranger] = [nextNumber(), nextNumber(), nextNumber()]
  const ids = [await submit(one), await submit(two)] as const
  await recordReports(ports, [
    report(stranger, 'same', 'rejected'),
    report(one, 'same', 'delivered'),
    report(two, 'same', 'undelivered'),
  ])
  await recordAnswers(
    ports,
    ids.map((id) => answer(id, 'accepted', { reference: 'same' })),
  )
  assert.deepEqual(await Promise.all(ids.map(statusOf)), ['delivered', 'undelivered'])
})

test('repeated IDs: an early report does not go to an older message of another number', async () => {
  const [before, to] = [nextNumber(), nextNumber()]
  const old = await submit(before)
  await recordAnswers(ports, [answer(old, 'accepted', { reference: 'again' })])
  await recordReports(ports, [report(before, 'again', 'delivered')])
  await service.advance(3600)
  const id = await submit(to)
  await recordReports(ports, [report(to, 'again', 'undelivered')])
  await recordAnswers(ports, [answer(id, 'accepted', { reference: 'again' })])
  assert.equal(await statusOf(id), 'undelivered')
  assert.equal((await sender.get(old)).dlr.status, 'DELIVERED')
})

test('D56: with one ID for all segments, the first final receipt settles the message', async () => {
  const segments = [1, 2, 3]
  for (const status of ['delivered', 'undelivered'] as const) {
    const to = nextNumber()
    const reference = `one for all ${status}`
    const id = await submit(to, { text: 'x'.repeat(400) })
    await recordAnswers(
      ports,
      segments.map((segment) => answer(id, 'accepted', { segment, reference })),
    )
    await recordReports(ports, [report(to, reference, 'pending')])
    assert.equal(await statusOf(id), 'sent')
    await recordReports(ports, [report(to, reference, status)])
    assert.equal(await statusOf(id), status)
    // Further receipts per segment change nothing.
    await recordReports(ports, [report(to, reference, 'delivered'), report(to, reference, 'delivered')])
    assert.equal(await statusOf(id), status)
  }
})

test('D56: the receipt of segments with one ID may arrive before some responses', async () => {
  const to = nextNumber()
  const id = await submit(to, { text: 'x'.repeat(400) })
  await recordAnswers(ports, [answer(id, 'accepted', { segment: 2, reference: 'ahead' })])
  await recordReports(ports, [report(to, 'ahead', 'delivered')])
  assert.equal(await statusOf(id), 'submitted')
  await recordAnswers(ports, [
    answer(id, 'accepted', { segment: 1, reference: 'ahead' }),
    answer(id, 'accepted', { segment: 3, reference: 'apart' }),
  ])
  assert.equal(await statusOf(id), 'sent', 'the segment with another ID has no receipt yet')
  await recordReports(ports, [report(to, 'apart', 'delivered')])
  assert.equal(await statusOf(id), 'delivered')
})

test('D15: two reports with one ID belong to one submission', async () => {
  const to = nextNumber()
  const ids = [await submit(to), await submit(to)] as const
  await recordAnswers(
    ports,
    ids.map((id) => answer(id, 'unknown')),
  )
  await recordReports(ports, [report(to, 'twice', 'pending'), report(to, 'twice', 'delivered')])
  await lookAgainFor([2, 10])
  assert.deepEqual(await Promise.all(ids.map(statusOf)), ['delivered', 'submitting'])
})

test('D15: with one unknown ID, each number has its own report', async () => {
  const numbers = [nextNumber(), nextNumber()]
  const ids = [await submit(numbers[0] ?? ''), await submit(numbers[1] ?? '')]
  await recordAnswers(
    ports,
    ids.map((id) => answer(id, 'unknown')),
  )
  await recordReports(
    ports,
    numbers.map((to) => report(to, 'anybody', 'delivered')),
  )
  await lookAgainFor([2, 10])
  assert.deepEqual(await Promise.all(ids.map(statusOf)), ['delivered', 'delivered'])
})

test('repeated IDs: older reports and reports with another number are ignored', async () => {
  const [to, stranger] = [nextNumber(), '+9779851234567']
  await recordReports(ports, [report(to, 'worn', 'rejected'), report(stranger, 'worn', 'rejected')])
  await lookAgainFor([2, 10])
  const id = await submit(to)
  await recordAnswers(ports, [answer(id, 'accepted', { reference: 'worn' })])
  await recordReports(ports, [report(stranger, 'worn', 'rejected')])
  await lookAgainFor([60, 600])
  assert.equal(await statusOf(id), 'sent')
})

test('a report without a number or in another notation matches by its ID', async () => {
  for (const spelling of ['', '09843099999', 'Shop']) {
    const id = await submit('+9779843099999')
    await recordAnswers(ports, [answer(id, 'accepted', { reference: `known ${spelling}` })])
    await recordReports(ports, [report(spelling, `known ${spelling}`, 'delivered')])
    assert.equal(await statusOf(id), 'delivered', spelling)
  }
})

test('a duplicate receipt does not go to an older message with the same ID', async () => {
  const to = nextNumber()
  const old = await submit(to)
  await recordAnswers(ports, [answer(old, 'accepted', { reference: 'worn out' })])
  await service.advance(3600)
  const id = await submit(to)
  await recordAnswers(ports, [answer(id, 'accepted', { reference: 'worn out' })])
  for (let times = 0; times < 2; times++) await recordReports(ports, [report(to, 'worn out', 'delivered')])
  assert.deepEqual([await statusOf(old), await statusOf(id)], ['sent', 'delivered'])
})

test('repeated IDs: a duplicate receipt in any number notation does not change an older message', async () => {
  const tail = nextNumber().slice(-8)
  for (const spelling of ['', `098${tail}`, 'Shop']) {
    const reference = `short ${spelling}`
    const old = await submit(nextNumber())
    await recordAnswers(ports, [answer(old, 'accepted', { reference })])
    await service.advance(3600)
    const id = await submit(`+97798${tail}`)
    await recordAnswers(ports, [answer(id, 'accepted', { reference })])
    for (let times = 0; times < 3; times++) await recordReports(ports, [report(spelling, reference, 'delivered')])
    await lookAgainFor([2, 10, 60])
    assert.deepEqual([await statusOf(old), await statusOf(id)], ['sent', 'delivered'], spelling)
    const waiting = await service.db.query(sql`select from pending_report where reference = ${reference}`)
    assert.equal(waiting.length, 0, 'recognized as a duplicate')
  }
})

test('repeated IDs: an early report without a number belongs to the new response', async () => {
  const old = await submit(nextNumber())
  await recordAnswers(ports, [answer(old, 'accepted', { reference: '1' })])
  await recordReports(ports, [report('', '1', 'delivered')])
  await service.advance(3600)
  const id = await submit(nextNumber())
  await recordReports(ports, [report('', '1', 'undelivered')])
  await recordAnswers(ports, [answer(id, 'accepted', { reference: '1' })])
  assert.deepEqual([await statusOf(old), await statusOf(id)], ['delivered', 'undelivered'])
})

test('repeated IDs: an early report does not match an old message to the same number', async () => {
  const to = nextNumber()
  const old = await submit(to)
  await recordAnswers(ports, [answer(old, 'accepted', { reference: 'months' })])
  await recordReports(ports, [report(to, 'months', 'delivered')])
  await service.advance(60 * 24 * 3600)
  const id = await submit(to)
  await recordReports(ports, [report(to, 'months', 'undelivered')])
  await recordAnswers(ports, [answer(id, 'accepted', { reference: 'months' })])
  assert.equal(await statusOf(id), 'undelivered')
})

test('repeated IDs: a report without a number does not match an old message', async () => {
  const old = await submit(nextNumber())
  await recordAnswers(ports, [answer(old, 'accepted', { reference: '2' })])
  await service.advance(73 * 3600)
  const before = await sender.get(old)
  await recordReports(ports, [report('', '2', 'delivered'), report('Shop', '2', 'delivered')])
  await lookAgainFor([2, 10, 60])
  assert.deepEqual(await sender.get(old), before)
})

test('repeated IDs: another number in any notation does not match', async () => {
  const [one, other] = [nextNumber(), nextNumber()]
  const ids = [await submit(one), await submit(other)] as const
  await recordAnswers(
    ports,
    ids.map((id) => answer(id, 'accepted', { reference: '3' })),
  )
  await recordReports(ports, [report(`0${one.slice(4)}`, '3', 'delivered'), report('0981234567', '3', 'rejected')])
  await lookAgainFor([2, 10, 60])
  assert.deepEqual(await Promise.all(ids.map(statusOf)), ['delivered', 'sent'])
})

test('a late receipt of a final message is shown with it', async () => {
  const to = nextNumber()
  const id = await submit(to)
  await recordAnswers(ports, [answer(id, 'accepted', { reference: 'late by days' })])
  await service.advance(100 * 3600)
  await recordReports(ports, [report(to, 'late by days', 'delivered')])
  await lookAgainFor([2, 10, 60])
  assert.equal((await sender.get(id)).dlr.status, 'DELIVERED')
})

test('early reports on segments with one ID wait for all responses', async () => {
  const to = nextNumber()
  const id = await submit(to, { text: 'x'.repeat(400) })
  const early = (['pending', 'delivered', 'delivered', 'delivered'] as const).map((it) => report(to, 'shared', it))
  await recordReports(ports, early)
  for (const segment of [1, 2, 3])
    await recordAnswers(ports, [answer(id, 'accepted', { segment, reference: 'shared' })])
  await lookAgainFor([2, 10])
  assert.equal(await statusOf(id), 'delivered')
})

const ownerOf = async (from: string, to: string) => {
  const about = { carrierId, from, to, part: null, answeredAt: null, receivedAt: service.clock.now() }
  await recordInbound(ports, [{ ...about, text: `${from} answers ${to}` }])
  const [reply] = await service.db.query<{ clientId: string }>(sql`
    select client_id as "clientId" from inbound_message where from_number = ${from} order by id desc limit 1`)
  return reply?.clientId
}

test('D18: a reply never belongs to a client whose message did not reach the handset', async () => {
  const other = await makeSender(service)
  const to = nextNumber()
  const id = await submit(to)
  await recordAnswers(ports, [answer(id, 'accepted', { reference: 'reached' })])
  await service.advance(60)
  const refused = await submit(to, {}, other)
  await recordAnswers(ports, [answer(refused, 'rejected', { error: 'carrier_rejected' })])
  assert.equal(await ownerOf(to, 'Brand'), sender.clientId)
})

test('D18: a reply finds its client behind any number of other messages', async () => {
  const other = await makeSender(service)
  const to = nextNumber()
  await submit(to, { senderId: 'Shop' })
  for (let count = 0; count < 105; count++) {
    await submit(to, { senderId: 'Bank' }, other)
    if (count % 15 === 14) await service.advance(1)
  }
  assert.equal(await ownerOf(to, 'Shop'), sender.clientId)
  assert.equal(await ownerOf(to, 'Bank'), other.clientId)
  assert.equal(await ownerOf(to, 'Elsewhere'), null)
})

test('a batch of claims, responses or reports takes two round trips', async (t) => {
  const proxy = await startProxy(service)
  const db = new Db(proxy.address, { connections: 1 })
  t.after(() => db.close())
  const far = { ...ports, db }
  const tripsOf = async (work: Promise<unknown>) => {
    const before = proxy.trips()
    await work
    return proxy.trips() - before
  }
  const sendOn = async () => {
    const numbers = [nextNumber(), nextNumber(), nextNumber()]
    const sent = await Promise.all(numbers.map((to) => sender.send({ to })))
    const ids = sent.map(({ body }) => body.messageId as string)
    const claims = await tripsOf(claim(far))
    const answers = await tripsOf(
      recordAnswers(
        far,
        ids.map((id) => answer(id, 'accepted', { reference: id })),
      ),
    )
    const known = ids.map((id, index) => report(numbers[index] as string, id, 'delivered'))
    const reports = await tripsOf(recordReports(far, [...known, report(nextNumber(), 'nobody knows it', 'delivered')]))
    for (const id of ids) assert.equal(await statusOf(id), 'delivered')
    return { claims, answers, reports }
  }
  // The first one includes a connection.
  await sendOn()
  assert.deepEqual(await sendOn(), { claims: 2, answers: 2, reports: 2 })
})
