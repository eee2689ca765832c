import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { prefixMatcher } from '../../src/domain/prefix-matcher.ts'

/** Patterns in the syntax of numbering plans, each with a matching text. */
const { pattern } = fc.letrec<{ pattern: [string, string]; part: [string, string] }>((tie) => ({
  part: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<[string, string]>(['7', '7'], ['\\d', '4'], ['[1-36]', '2'], ['9{3}', '999'], ['[05]?', '5']),
    fc.tuple(tie('pattern'), fc.integer({ min: 1, max: 3 })).map(([[source, text], most]): [string, string] => {
      return [`(?:${source}){1,${most}}`, text.repeat(most)]
    }),
    fc.tuple(tie('pattern'), tie('pattern')).map(([[one], [other, text]]): [string, string] => {
      return [`(?:${one}|${other})`, text]
    }),
  ),
  pattern: fc.array(tie('part'), { minLength: 1, maxLength: 3 }).map((parts): [string, string] => {
    return [parts.map(([source]) => source).join(''), parts.map(([, text]) => text).join('')]
  }),
}))

test('matches every prefix of a matching text, and the whole text (property)', () => {
  fc.assert(
    fc.property(pattern, ([source, text]) => {
      const isPrefix = prefixMatcher(source)
      for (let length = 0; length <= text.length; length++) assert.ok(isPrefix(text.slice(0, length)))
    }),
  )
})

test('rejects a text that is not a prefix of any match', () => {
  const isPrefix = prefixMatcher('9[678]\\d{3}|4(?:01|2\\d?)')
  for (const text of ['', '9', '96', '98123', '4', '40', '401', '42', '421']) assert.ok(isPrefix(text), text)
  for (const text of ['1', '95', '981234', '41', '402', '4011', '4211', 'x']) assert.ok(!isPrefix(text), text)
})

test('decides nested repetitions that a backtracking pattern cannot decide in time', () => {
  const isPrefix = prefixMatcher(`${'(?:'.repeat(4)}(?:7?7?)${'{1,9})'.repeat(4)}5`)
  assert.equal(isPrefix(`${'7'.repeat(60)}5`), true)
  assert.equal(isPrefix(`${'7'.repeat(60)}6`), false)
})

test('throws for unsupported syntax', () => {
  for (const source of ['9+', '(9)', '9(?=1)', '9*', '9{2,}']) assert.throws(() => prefixMatcher(source))
})
