// Every outcome of docs/reference/simulator.md, as an ESME sees it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeText } from '../../src/smpp/alphabets.ts'
import { isReceipt, readReceipt } from '../../src/smpp/receipt.ts'
import { commandStatus } from '../../src/smpp/status.ts'
import { until } from '../harness/until.ts'
import { bindTo, gsm, simulate } from './esme.ts'

test('01 and every other number: accepted, delivered, one receipt', async (t) => {
  const { simulator, settle } = await simulate(t)
  const esme = await bindTo(t, simulator)
  const ids = [await esme.send('9779800000001'), await esme.send('9779800000000'), await esme.send('9779841234567')]
  await settle()
  assert.deepEqual(
    esme.receipts(),
    ids.map((id) => `${id} DELIVRD`),
  )
  assert.equal(new Set(ids).size, 3)
  assert.equal(simulator.handsets().items.length, 3)
})

test('a receipt has the addresses, time and text of its message', async (t) => {
  const { simulator, settle } = await simulate(t)
  const esme = await bindTo(t, simulator)
  await esme.send('9779800000001')
  await settle()
  const [pdu] = esme.received
  assert(pdu)
  assert.deepEqual(
    [pdu.source_addr, pdu.source_addr_ton, pdu.source_addr_npi, pdu.destination_addr, pdu.dest_addr_ton],
    ['9779800000001', 1, 1, 'Hulaki', 5],
  )
  const { submitAt, doneAt, err, text } = readReceipt(pdu)
  assert.deepEqual([submitAt, doneAt, err], [new Date('2026-11-16T04:00:00Z'), new Date('2026-11-16T04:00:00Z'), '000'])
  assert.match(text, /text:Namaste$/)
})

test('02: accepted, then undelivered, and not on the handset', async (t) => {
  const { simulator, settle } = await simulate(t)
  const esme = await bindTo(t, simulator)
  const id = await esme.send('9779800000002')
  await settle()
  assert.deepEqual(esme.receipts(), [`${id} UNDELIV`])
  assert.deepEqual(simulator.handsets().items, [])
})

test('03, 04, 10: rejected every time, without a receipt', async (t) => {
  const { simulator, advance } = await simulate(t)
  const esme = await bindTo(t, simulator)
  const { ESME_RX_P_APPN, ESME_RSYSERR, ESME_RINVDSTADR } = commandStatus
  for (let round = 1; round <= 7; round++) {
    assert.equal(await esme.send('9779800000003'), ESME_RX_P_APPN)
    assert.equal(await esme.send('9779800000004'), ESME_RSYSERR)
    assert.equal(await esme.send('9779800000010'), ESME_RINVDSTADR)
  }
  await advance(86_400)
  assert.deepEqual([esme.received, simulator.handsets().items], [[], []])
})

test('05: rejected once (temporary), then delivered', async (t) => {
  const { simulator, settle } = await simulate(t)
  const esme = await bindTo(t, simulator)
  const ids = []
  for (const text of ['one', 'two', 'two']) {
    const fields = { short_message: gsm(text) }
    assert.equal(await esme.send('9779800000005', fields), commandStatus.ESME_RSYSERR)
    ids.push(await esme.send('9779800000005', fields))
  }
  await settle()
  assert.deepEqual(
    esme.receipts(),
    ids.map((id) => `${id} DELIVRD`),
  )
})

test('06: accepted and on the handset, without a receipt', async (t) => {
  const { simulator, advance } = await simulate(t)
  const esme = await bindTo(t, simulator)
  assert.match(String(await esme.send('9779800000006')), /^s[0-9a-f]{16}$/)
  await advance(7 * 86_400)
  assert.deepEqual(esme.received, [])
  assert.equal(simulator.handsets().items.length, 1)
})

test('07: delivered, then the handset replies YES to the sender', async (t) => {
  const { simulator, settle } = await simulate(t)
  const esme = await bindTo(t, simulator)
  const id = await esme.send('9779800000007')
  await settle()
  assert.deepEqual(esme.receipts(), [`${id} DELIVRD`])
  const reply = esme.received[1]
  assert(reply && !isReceipt(reply))
  assert.deepEqual(
    [reply.source_addr, reply.destination_addr, decodeText(reply.short_message, 'gsm')],
    ['9779800000007', 'Hulaki', 'YES'],
  )
})

test('08: the receipt arrives before the submission response', async (t) => {
  const { simulator } = await simulate(t)
  const order: string[] = []
  const esme = await bindTo(t, simulator, {
    handlers: {
      deliver_sm: (pdu) => {
        order.push(`receipt ${readReceipt(pdu).id}`)
        return {}
      },
    },
  })
  const id = await esme.send('9779800000008')
  order.push(`answer ${id}`)
  assert.deepEqual(order, [`receipt ${id}`, `answer ${id}`])
})

test('09: the receipt arrives twice', async (t) => {
  const { simulator, settle } = await simulate(t)
  const esme = await bindTo(t, simulator)
  const id = await esme.send('9779800000009')
  await settle()
  assert.deepEqual(esme.receipts(), [`${id} DELIVRD`, `${id} DELIVRD`])
  assert.equal(simulator.handsets().items.length, 1)
})

