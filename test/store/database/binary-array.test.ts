// Arrays in PostgreSQL's own format: what is sent is what it reads, and what does not fit is not sent.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { binaryArray, UnfitValue } from '../../../src/store/database/binary-array.ts'
import { sql } from '../../../src/store/database/sql.ts'
import { testDatabase } from '../../harness/database.ts'

const db = await testDatabase({ connections: 1 })

const integer = (bits: number) => fc.integer({ min: -(2 ** (bits - 1) - 1), max: 2 ** (bits - 1) - 1 })
const moment = fc.date({ min: new Date('1900-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
const day = moment.map((it) => it.toISOString().slice(0, 10))
const text = fc.string({ unit: 'binary', maxLength: 300 }).filter((it) => !it.includes('\0'))
const listOf = <T>(item: fc.Arbitrary<T>) => fc.array(fc.option(item), { maxLength: 300 })

// Each goes there in PostgreSQL's format and comes back in its text: what it understood is what was meant.
const ROUND_TRIPS = {
  uuid: [listOf(fc.uuid()), (items: unknown) => sql`select ${items}::uuid[]::text[] as items`],
  boolean: [listOf(fc.boolean()), (items: unknown) => sql`select ${items}::boolean[] as items`],
  jsonb: [
    listOf(
      fc.dictionary(
        text.filter((it) => it !== '__proto__'),
        text,
        { noNullPrototype: true },
      ),
    ),
    (items: unknown) =>
      sql`select coalesce((select json_agg(item) from unnest(${items}::jsonb[]) as item), '[]') as items`,
  ],
  text: [listOf(text), (items: unknown) => sql`select ${items}::text[] as items`],
  smallint: [listOf(integer(16)), (items: unknown) => sql`select ${items}::smallint[] as items`],
  int: [listOf(integer(32)), (items: unknown) => sql`select ${items}::int[] as items`],
  bytea: [
    listOf(fc.uint8Array().map((it) => Buffer.from(it))),
    (items: unknown) => sql`select ${items}::bytea[] as items`,
  ],
  timestamptz: [listOf(moment), (items: unknown) => sql`select ${items}::timestamptz[] as items`],
  date: [listOf(day), (items: unknown) => sql`select ${items}::date[]::text[] as items`],
  bigint: [
    listOf(fc.maxSafeInteger()),
    (items: unknown) => sql`select array(select to_json(item) from unnest(${items}::bigint[]) as item) as items`,
  ],
} as const

for (const [type, [items, statement]] of Object.entries(ROUND_TRIPS)) {
  test(`whatever stands in an array of ${type}, PostgreSQL reads it as it is`, async () => {
    await fc.assert(
      fc.asyncProperty(items as fc.Arbitrary<unknown[]>, async (sent) => {
        const [row] = await db.query<{ items: unknown[] }>(statement(sent))
        assert.deepEqual(row?.items, sent)
      }),
      { numRuns: 40 },
    )
  })
}

test('an array larger than any before it is written whole', async () => {
  const large = Array.from({ length: 20_000 }, (_, index) => `नमस्ते ${index}`)
  const [row] = await db.query<{ items: string[] }>(sql`select ${large}::text[] as items`)
  assert.deepEqual(row?.items, large)
})

const UNFIT: [string, unknown][] = [
  ['uuid', 'not-a-uuid'],
  ['uuid', '0198f0a4-81d0-7c3f-8a44-0e5d7b9c1a2g'],
  ['uuid', '0198f0a4-81d0-7c3f-8a44x0e5d7b9c1a20'],
  ['uuid', 'é198f0a4-81d0-7c3f-8a44-0e5d7b9c1a20'],
  ['text', 5],
  ['boolean', 1],
  ['jsonb', 'text'],
  ['smallint', 40_000],
  ['int', 1.5],
  ['int', '1'],
  ['bigint', 2 ** 53],
  ['bigint', Number.NaN],
  ['timestamptz', new Date(Number.NaN)],
  ['timestamptz', '2026-11-15'],
  ['date', '2026-11-15T00:00:00Z'],
  ['date', '2026-13-15'],
  ['bytea', 'text'],
]

for (const [type, item] of UNFIT) {
  test(`an array of ${type} does not take ${String(item)}`, () => {
    assert.throws(() => binaryArray(type, [item]), UnfitValue)
  })
}

test('a type without a binary encoder has none', () => {
  assert.equal(binaryArray('interval', ['1 day']), null)
})
