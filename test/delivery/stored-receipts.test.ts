// A receipt that arrives during an open submission is stored and applied before any decision: a delivered message is never resent, failed or
// refunded (D15).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimMessages } from '../../src/actions/messages/claim-messages.ts'
import { expireUnreported, expireWaiting } from '../../src/actions/messages/expire-messages.ts'
import { endLapsedClaims, recordAnswers } from '../../src/actions/messages/record-answers.ts'
import { matchPendingReports, recordReports } from '../../src/actions/messages/record-reports.ts'
import { Room } from '../../src/domain/carriers/room.ts'
import { addCarrier, addRoute, makeSender } from '../harness/sending.ts'
import { ownService } from '../harness/service.ts'

// No delivery role: a crashed process is simulated by a claim that is never settled.
const service = await ownService({ env: { HULAKI_ROLES: 'api' } })
const sender = await makeSender(service)
const carrierId = await addCarrier(service, 9)
await addRoute(service, carrierId)
let last = 0

const LEASE_SECONDS = 40
let claimId = ''
const claim = () => {
  claimId = service.ports.ids.next()
  return claimMessages(service.ports, {
    claimId,
    carrierId,
    places: [null, carrierId].flatMap((avoidCarrierId) =>
      [0, 1, 2].map((priority) => ({ destination: 'NP', avoidCarrierId, priority })),
    ),
    behind: null,
    room: new Room({ places: 20, free: 20, tokens: Number.POSITIVE_INFINITY }),
    leaseMs: LEASE_SECONDS * 1000,
    inOnePiece: false,
    senderRules: { defaultSender: null, senderRewrites: {}, allowedSenders: [] },
    receipts: 'each',
    wantsFields: false,
    prices: undefined,
  })
}

async function submit(type: 'otp' | 'transactional' = 'otp') {
  const to = `98${String(44_000_000 + ++last)}`
  const sent = await sender.send({ to, type })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  const { messages } = await claim()
  const [message] = messages.filter((it) => it.id === sent.body.messageId)
  assert(message)
  return message
}

/** A final receipt with an unknown ID. */
async function report(to: string) {
  const about = { carrierId, reference: `REF ${to}`, to, byText: false }
  const said = { status: 'delivered' as const, error: '' as const, state: 'DELIVRD', code: '000', raw: 'stat:DELIVRD' }
  await recordReports(service.ports, [
    { id: service.ports.ids.next(), ...about, ...said, receivedAt: service.clock.now() },
  ])
}

/** Two lookups have failed; the next one is long after the claim expires. */
async function reportWhileOpen(to: string) {
  await report(to)
  for (const seconds of [2, 10]) {
    await service.advance(seconds)
    await matchPendingReports(service.ports)
  }
}

async function assertDelivered(id: string, balance: number) {
  const { status, error } = await sender.get(id)
  assert.deepEqual([status, error], ['delivered', ''])
  assert.equal((await sender.balance()).balance, balance, 'no refund')
  assert.deepEqual((await claim()).messages, [])
  const left = await service.db.query({ text: 'select 1 from pending_report', values: [], name: undefined })
  assert.deepEqual(left, [])
}
const balanceNow = async () => (await sender.balance()).balance

test('after an expired claim, a delivered OTP is not resent', async () => {
  const { id, to } = await submit()
  const balance = await balanceNow()
  await reportWhileOpen(to)
  await service.advance(LEASE_SECONDS)
  assert.equal(await endLapsedClaims(service.ports), 1)
  await assertDelivered(id, balance)
})

test('after a response timeout, a delivered OTP is not resent', async () => {
  const { id, to, ordinal, workspaceId, claimedAt } = await submit()
  const balance = await balanceNow()
  await reportWhileOpen(to)
  const about = { messageId: id, ordinal, segment: 1, workspaceId, carrierId, to, claimedAt, ofSegments: 1 }
  const nothing = { error: '' as const, commandStatus: null, carrierMessageId: null, reference: null }
  const sent = {
    sender: 'Shop',
    receipts: 'each' as const,
    message: null,
    claim: { id: claimId, leasedUntil: new Date(), unrecorded: 1 },
  }
  const receipts = await recordAnswers(service.ports, [
    { ...about, ...nothing, ...sent, outcome: 'unknown', carrierCostE4: null },
  ])
  assert.equal(receipts.length, 1)
  await assertDelivered(id, balance)
})

test('D14: a delivered OTP does not expire', async () => {
  const { id, to } = await submit()
  const balance = await balanceNow()
  await reportWhileOpen(to)
  await service.advance(301)
  assert.equal(await endLapsedClaims(service.ports), 1)
  assert.equal(await expireWaiting(service.ports), 0)
  await assertDelivered(id, balance)
})

test('D59: an operator cannot fail or resend a delivered message', async () => {
  for (const [act, type] of [
    ['fail', 'otp'],
    ['resend', 'transactional'],
  ] as const) {
    const { id, to } = await submit(type)
    const balance = await balanceNow()
    await reportWhileOpen(to)
    await service.advance(LEASE_SECONDS)
    const { status, body } = await service.manage('POST', `/messages/${id}/${act}`)
    assert.equal(status, 409, JSON.stringify(body))
    assert.match(body.error, /delivered, which is final/)
    await assertDelivered(id, balance)
  }
})

test('D13: an unknown message with a receipt is delivered at its deadline', async () => {
  const { id, to } = await submit('transactional')
  const balance = await balanceNow()
  await service.advance(LEASE_SECONDS)
  await endLapsedClaims(service.ports)
  await service.advance(72 * 3600)
  await report(to)
  await expireUnreported(service.ports)
  await assertDelivered(id, balance)
})

test('doctor and now show unknown submissions by carrier and age until they are settled', async () => {
  const { id, to } = await submit('transactional')
  const since = service.clock.now().toISOString()
  const told = async () => {
    const { carriers, findings } = (await service.manage('GET', '/now')).body
    const finding = findings.find((it: { code: string }) => it.code === 'messages_in_doubt')
    return { inDoubt: carriers[0].inDoubt, state: finding?.state, about: finding?.about?.id, what: finding?.what }
  }
  const nothing = { inDoubt: null, state: undefined, about: undefined, what: undefined }
  assert.deepEqual(await told(), nothing, 'in submission')
  await service.advance(LEASE_SECONDS)
  await endLapsedClaims(service.ports)
  const { what, ...doubt } = await told()
  assert.deepEqual(doubt, { inDoubt: { messages: 1, since }, state: 'warning', about: carrierId })
  assert.match(
    what,
    /^Messages with unknown outcome at carrier Carrier 9: 1, the oldest since \d.* UTC\. .*ask the carrier, then run hulaki message/,
  )
  await report(to)
  await service.advance(2)
  await matchPendingReports(service.ports)
  assert.equal((await sender.get(id)).status, 'delivered')
  assert.deepEqual(await told(), nothing)
})
