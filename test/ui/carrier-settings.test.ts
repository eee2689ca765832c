// Settings, prices and packets of a carrier in the console: pure functions, without a browser.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import fc from 'fast-check'
import { readPriceFile } from '../../src/cli/price-file.ts'
import { ApiError } from '../../ui/api/api-error.ts'
import type { Carrier } from '../../ui/api/calls.ts'
import { errorsByLine, readPrices, writePrices } from '../../ui/carriers/price-list.ts'
import { groupsOf } from '../../ui/carriers/setting-groups.ts'
import { describePacket } from '../../ui/carriers/wire.ts'
import { lineOf, readJson } from '../../ui/parts/json-place.ts'
import { loadServiceWords, loadWords } from '../../ui/words/index.ts'

before(() => Promise.all([loadWords('en'), loadServiceWords()]))

test('reads a price list like the command line', () => {
  for (const text of [
    '+97798,0.35\n,0.5\n',
    '\ufeffprefix,price\r\n97798;0.35\r\n"+97797","0.4"\r\n',
    '  +977 98 , 0.35\n\n\n',
    '',
  ])
    assert.deepEqual(readPrices(text).prices, readPriceFile(text), JSON.stringify(text))
})

test('reports every line that is not a price, and errors of the API at their lines', () => {
  const { prices, lines, errors } = readPrices('prefix,price\n+97798,0.35\nNepal,0.4\n\n+97798,cheap\n+97797,1\n')
  assert.deepEqual(
    errors.map(({ line }) => line),
    [3, 5],
  )
  assert.deepEqual([prices.length, lines], [2, [2, 6]])
  const details = [{ path: ['prices', 1, 'price'], message: 'Too much' }]
  const error = new ApiError({ status: 400, code: 'invalid_request', message: '', details })
  assert.deepEqual(errorsByLine(error, lines), [{ line: 6, message: 'Too much' }])
})

test('reads the prices that it wrote', () => {
  const price = fc
    .tuple(fc.integer({ min: 1, max: 99_999_999 }), fc.integer({ min: 0, max: 10_000_000 }))
    .map(([digits, e4]) => ({ prefix: `+${digits}`, price: e4 / 10_000 }))
  fc.assert(
    fc.property(fc.array(price), (prices) => {
      assert.deepEqual(readPrices(writePrices(prices)), {
        prices,
        lines: prices.map((_, index) => index + 1),
        errors: [],
      })
    }),
  )
})

test('finds the line of a JSON field, or of its parent where it is missing', () => {
  const text =
    '{\n  "url": "x",\n  "answer": {\n    "rules": [\n      { "is": [1] },\n      { "is": [2] }\n    ]\n  }\n}'
  assert.equal(lineOf(text, ['url']), 2)
  assert.equal(lineOf(text, ['answer', 'rules', 1, 'is']), 6)
  assert.equal(lineOf(text, ['answer', 'id']), 3)
  assert.equal(lineOf(text, ['nothing']), 1)
})

test('finds the line of a JSON syntax error', () => {
  assert.deepEqual(readJson('{\n  "a": 1,\n  b: 2\n}'), { ok: false, line: 3 })
  assert.deepEqual(readJson('{\n  "a": 1\n  "b": 2\n}'), { ok: false, line: 3 })
  assert.deepEqual(readJson('{} {}'), { ok: false, line: 1 })
  assert.deepEqual(readJson(''), { ok: false, line: 1 })
  assert.deepEqual(readJson('[1, "x"]'), { ok: true, value: [1, 'x'] })
})

test('finds each field of any JSON at its line', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (object) => {
      const text = JSON.stringify(object, null, 2)
      const lines = text.split('\n')
      for (const name of Object.keys(JSON.parse(text)))
        assert.ok(lines[lineOf(text, [name]) - 1]?.startsWith(`  ${JSON.stringify(name)}: `), name)
    }),
  )
})

test('lists every SMPP setting in a group, even an unknown one', () => {
  const smpp = { validity: 'none', tlvs: [], brandNew: 7 }
  const carrier = { kind: 'smpp', smpp, statusOverrides: {}, sourceTon: 5 } as unknown as Carrier
  const groups = Object.fromEntries(groupsOf(carrier))
  assert.equal(groups.receipts?.smpp?.validity, 'none')
  assert.equal(groups.senders?.sourceTon, 5)
  assert.deepEqual(groups.others, { smpp: { brandNew: 7 } })
  const http = { kind: 'http', smpp: null, http: { url: 'x' } } as unknown as Carrier
  assert.deepEqual(
    groupsOf(http).map(([name]) => name),
    ['http', 'circuit'],
  )
})

test('describes a packet with a title and its fields, for SMPP and HTTP', () => {
  assert.deepEqual(
    describePacket({ command: 'submit_sm_resp', status: 0, sequence: 7, message_id: 'ID 1', tlvs: {} }),
    {
      title: 'submit_sm_resp 0',
      lines: ['sequence=7 message_id="ID 1"'],
    },
  )
  const http = describePacket({ headers: ['a', 'b'], body: null, path: '/messages', host: 'a.example', method: 'POST' })
  assert.deepEqual(http, { title: 'POST a.example /messages', lines: ['headers=["a","b"]'] })
  const answered = {
    body: { id: 'string(3)' },
    milliseconds: 7,
    status: 200,
    read: { '/id': '<missing>', '/error': 'no way' },
  }
  assert.deepEqual(describePacket(answered), {
    title: '200',
    lines: ['/id=<missing> /error="no way"', 'milliseconds=7', 'body={"id":"string(3)"}'],
  })
  assert.deepEqual(describePacket({ read: [{ '/id': 'a' }, { '/id': 'b' }] }).lines, ['/id=a', '/id=b'])
  assert.ok(describePacket({ body: 'x'.repeat(100_000) }).lines.join().length < 2_100)
})
