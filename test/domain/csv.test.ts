import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvLine } from '../../src/domain/csv.ts'

test('keeps a cell with a comma, a quote or a line break as one cell (RFC 4180)', () => {
  assert.equal(csvLine(['a,b', 'say "hi"', 'two\nlines', 'plain']), '"a,b","say ""hi""","two\nlines",plain\r\n')
  assert.equal(csvLine([null, 1.5, new Date('2026-11-16T04:00:00Z')]), ',1.5,2026-11-16T04:00:00.000Z\r\n')
})

test('keeps a cell with a separator of other spreadsheets as one cell', () => {
  assert.equal(csvLine(['a;=1+1', 'a\t=1+1']), '"a;=1+1","a\t=1+1"\r\n')
})

test('turns no customer text into a formula, and keeps numbers unchanged', () => {
  for (const text of [
    '=1+1',
    '@SUM(A1)',
    '+cmd|calc',
    '-2+3',
    '\t=1',
    '\r=1',
    '\n=1',
    '＝1+1',
    '＠SUM(A1)',
    '+9779841000001=1',
  ])
    assert.match(csvLine([text]), /^"?'/, JSON.stringify(text))
  assert.equal(csvLine(['=HYPERLINK("http://x","y")']), `"'=HYPERLINK(""http://x"",""y"")"\r\n`)
  assert.equal(csvLine(['+9779841000001', '+97798••••001']), '+9779841000001,+97798••••001\r\n')
  assert.equal(csvLine(['a=1']), 'a=1\r\n')
})
