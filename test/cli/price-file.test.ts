// A carrier's price list as a file, and how it is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPriceFile } from '../../src/cli/price-file.ts'
import { Misuse } from '../../src/cli/surroundings.ts'

test('a prefix and a price in each line, with or without titles, as spreadsheets write them', () => {
  const prices = [
    { prefix: '+97798', price: 0.35 },
    { prefix: '+91', price: 1 },
    { prefix: '', price: 0.5 },
  ]
  assert.deepEqual(readPriceFile('prefix,price\n+97798,0.35\n+91,1\n,0.5\n'), prices)
  assert.deepEqual(readPriceFile('\ufeff"+97798";"0.35"\r\n 91 , 1\r\n\r\n,0.5'), prices)
  assert.deepEqual(readPriceFile(''), [])
})

test('every line that is none is told, up to ten', () => {
  const tells = (text: string, sentence: RegExp) =>
    assert.throws(
      () => readPriceFile(text),
      (fault: unknown) => fault instanceof Misuse && sentence.test(fault.message),
    )
  tells('+977,0.1\nNepal,0.1\n+91,free\n+1', /invalid: line 2, 3, 4\.$/)
  tells('+977,-1\n'.repeat(12), /10 and 2 more\.$/)
})
