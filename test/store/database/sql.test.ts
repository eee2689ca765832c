// SQL as a value: what is put in can only ever be a parameter.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { every, fragment, prepared, sql } from '../../../src/store/database/sql.ts'

test('values become parameters, whatever they say', () => {
  const { text, values } = sql`select * from client where name = ${"'; drop table client; --"} and mode = ${'live'}`
  assert.equal(text, 'select * from client where name = $1 and mode = $2')
  assert.deepEqual(values, ["'; drop table client; --", 'live'])
})

test('pieces are put in where they stand, and the numbers follow', () => {
  const columns = fragment`id, name`
  const { text, values } =
    sql`select ${columns} from client where ${every([fragment`a = ${1}`, null, fragment`b = ${2}`])} limit ${3}`
  assert.equal(text, 'select id, name from client where a = $1 and b = $2 limit $3')
  assert.deepEqual(values, [1, 2, 3])
})

test('no condition at all is true', () => {
  assert.equal(sql`select 1 where ${every([null])}`.text, 'select 1 where true')
  assert.equal(sql`select 1 where ${every([])}`.text, 'select 1 where true')
})

test('a statement that never varies has one name of its own, one with pieces has none', () => {
  const find = (id: number) => sql`select ${id}`
  assert.equal(find(1).name, find(2).name)
  assert.notEqual(find(1).name, sql`select ${1}`.name)
  assert.deepEqual([find(1).values, find(2).values], [[1], [2]])
  assert.equal(sql`select ${fragment`1`}`.name, undefined)
})

test('the elements of an array have the type of its cast', () => {
  const { arraysOf } = sql`select ${['a']}::text[], ${1}::int, unnest(${['b']}::uuid[]), ${null}`
  assert.deepEqual(arraysOf, ['text', undefined, 'uuid', undefined])
})

test('a statement that is put together from the same pieces is prepared once, and knows what its arrays hold', () => {
  const ids = ['a']
  const make = () => prepared(sql`select 1 where ${fragment`id = any(${ids}::uuid[])`} and ${fragment`n = ${1}`}`)
  assert.equal(make().name, make().name)
  assert.notEqual(make().name, undefined)
  assert.deepEqual(make().arraysOf, ['uuid', undefined])
  assert.notEqual(make().name, prepared(sql`select 2 where ${fragment`n = ${1}`}`).name)
})
