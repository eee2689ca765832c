// The messages of simulated handsets.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { encodeText } from '../../src/smpp/alphabets.ts'
import { ESM_CLASS_UDHI, encodeConcatenation } from '../../src/smpp/udh.ts'
import { bindTo, type Esme, gsm, START, simulate } from './esme.ts'

const NUMBER = '9779841234567'

test('shows number, sender, text and time of a message', async (t) => {
  const { simulator, settle } = await simulate(t)
  const esme = await bindTo(t, simulator)
  const taken = await esme.send(NUMBER, { short_message: gsm('Himal: 123456 is {yours} for 5 €') })
  await settle()
  assert.deepEqual(simulator.handsets().items, [
    { id: taken, to: `+${NUMBER}`, from: 'Hulaki', text: 'Himal: 123456 is {yours} for 5 €', receivedAt: START },
  ])
})

test('reads every alphabet from short_message and message_payload', async (t) => {
  const { simulator, settle } = await simulate(t)
  const esme = await bindTo(t, simulator)
  const ucs2 = encodeText('नमस्ते 😀', 'ucs2') ?? assert.fail()
  await esme.send(NUMBER, { data_coding: 8, short_message: ucs2 })
  await esme.send(NUMBER, { data_coding: 3, short_message: Buffer.from('Señor ÿ', 'latin1') })
  await esme.send(NUMBER, { data_coding: 1, short_message: Buffer.from('{plain}') })
  await esme.send(NUMBER, { short_message: Buffer.alloc(0), tlvs: { message_payload: gsm('x'.repeat(400)) } })
  await settle()
  const texts = simulator.handsets().items.map(({ text }) => text)
  assert.deepEqual(texts, ['x'.repeat(400), '{plain}', 'Señor ÿ', 'नमस्ते 😀'])
})

test('shows a numeric sender as a number', async (t) => {
  const { simulator, settle } = await simulate(t)
  const esme = await bindTo(t, simulator)
  await esme.send(NUMBER, { source_addr_ton: 1, source_addr_npi: 1, source_addr: '9779801111111' })
  await settle()
  assert.equal(simulator.handsets().items[0]?.from, '+9779801111111')
})

test('joins parts in any order, with a receipt per part', async (t) => {
  const { simulator, settle } = await simulate(t)
  const esme = await bindTo(t, simulator)
  const sendPart = partSender(esme)
  await sendPart({ reference: 7, total: 3, number: 3 }, 'three')
  await sendPart({ reference: 8, total: 2, number: 2 }, 'world')
  await sendPart({ reference: 7, total: 3, number: 1 }, 'one ')
  await settle()
  assert.deepEqual(simulator.handsets().items, [])
  await sendPart({ reference: 8, total: 2, number: 1 }, 'hello ')
  await sendPart({ reference: 7, total: 3, number: 2 }, 'two ')
  await settle()
  const texts = simulator.handsets().items.map(({ text }) => text)
  assert.deepEqual(texts, ['one two three', 'hello world'])
  assert.equal(esme.receipts().length, 5)
})

test('replies once to a long message to 07, when it is complete', async (t) => {
  const { simulator, settle } = await simulate(t)
  const esme = await bindTo(t, simulator)
  const sendPart = partSender(esme, '9779800000007')
  await sendPart({ reference: 1, total: 2, number: 2 }, 'you?')
  await settle()
  assert.equal(esme.received.length, 1)
  await sendPart({ reference: 1, total: 2, number: 1 }, 'how are ')
  await settle()
  assert.deepEqual([esme.receipts().length, esme.received.length], [2, 3])
})

test('joins parts by sar_* too', async (t) => {
  const { simulator, settle } = await simulate(t)
  const esme = await bindTo(t, simulator)
  for (const [number, text] of [
    [2, 'second'],
    [1, 'first '],
  ] as const) {
    const tlvs = { sar_msg_ref_num: 900, sar_total_segments: 2, sar_segment_seqnum: number }
    await esme.send(NUMBER, { short_message: gsm(text), tlvs })
  }
  await settle()
  assert.equal(simulator.handsets().items[0]?.text, 'first second')
})

test('keeps the last hundred, newest first', async (t) => {
  const { simulator, settle } = await simulate(t)
  const esme = await bindTo(t, simulator)
  for (let count = 1; count <= 105; count++) await esme.send(NUMBER, { short_message: gsm(`no. ${count}`) })
  await settle()
  const texts = simulator.handsets().items.map(({ text }) => text)
  assert.deepEqual([texts.length, texts[0], texts.at(-1)], [100, 'no. 105', 'no. 6'])
})

test('joins UCS-2 texts that are split anywhere', async (t) => {
  const { simulator, settle } = await simulate(t)
  const esme = await bindTo(t, simulator)
  const text = fc.string({ unit: 'grapheme', minLength: 2, maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 0, max: 255 }), fc.boolean(), async (words, reference, inOrder) => {
      const bytes = encodeText(words, 'ucs2') ?? assert.fail()
      const middle = bytes.length >> 1
      const halves = [bytes.subarray(0, middle), bytes.subarray(middle)].map((body, index) =>
        Buffer.concat([encodeConcatenation({ reference, total: 2, number: index + 1 }), body]),
      )
      for (const short_message of inOrder ? halves : halves.reverse()) {
        await esme.send(NUMBER, { esm_class: ESM_CLASS_UDHI, data_coding: 8, short_message })
      }
      await settle()
      assert.equal(simulator.handsets().items[0]?.text, words)
    }),
    { numRuns: 50 },
  )
})

function partSender(esme: Esme, to = NUMBER) {
  return (part: { reference: number; total: number; number: number }, text: string) =>
    esme.send(to, {
      esm_class: ESM_CLASS_UDHI,
      short_message: Buffer.concat([encodeConcatenation(part), gsm(text)]),
    })
}
