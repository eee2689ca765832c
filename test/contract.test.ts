// The validator of the contract tests agrees with ajv.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import fc from 'fast-check'
import { type Schema, schemaFaults } from './harness/schema-faults.ts'

const SCHEMAS: Record<string, Schema> = {
  Leaf: {
    type: 'object',
    properties: { id: { type: 'string', format: 'uuid' } },
    required: ['id'],
    additionalProperties: false,
  },
  Tree: {
    type: 'object',
    properties: {
      leaf: { $ref: '#/components/schemas/Leaf' },
      more: { type: 'array', items: { $ref: '#/components/schemas/Leaf' } },
    },
    additionalProperties: false,
  },
}
const ID = '01890a5d-ac96-774b-bcce-b302099a8057'

/** A schema, and valid and invalid values. */
const CASES: [Schema, unknown[]][] = [
  [{ type: 'string' }, ['', 'a', 1, null, [], {}, true]],
  [{ type: 'integer' }, [0, -1, 1.5, 1e30, '1', null]],
  [{ type: 'number' }, [0, 1.5, '1', null, true]],
  [{ type: 'boolean' }, [true, false, 0, 'true', null]],
  [{ type: 'null' }, [null, 0, '', undefined]],
  [{ type: 'array' }, [[], [1], {}, 'a']],
  [{ type: ['string', 'null'] }, ['a', null, 1]],
  [{ enum: ['a', 1, null] }, ['a', 1, null, 'b', '1', undefined]],
  [{ const: 'a' }, ['a', 'b', null]],
  [{ minimum: 1, maximum: 3 }, [0, 1, 3, 4, 'a']],
  [{ minLength: 2, maxLength: 3 }, ['a', 'ab', 'abc', 'abcd', '😀', '😀😀😀', 'नमस्ते', 7]],
  [{ pattern: '^\\d{2}$' }, ['12', '123', 'ab', 12]],
  [{ format: 'uuid' }, [ID, ID.toUpperCase(), ID.slice(1), `${ID}0`, ID.replace('a', 'g'), 7]],
  [{ format: 'date' }, ['2026-02-28', '2026-02-29', '2024-02-29', '2026-06-31', '2026-13-01', '2026-1-1', 'today', 7]],
  [
    { format: 'date-time' },
    ['2026-02-28T10:00:00Z', '2026-02-28T10:00:00.123Z', '2026-02-28T10:00:00+05:45', '2026-02-28T24:00:00Z'],
  ],
  [{ format: 'date-time' }, ['2026-02-28T10:60:00Z', '2026-02-30T10:00:00Z', '2026-02-28T10:00:00', '2026-02-28', 7]],
  [{ items: { type: 'string' }, minItems: 1, maxItems: 2 }, [[], ['a'], ['a', 'b', 'c'], [1], 'a']],
  [{ anyOf: [{ type: 'string' }, { minimum: 5 }] }, ['a', 7, 3, null]],
  [{ oneOf: [{ minimum: 5 }, { maximum: 7 }] }, [4, 6, 8, 'a']],
  [{ allOf: [{ minimum: 5 }, { maximum: 7 }] }, [4, 6, 8, 'a']],
  [{ properties: { a: { type: 'string' } }, required: ['a'] }, [{ a: 'b' }, { a: 1 }, {}, { a: 'b', c: 1 }, 'a', []]],
  [{ type: 'object', properties: { a: {} }, additionalProperties: false }, [{ a: 1 }, { b: 1 }, {}, [], null]],
  [{ type: 'object', properties: { a: {} }, additionalProperties: true }, [{ a: 1 }, { b: 1 }]],
  [{ type: 'object', additionalProperties: false }, [{}, { a: 1 }]],
  [{ properties: { a: {} }, additionalProperties: { type: 'string' } }, [{ a: 1 }, { b: 1 }, { b: 'c' }, 7]],
  [{ propertyNames: { enum: ['a', 'b'] }, maxProperties: 1 }, [{ a: 1 }, { c: 1 }, { a: 1, b: 2 }, 7]],
  [{ type: 'object', properties: { a: {} }, required: ['toString'], additionalProperties: false }, [{}, { a: 1 }]],
  [
    { $ref: '#/components/schemas/Tree' },
    [{}, { leaf: { id: ID } }, { leaf: {} }, { leaf: null }, { more: [{ id: ID }, {}] }],
  ],
  [{ title: 'T', description: 'D', default: 1, example: 2 }, [1, null]],
]

const ajv = new Ajv2020({ strict: false, ownProperties: true })
formats.default(ajv)
ajv.addSchema({ $id: 'document', components: { schemas: SCHEMAS } })

const compiled = CASES.map(([schema]) =>
  ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'))),
)

test('every case has the result of ajv', () => {
  for (const [index, [schema, values]] of CASES.entries())
    for (const value of values) {
      const faults = schemaFaults(schema, value, SCHEMAS)
      assert.equal(faults.length === 0, compiled[index]?.(value), `${JSON.stringify({ schema, value })}: ${faults}`)
    }
})

test('random values have the result of ajv', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      for (const [index, [schema]] of CASES.entries())
        assert.equal(
          schemaFaults(schema, value, SCHEMAS).length === 0,
          compiled[index]?.(value),
          JSON.stringify(schema),
        )
    }),
  )
})

test('an undescribed member is an error even if the document allows it', () => {
  const roomy = { type: 'object', properties: { a: {} } }
  assert.deepEqual(schemaFaults(roomy, { a: 1 }, {}), [])
  assert.equal(schemaFaults(roomy, { a: 1, secret: 2 }, {}).length, 1)
  assert.equal(schemaFaults({ type: 'array', items: roomy }, [{ secret: 2 }], {}).length, 1)
})

test('an unknown keyword, format or schema is an error', () => {
  assert.throws(() => schemaFaults({ multipleOf: 2 }, 4, {}), /multipleOf/)
  assert.throws(() => schemaFaults({ format: 'email' }, 'a@b', {}), /email/)
  assert.throws(() => schemaFaults({ $ref: '#/components/schemas/None' }, 1, {}), /None/)
})
