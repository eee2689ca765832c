// The schemas of an OpenAPI document as lists of fields, and examples where the document has none.
import { escapeHtml } from '../http/escape.ts'
import { renderDescription } from './markdown.ts'

export interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: boolean | Schema
  enum?: unknown[]
  const?: unknown
  default?: unknown
  examples?: unknown[]
  allOf?: Schema[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

export type Schemas = Readonly<Record<string, Schema>>

const MAX_DEPTH = 5
const SHOWN_VALUES = 40

export function renderFields(schemas: Schemas, schema: Schema): string {
  return fieldsOf({ schemas, seen: [] }, schema)
}

interface Walk {
  schemas: Schemas
  /** References above this place: a schema that contains itself is not unfolded again. */
  seen: readonly string[]
}

function fieldsOf(walk: Walk, requested: Schema): string {
  const inside = below(walk, requested)
  if (!inside) return ''
  const schema = resolve(walk.schemas, requested)
  const variants = variantsOf(schema)
  if (variants.length > 1) {
    const lists = variants.map((variant) => fieldsOf(inside, variant)).filter((list) => list !== '')
    const own = schema.properties ? propertiesOf(inside, schema) : ''
    return own + (own === '' ? lists.join('<p class="or">or</p>\n') : '')
  }
  const [only = schema] = variants
  const target = resolve(walk.schemas, only)
  if (target.items) return fieldsOf(inside, target.items)
  if (typeof target.additionalProperties === 'object' && !target.properties)
    return fieldsOf(inside, target.additionalProperties)
  return propertiesOf(inside, target)
}

function propertiesOf(walk: Walk, { properties = {}, required = [] }: Schema): string {
  const items = Object.entries(properties).map(([name, field]) => fieldOf(walk, name, field, required.includes(name)))
  return items.length === 0 ? '' : `<ul class="fields">\n${items.join('\n')}\n</ul>\n`
}

function fieldOf(walk: Walk, name: string, field: Schema, isRequired: boolean): string {
  const nested = fieldsOf(walk, field)
  const folded =
    nested === '' ? '' : `<details><summary>Fields of <code>${escapeHtml(name)}</code></summary>\n${nested}</details>`
  return `<li>${renderField(walk.schemas, { name, schema: field, isRequired })}${folded}</li>`
}

interface Field {
  name: string
  schema: Schema
  isRequired: boolean
  description?: string
}

/** One field or parameter: name, type, whether it is required, description, allowed values. */
export function renderField(schemas: Schemas, field: Field): string {
  const schema = resolve(schemas, field.schema)
  const description = field.description ?? schema.description ?? ''
  const limits = limitsOf(schemas, schema)
  return `<p class="field"><code>${escapeHtml(field.name)}</code> <span class="type">${escapeHtml(labelOf(schemas, schema))}</span>${
    field.isRequired ? ' <span class="required">required</span>' : ''
  }</p>
${description === '' ? '' : renderDescription(description)}${limits === '' ? '' : `<p class="limits">${limits}</p>\n`}`
}

function below(walk: Walk, { $ref }: Schema): Walk | null {
  if (walk.seen.length >= MAX_DEPTH * 2 || ($ref !== undefined && walk.seen.includes($ref))) return null
  return { ...walk, seen: [...walk.seen, $ref ?? ''] }
}

/** Follows a reference and joins the parts of `allOf`. */
export function resolve(schemas: Schemas, schema: Schema): Schema {
  if (schema.$ref !== undefined) {
    const { $ref, ...own } = schema
    return { ...resolve(schemas, schemas[$ref.split('/').at(-1) ?? ''] ?? {}), ...own }
  }
  if (!schema.allOf) return schema
  const { allOf, ...own } = schema
  const parts = [...allOf.map((part) => resolve(schemas, part)), own]
  return {
    ...Object.assign({}, ...parts),
    properties: Object.assign({}, ...parts.map((part) => part.properties)),
    required: parts.flatMap((part) => part.required ?? []),
  }
}

function variantsOf({ anyOf, oneOf }: Schema): Schema[] {
  return (anyOf ?? oneOf ?? []).filter(({ type }) => type !== 'null')
}

function labelOf(schemas: Schemas, requested: Schema): string {
  const schema = resolve(schemas, requested)
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives && !schema.type) return [...new Set(alternatives.map((it) => labelOf(schemas, it)))].join(' or ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const types = [schema.type ?? (schema.properties ? 'object' : 'any')].flat()
  if (types.includes('array')) return `array of ${schema.items ? labelOf(schemas, schema.items) : 'any'}`
  return `${types.join(' or ')}${schema.format ? ` (${schema.format})` : ''}`
}

function limitsOf(schemas: Schemas, schema: Schema): string {
  const inner = [schema, ...(schema.items ? [schema.items] : []), ...variantsOf(schema)].map((it) =>
    resolve(schemas, it),
  )
  const values = inner.find((it) => it.enum)?.enum
  const range = (low: number | undefined, high: number | undefined, unit = '') => {
    const least = low === undefined || low <= Number.MIN_SAFE_INTEGER ? null : low
    const most = high === undefined || high >= Number.MAX_SAFE_INTEGER ? null : high
    const counted = (count: number) => `${count}${unit && ` ${unit}${count === 1 ? '' : 's'}`}`
    if (least !== null && most !== null) return [`${least} to ${counted(most)}`]
    if (least !== null) return [`At least ${counted(least)}`]
    return most === null ? [] : [`At most ${counted(most)}`]
  }
  const code = (value: unknown) =>
    `<code>${escapeHtml(typeof value === 'string' ? value : JSON.stringify(value))}</code>`
  const found = inner.flatMap((it) => [
    ...range(it.minimum, it.maximum),
    ...range(it.minLength, it.maxLength, 'character'),
    ...range(it.minItems, it.maxItems, 'item'),
    ...(it.pattern && !it.format ? [`Pattern ${code(it.pattern)}`] : []),
  ])
  const shown = [
    ...(values
      ? [`One of ${values.slice(0, SHOWN_VALUES).map(code).join(', ')}${values.length > SHOWN_VALUES ? ', …' : ''}`]
      : []),
    ...new Set(found),
    ...(schema.default === undefined ? [] : [`Default ${code(schema.default)}`]),
  ]
  return shown.map((it) => `${it}.`).join(' ')
}

const FORMATS: Record<string, string> = {
  uuid: '0198f0a4-7c1e-7b52-9d0a-5b8e4a6f2c31',
  'date-time': '2026-01-02T03:04:05.678Z',
  date: '2026-01-02',
}

/** An example from the values, formats and defaults of a schema. A request has only the required fields, unless all are optional. */
export function exampleOf(schemas: Schemas, requested: Schema, isRequest: boolean, depth = 0): unknown {
  const schema = resolve(schemas, requested)
  if (schema.examples?.length) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.default !== undefined && schema.default !== null) return schema.default
  const [variant] = variantsOf(schema)
  if (variant && !schema.properties) return exampleOf(schemas, variant, isRequest, depth)
  const [type] = [schema.type ?? 'object'].flat()
  if (type === 'array')
    return schema.items && depth < MAX_DEPTH ? [exampleOf(schemas, schema.items, isRequest, depth + 1)] : []
  if (type === 'string') return FORMATS[schema.format ?? ''] ?? '…'
  if (type === 'integer' || type === 'number') return Math.max(schema.minimum ?? 1, 1)
  if (type === 'boolean') return true
  if (type !== 'object' || depth >= MAX_DEPTH) return type === 'object' ? {} : null
  const { properties = {}, required = [] } = schema
  const chosen =
    isRequest && required.length > 0
      ? Object.entries(properties).filter(([name]) => required.includes(name))
      : Object.entries(properties)
  const fields = isRequest && required.length === 0 ? chosen.slice(0, 1) : chosen
  return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(schemas, field, isRequest, depth + 1)]))
}
