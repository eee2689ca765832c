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

test('a list fits a narrow terminal: short local times, and whole ids at the end or on their own lines', () => {
  const at = new Date(new Date().getFullYear(), 10, 16, 4, 5)
  const message = { id: ID, createdAt: at.toISOString(), to: '+9779800000001', error: '', status: 'delivered' }
  const columns = ['id', 'createdAt', 'to', 'error', 'status']
  const view = { names: new Map(), now: at }
  for (const width of [50, 60, 80]) {
    const shown = tableOf([message, message], { columns, width, view })
    for (const line of shown.split('\n')) assert.ok(line.length <= width, `${line.length} at ${width}: ${line}`)
    for (const value of [ID, message.to, message.status, '16 Nov 04:05']) assert.ok(shown.includes(value), value)
  }
  // A column without any value is left out.
  const line = `16 Nov 04:05  +9779800000001  delivered`
  const head = 'CREATED       TO              STATUS'
  assert.equal(tableOf([message], { columns, width: 80, view }), `${head}     ID\n${line}  ${ID}`)
  assert.equal(tableOf([message], { columns, width: 60, view }), `${head}\n${line}\n  id: ${ID}`)
  // Without a terminal, all columns and values are complete.
  assert.match(tableOf([message], { columns, width: null }), /^ID +CREATED AT +TO +ERROR +STATUS\n0199a000.*\.000Z/)
})

test('a terminal shows names in place of ids, and the end of an id without a name', () => {
  const items = [{ clientId: ID, carrierId: '0199a000-0000-7000-8000-0000000000ff', count: 1 }]
  const names = new Map([[ID, 'Web shop']])
  const shown = tableOf(items, {
    columns: ['clientId', 'carrierId', 'count'],
    width: 80,
    view: { names, now: new Date() },
  })
  assert.equal(shown, 'CLIENT    CARRIER    COUNT\nWeb shop  …000000ff      1')
})

test('fields wrap on a terminal, with local times and names before ids', () => {
  const at = new Date(2026, 10, 16, 4, 5, 6, 7).toISOString()
  const thing = { at, clientId: ID, text: 'Your order 4711 is on its way to you' }
  assert.equal(
    fieldLines(thing, 40, { names: new Map([[ID, 'Shop']]), now: new Date() }),
    `at        16 Nov 2026 04:05:06.007\nclientId  Shop\n          (${ID})\ntext      Your order 4711 is on its way\n          to you`,
  )
})

test('a long text wraps in the last column if there is room', () => {
  const item = { day: '2026-11-16', text: 'Your order 4711 is on its way to you' }
  const lines = ['DAY         TEXT', '2026-11-16  Your order 4711 is on', '            its way to you']
  assert.equal(tableOf([item], { columns: ['day', 'text'], width: 33 }), lines.join('\n'))
  const whole = { day: item.day, text: `for ${'x'.repeat(36)} only` }
  const card = [item.day, '  text: for', `    ${'x'.repeat(36)}`, '    only']
  assert.equal(tableOf([whole], { columns: ['day', 'text'], width: 44 }), card.join('\n'))
  const long = { day: item.day, text: 'x'.repeat(90) }
  for (const line of tableOf([long], { columns: ['day', 'text'], width: 44 }).split('\n')) assert.ok(line.length <= 44)
})