test('11: accepted, then rejected by the carrier', async (t) => {
  const { simulator, settle } = await simulate(t)
  const esme = await bindTo(t, simulator)
  const id = await esme.send('9779800000011')
  await settle()
  assert.deepEqual(esme.receipts(), [`${id} REJECTD`])
})

test('12: no response to the submission, and the link keeps working', async (t) => {
  const { simulator, settle } = await simulate(t)
  const esme = await bindTo(t, simulator, { timers: { responseMs: 50 } })
  assert.equal(await esme.send('9779800000012'), 'unknown')
  // The short timeout applies to every submission, so a slow machine may need several.
  const id = await until(async () => {
    const answer = await esme.send('9779800000001')
    return answer !== 'unknown' && answer
  })
  await settle()
  assert.equal(esme.receipts().at(-1), `${id} DELIVRD`)
})

test('13: throttled three times, then delivered', async (t) => {
  const { simulator, settle } = await simulate(t)
  const esme = await bindTo(t, simulator)
  const answers = []
  for (let round = 1; round <= 4; round++) answers.push(await esme.send('9779800000013'))
  const id = answers.pop()
  assert.deepEqual(answers, Array(3).fill(commandStatus.ESME_RTHROTTLED))
  await settle()
  assert.deepEqual(esme.receipts(), [`${id} DELIVRD`])
})

test('14: delivered after 30 s, also to the handset', async (t) => {
  const { simulator, advance } = await simulate(t)
  const esme = await bindTo(t, simulator)
  const id = await esme.send('9779800000014')
  await advance(29.999)
  assert.deepEqual([esme.received, simulator.handsets().items], [[], []])
  await advance(0.001)
  assert.deepEqual(esme.receipts(), [`${id} DELIVRD`])
  assert.equal(simulator.handsets().items[0]?.receivedAt.toISOString(), '2026-11-16T04:00:30.000Z')
})

test('14 with a shorter validity: expired at its end', async (t) => {
  const { simulator, advance } = await simulate(t)
  const esme = await bindTo(t, simulator)
  const id = await esme.send('9779800000014', { validity_period: '000000000010000R' })
  await advance(9)
  assert.deepEqual(esme.receipts(), [])
  await advance(1)
  assert.deepEqual(esme.receipts(), [`${id} EXPIRED`])
  await advance(60)
  assert.deepEqual([esme.received.length, simulator.handsets().items], [1, []])
})

test('registered_delivery: no receipts, all receipts, or only failures', async (t) => {
  const { simulator, settle } = await simulate(t)
  const esme = await bindTo(t, simulator)
  for (const registered_delivery of [0, 2]) await esme.send('9779800000001', { registered_delivery })
  await esme.send('9779800000002', { registered_delivery: 0 })
  const id = await esme.send('9779800000002', { registered_delivery: 2 })
  await settle()
  assert.deepEqual(esme.receipts(), [`${id} UNDELIV`])
})

test('rejects an invalid submission with its status', async (t) => {
  const { simulator } = await simulate(t)
  const esme = await bindTo(t, simulator)
  const { ESME_RINVDSTADR, ESME_RINVSCHED, ESME_RINVEXPIRY } = commandStatus
  assert.equal(await esme.send('nobody'), ESME_RINVDSTADR)
  assert.equal(await esme.send(''), ESME_RINVDSTADR)
  assert.equal(await esme.send('9779800000001', { schedule_delivery_time: '000000000500000R' }), ESME_RINVSCHED)
  assert.equal(await esme.send('9779800000001', { validity_period: 'tomorrow' }), ESME_RINVEXPIRY)
})

test('receipts have the configured delay', async (t) => {
  const { simulator, advance } = await simulate(t, { receiptDelayMs: 2_000 })
  const esme = await bindTo(t, simulator)
  const id = await esme.send('9779800000001')
  await advance(1)
  assert.deepEqual(esme.receipts(), [])
  await advance(1)
  assert.deepEqual(esme.receipts(), [`${id} DELIVRD`])
})

test('throttles above its rate and accepts again later', async (t) => {
  const { simulator, advance } = await simulate(t, { segmentsPerSecond: 5 })
  const esme = await bindTo(t, simulator, { window: 100 })
  const burst = async (count: number) => {
    const answers = await Promise.all(Array.from({ length: count }, () => esme.send('9779800000001')))
    return answers.filter((answer) => answer !== commandStatus.ESME_RTHROTTLED).length
  }
  assert.equal(await burst(20), 5)
  await advance(0.4)
  assert.equal(await burst(20), 2)
  await advance(60)
  assert.equal(await burst(20), 5)
})

test('a thousand submissions each get their own ID and receipt', async (t) => {
  const { simulator } = await simulate(t)
  const esme = await bindTo(t, simulator, { window: 200 })
  const numbers = Array.from({ length: 1000 }, (_, index) => `97798${String(index).padStart(6, '0')}20`)
  const ids = await Promise.all(numbers.map((to) => esme.send(to)))
  await until(() => esme.received.length === 1000)
  assert.equal(new Set(ids).size, 1000)
  assert.deepEqual(esme.receipts().sort(), ids.map((id) => `${id} DELIVRD`).sort())
  assert.equal(simulator.handsets().items.length, 100)
})
