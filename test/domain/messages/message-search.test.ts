import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type MessageSearch, parseSearch } from '../../../src/domain/messages/message-search.ts'

const all = { country: 'NP', seesNumbers: true, seesTexts: true }
const nothing = { by: 'parts', digits: null, idEnd: null, words: [] as string[] } as const

const cases: [written: string, search: MessageSearch][] = [
  ['9841000001', { by: 'number', e164: '+9779841000001' }],
  ['+977 984-1000001', { by: 'number', e164: '+9779841000001' }],
  ['0001', { ...nothing, digits: '0001', words: ['0001'] }],
  [
    '019a8c3e-11aa',
    { by: 'ids', from: '019a8c3e-11aa-0000-0000-000000000000', to: '019a8c3e-11aa-ffff-ffff-ffffffffffff' },
  ],
  ['01a051565a3d', { ...nothing, idEnd: '01a051565a3d', words: ['01a051565a3d'] }],
  ['01a05156', { by: 'ids', from: '01a05156-0000-0000-0000-000000000000', to: '01a05156-ffff-ffff-ffff-ffffffffffff' }],
  ['fea051565a3d', { ...nothing, idEnd: 'fea051565a3d', words: ['fea051565a3d'] }],
  ['  Rs  1,240 due ', { ...nothing, words: ['Rs', '1,240', 'due'] }],
  ['तपाईंको अर्डर', { ...nothing, words: ['तपाईंको', 'अर्डर'] }],
]
for (const [written, search] of cases) {
  test(`searches '${written}' by ${search.by}`, () => assert.deepEqual(parseSearch(written, all), search))
}

test('finds a whole id as one id', () => {
  const id = '019a8c3e-11aa-7001-8abc-fea051565a3d'
  assert.deepEqual(parseSearch(id.toUpperCase(), all), { by: 'ids', from: id, to: id })
})

test('reveals no hidden digits through masked searches, and no hidden texts (D68)', () => {
  const masked = { ...all, seesNumbers: false, seesTexts: false }
  assert.deepEqual(parseSearch('699', masked), { ...nothing, digits: '699' })
  assert.deepEqual(parseSearch('0699', masked), { ...nothing, digits: '0699' })
  assert.equal(parseSearch('10699', masked), null)
  assert.equal(parseSearch('due', masked), null)
})

test('searches a limited number of words (D43)', () => {
  const search = parseSearch('a b c d e f g h i j k', all)
  assert.equal(search?.by === 'parts' && search.words.length, 8)
})
