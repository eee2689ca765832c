// Validates a value against a schema without compiling it, which is faster than ajv for few values. Unknown keywords are errors;
// `test/contract.test.ts` compares it with ajv.
import { isDeepStrictEqual } from 'node:util'

export type Schema = Record<string, unknown>
type Schemas = Record<string, Schema>
type Judge = (value: unknown, it: { given: never; schema: Schema; schemas: Schemas; at: string }) => string[]

const REF = '#/components/schemas/'

export function schemaFaults(schema: Schema, value: unknown, schemas: Schemas, at = ''): string[] {
  return Object.entries(schema).flatMap(([keyword, given]) => {
    const judge = KEYWORDS[keyword]
    if (!judge) throw new Error(`unknown keyword ${keyword}`)
    return judge(value, { given: given as never, schema, schemas, at })
  })
}

const KEYWORDS: Record<string, Judge> = {
  $ref: (value, { given, schemas, at }) => {
    const name = String(given).replace(REF, '')
    const meant = schemas[name]
    if (!meant) throw new Error(`unknown schema ${given}`)
    return schemaFaults(meant, value, schemas, at)
  },
  type: (value, { given, at }) => {
    const types: string[] = [given].flat()
    return unless(
      types.some((type) => TYPES[type]?.(value)),
      at,
      `is not ${types.join(' or ')}`,
    )
  },
  enum: (value, { given, at }) => {
    const allowed: unknown[] = given
    return unless(
      allowed.some((one) => isDeepStrictEqual(one, value)),
      at,
      `is none of ${JSON.stringify(given)}`,
    )
  },
  const: (value, { given, at }) => unless(isDeepStrictEqual(given, value), at, `is not ${JSON.stringify(given)}`),
  ...forMany(),
  ...forObjects(),
  ...forLists(),
  ...forTexts(),
  minimum: (value, { given, at }) => unless(typeof value !== 'number' || value >= given, at, `is below ${given}`),
  maximum: (value, { given, at }) => unless(typeof value !== 'number' || value <= given, at, `is above ${given}`),
  ...Object.fromEntries(['title', 'description', 'default', 'example'].map((word) => [word, () => []])),
}

const TYPES: Record<string, (value: unknown) => boolean> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  integer: (value) => Number.isInteger(value),
  array: (value) => Array.isArray(value),
  object: isObject,
}

function forMany(): Record<string, Judge> {
  const each = (value: unknown, { given, schemas, at }: { given: Schema[]; schemas: Schemas; at: string }) =>
    given.map((schema) => schemaFaults(schema, value, schemas, at))
  return {
    allOf: (value, it) => each(value, it).flat(),
    anyOf: (value, it) => {
      const tried = each(value, it)
      return tried.some((faults) => faults.length === 0) ? [] : tried.flat()
    },
    oneOf: (value, it) => {
      const tried = each(value, it)
      const fitting = tried.filter((faults) => faults.length === 0).length
      return fitting === 1
        ? []
        : [`${it.at} fits ${fitting} of ${tried.length} that exclude each other`, ...tried.flat()]
    },
  }
}

function forObjects(): Record<string, Judge> {
  const members = (value: unknown) => (isObject(value) ? Object.entries(value) : [])
  const closed: Judge = (value, { schema, at }) => {
    const { properties = {}, additionalProperties = false } = schema as {
      properties?: Schema
      additionalProperties?: unknown
    }
    if (additionalProperties !== false) return []
    const extra = members(value).filter(([name]) => !Object.hasOwn(properties, name))
    return extra.map(([name]) => `${at} has ${name}, which is not described`)
  }
  return {
    properties: (value, it) => {
      const properties: Schemas = it.given
      const inner = members(value).flatMap(([name, member]) => {
        const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
        return schema ? schemaFaults(schema, member, it.schemas, `${it.at}/${name}`) : []
      })
      // The document allows additional members, but in a test an undescribed member is a leak.
      return it.schema.type === 'object' ? [...inner, ...closed(value, it)] : inner
    },
    additionalProperties: (value, it) => {
      const { given, schema, schemas, at } = it
      if (typeof given === 'boolean') return schema.type === 'object' && schema.properties ? [] : closed(value, it)
      const known = (schema.properties ?? {}) as Schema
      const others = members(value).filter(([name]) => !Object.hasOwn(known, name))
      return others.flatMap(([name, member]) => schemaFaults(given, member, schemas, `${at}/${name}`))
    },
    propertyNames: (value, { given, schemas, at }) =>
      members(value).flatMap(([name]) => schemaFaults(given, name, schemas, `${at} (the name ${name})`)),
    required: (value, { given, at }) => {
      const names: string[] = given
      const missing = isObject(value) ? names.filter((name) => !Object.hasOwn(value, name)) : []
      return missing.map((name) => `${at} has no ${name}`)
    },
    maxProperties: (value, { given, at }) =>
      unless(members(value).length <= given, at, `has more than ${given} members`),
  }
}

function forLists(): Record<string, Judge> {
  const lengthOf = (value: unknown, otherwise: number) => (Array.isArray(value) ? value.length : otherwise)
  return {
    items: (value, { given, schemas, at }) =>
      Array.isArray(value) ? value.flatMap((item, index) => schemaFaults(given, item, schemas, `${at}/${index}`)) : [],
    minItems: (value, { given, at }) => unless(lengthOf(value, given) >= given, at, `has fewer than ${given}`),
    maxItems: (value, { given, at }) => unless(lengthOf(value, given) <= given, at, `has more than ${given}`),
  }
}

function forTexts(): Record<string, Judge> {
  // Counts characters, not code units.
  const lengthOf = (value: unknown, otherwise: number) => (typeof value === 'string' ? [...value].length : otherwise)
  return {
    minLength: (value, { given, at }) => unless(lengthOf(value, given) >= given, at, `is shorter than ${given}`),
    maxLength: (value, { given, at }) => unless(lengthOf(value, given) <= given, at, `is longer than ${given}`),
    pattern: (value, { given, at }) =>
      unless(typeof value !== 'string' || new RegExp(given, 'u').test(value), at, `does not match ${given}`),
    format: (value, { given, at }) => {
      const fits = FORMATS[given]
      if (!fits) throw new Error(`unknown format ${given}`)
      return unless(typeof value !== 'string' || fits(value), at, `is no ${given}`)
    },
  }
}

const DAY = /^\d{4}-\d\d-\d\d$/
const FORMATS: Record<string, (value: string) => boolean> = {
  uuid: (value) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value),
  date: isDay,
  'date-time': (value) =>
    /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/.test(value) &&
    isDay(value.slice(0, 10)),
}

/** Rejects 31 June, which Date reads as 1 July. */
function isDay(value: string): boolean {
  return DAY.test(value) && !Number.isNaN(Date.parse(value)) && new Date(value).toISOString().startsWith(value)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function unless(isFine: boolean, at: string, fault: string): string[] {
  return isFine ? [] : [`${at || 'it'} ${fault}`]
}
