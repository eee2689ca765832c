// Why a receipt matches no message.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type IdFormat,
  type IdFormats,
  likelyCause,
  otherSpellings,
} from '../../../src/domain/messages/receipt-cause.ts'
import { normaliseMessageId } from '../../../src/smpp/receipt.ts'

const OPAQUE = { answers: 'opaque', reports: 'opaque' } as const
const to = '+9779841000001'
const receipt = { carrierId: 'c1', reference: '41394', to }

test('names the id formats with which ids in hex match (D13)', () => {
  const clue = { carrierId: 'c1', reference: 'a1b2', to }
  assert.deepEqual(likelyCause(receipt, { idFormat: OPAQUE, clues: [clue], lastIdToNumber: 'a1b2' }), {
    kind: 'id_format',
    idFormat: { answers: 'hex', reports: 'decimal' },
  })
  // The same id of a message to another number is no proof.
  const other = { ...clue, to: '+9779841999999' }
  assert.equal(likelyCause(receipt, { idFormat: OPAQUE, clues: [other], lastIdToNumber: null }).kind, 'nothing_sent')
})

test('finds the right id formats from one message for every setting (D13, property)', () => {
  const formats: readonly [IdFormat, IdFormat][] = [
    ['hex', 'decimal'],
    ['decimal', 'hex'],
  ]
  const wrong = fc.constantFrom<IdFormats>(
    OPAQUE,
    { answers: 'hex', reports: 'hex' },
    { answers: 'decimal', reports: 'decimal' },
    { answers: 'decimal', reports: 'hex' },
    { answers: 'hex', reports: 'decimal' },
  )
  fc.assert(
    fc.property(fc.bigInt(1n << 20n, 1n << 62n), fc.constantFrom(...formats), wrong, (id, [answers, reports], set) => {
      const write = (format: IdFormat) => id.toString(format === 'hex' ? 16 : 10)
      const reference = normaliseMessageId(write(reports), set.reports)
      const stored = normaliseMessageId(write(answers), set.answers)
      // The current formats match already.
      if (reference === stored) return
      const found = otherSpellings(reference, set).find((it) => it.reference === stored)
      assert.ok(found, `${reference} is not found as ${stored}`)
      const right = found.idFormat
      assert.equal(normaliseMessageId(write(reports), right.reports), normaliseMessageId(write(answers), right.answers))
    }),
  )
})

test('names the other causes, the most certain first', () => {
  const same = { reference: '41394', to }
  const cases = [
    [[{ ...same, carrierId: 'c2' }], null, { kind: 'other_carrier', carrierId: 'c2' }],
    [[{ ...same, carrierId: 'c1', to: '+9779841999999' }], null, { kind: 'other_number' }],
    [[], 'XYZ', { kind: 'other_id', carrierMessageId: 'XYZ' }],
    [[{ ...same, carrierId: 'c2', to: '+9779841999999' }], null, { kind: 'nothing_sent' }],
  ] as const
  for (const [clues, lastIdToNumber, cause] of cases)
    assert.deepEqual(likelyCause(receipt, { idFormat: OPAQUE, clues, lastIdToNumber }), cause)
})
