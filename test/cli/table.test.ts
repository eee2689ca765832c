// Tables and fields for people: aligned, complete and without control characters.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldLines, jsonLine, tableOf } from '../../src/cli/table.ts'

test('columns are aligned in every script, and numbers are right-aligned', () => {
  const items = [
    { name: 'Himal', balance: 1000.5 },
    { name: 'Cafe\u0301', balance: 7 },
    { name: '雪山', balance: null },
    { name: 'हुलाकी', balance: 1 },
  ]
  const lines = ['NAME   BALANCE', 'Himal   1000.5', 'Cafe\u0301         7', '雪山         -', 'हुलाकी        1']
  assert.equal(tableOf(items, { columns: ['name', 'balance'], width: null }), lines.join('\n'))
})

test('a long cell is cut, except in the last column', () => {
  const text = 'x'.repeat(100)
  assert.equal(
    tableOf([{ text, id: 1 }], { columns: ['text', 'id'], width: null }).split('\n')[1],
    `${'x'.repeat(59)}…   1`,
  )
  assert.equal(tableOf([{ text, id: 1 }], { columns: ['id', 'text'], width: null }).split('\n')[1], ` 1  ${text}`)
})

test('nested fields have both names, and lists of objects are numbered', () => {
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

test('control characters of customers and handsets never reach the terminal', () => {
  const text = '\u001b[2Jall gone\nNAME\u009b31m\u202ereversed\u2028'
  const shown = tableOf([{ text, last: 1 }], { columns: ['text', 'last'], width: null }) + fieldLines({ text })
  assert.doesNotMatch(shown.replaceAll('\n', ''), /[\p{Cc}\u2028\u202e]/u)
  assert.equal(shown.split('\n').length, 2)
})

test('JSON escapes control characters and parses to the same value', () => {
  const answer = { text: '\u001b[2J\u009b31m\u202e\u2067 नमस्ते' }
  assert.doesNotMatch(jsonLine(answer), /[\p{Cc}\u202e\u2067]/u)
  assert.deepEqual(JSON.parse(jsonLine(answer)), answer)
})

test('a table can have 200 000 rows', () => {
  assert.equal(tableOf(Array(200_000).fill({ id: 1 }), { columns: ['id'], width: null }).split('\n').length, 200_001)
})

const ID = '0199a000-0000-7000-8000-000000000000'

test('a list fits a narrow terminal without cutting a value', () => {
  const message = {
    id: ID,
    createdAt: '2026-11-16T04:00:00.000Z',
    to: '+9779800000001',
    error: '',
    status: 'delivered',
  }
  const columns = ['id', 'createdAt', 'to', 'error', 'status']
  for (const width of [60, 80]) {
    const shown = tableOf([message, message], { columns, width })
    for (const line of shown.split('\n')) assert.ok(line.length <= width, `${line.length} at ${width}: ${line}`)
    for (const value of Object.values(message)) assert.ok(shown.includes(value), value)
  }
  const lines = [ID, '  created at: 2026-11-16T04:00:00.000Z  to: +9779800000001', '  status: delivered']
  assert.equal(tableOf([message], { columns, width: 60 }), lines.join('\n'))
  assert.match(tableOf([message], { columns, width: 120 }), /^ID +CREATED AT +TO +ERROR +STATUS\n0199a000/)
  // Columns without any value are left out.
  assert.match(tableOf([message], { columns, width: 91 }), /^ID +CREATED AT +TO +STATUS\n0199a000/)
})

test('a long text wraps in the last column if there is room', () => {
  const item = { at: '2026-11-16T04:00:00.000Z', text: 'Your order 4711 is on its way to you' }
  const lines = [
    'AT                        TEXT',
    '2026-11-16T04:00:00.000Z  Your order 4711 is on',
    '                          its way to you',
  ]
  assert.equal(tableOf([item], { columns: ['at', 'text'], width: 48 }), lines.join('\n'))
  const whole = { at: item.at, text: `for ${ID} only` }
  const card = [item.at, `  text: for`, `    ${ID}`, '    only']
  assert.equal(tableOf([whole], { columns: ['at', 'text'], width: 44 }), card.join('\n'))
})
