// Answers for people: in line, whole, and harmless to the terminal.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldLines, jsonLine, tableOf } from '../../src/cli/table.ts'

test('columns are in line, whatever is written in them, and numbers stand at the right', () => {
  const items = [
    { name: 'Himal', balance: 1000.5 },
    { name: 'Cafe\u0301', balance: 7 },
    { name: '雪山', balance: null },
    { name: 'हुलाकी', balance: 1 },
  ]
  const lines = ['NAME   BALANCE', 'Himal   1000.5', 'Cafe\u0301         7', '雪山         -', 'हुलाकी        1']
  assert.equal(tableOf(items, ['name', 'balance']), lines.join('\n'))
})

test('a long cell is cut, except in the last column', () => {
  const text = 'x'.repeat(100)
  assert.equal(tableOf([{ text, id: 1 }], ['text', 'id']).split('\n')[1], `${'x'.repeat(59)}…   1`)
  assert.equal(tableOf([{ text, id: 1 }], ['id', 'text']).split('\n')[1], ` 1  ${text}`)
})

test('what is inside another thing stands under both names, and lists of things one by one', () => {
  const thing = {
    id: 7,
    rate: { otp: 1.2 },
    types: ['otp', 'promotional'],
    none: [],
    state: [{ number: 1, bound: true }],
  }
  assert.equal(
    fieldLines(thing),
    ['id        7', 'rate.otp  1.2', 'types     otp,promotional', 'none      []', 'state 1   number=1 bound=yes'].join(
      '\n',
    ),
  )
})

test('nothing that customers or handsets write can draw on the screen', () => {
  const text = '\u001b[2Jall gone\nNAME\u009b31m\u202ereversed\u2028'
  const shown = tableOf([{ text, last: 1 }], ['text', 'last']) + fieldLines({ text })
  assert.doesNotMatch(shown.replaceAll('\n', ''), /[\p{Cc}\u2028\u202e]/u)
  assert.equal(shown.split('\n').length, 2)
})

test('JSON stays the same to programs, and is only signs to a terminal', () => {
  const answer = { text: '\u001b[2J\u009b31m\u202e\u2067 नमस्ते' }
  assert.doesNotMatch(jsonLine(answer), /[\p{Cc}\u202e\u2067]/u)
  assert.deepEqual(JSON.parse(jsonLine(answer)), answer)
})

test('a table may have very many rows', () => {
  assert.equal(tableOf(Array(200_000).fill({ id: 1 }), ['id']).split('\n').length, 200_001)
})
