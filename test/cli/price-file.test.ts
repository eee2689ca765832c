// Reading a carrier's price file.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UsageError } from '../../src/cli/context.ts'
import { readPriceFile } from '../../src/cli/price-file.ts'

test('reads a prefix and a price per line, with or without titles, as spreadsheets write them', () => {
  const prices = [
    { prefix: '+97798', price: 0.35 },
    { prefix: '+91', price: 1 },
    { prefix: '', price: 0.5 },
  ]
  assert.deepEqual(readPriceFile('prefix,price\n+97798,0.35\n+91,1\n,0.5\n'), prices)
  assert.deepEqual(readPriceFile('\ufeff"+97798";"0.35"\r\n 91 , 1\r\n\r\n,0.5'), prices)
  assert.deepEqual(readPriceFile(''), [])
})

test('names up to ten invalid lines', () => {
  const assertError = (text: string, sentence: RegExp) =>
    assert.throws(
      () => readPriceFile(text),
      (error: unknown) => error instanceof UsageError && sentence.test(error.message),
    )
  assertError('+977,0.1\nNepal,0.1\n+91,free\n+1', /invalid: line 2, 3, 4\.$/)
  assertError('+977,-1\n'.repeat(12), /10 and 2 more\.$/)
})
