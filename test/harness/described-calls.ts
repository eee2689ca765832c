// Generates TypeScript from an OpenAPI document: parameters, bodies, responses and roles of every call.

export interface Schema {
  $ref?: string
  title?: string
  description?: string
  format?: string
  default?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  items?: Schema | false
  prefixItems?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
}

interface Media {
  content?: Record<string, { schema: Schema }>
}

export interface Operation {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  'x-roles': string[]
  'x-scope': string
  'x-fresh': boolean
  parameters: { name: string; in: string; required: boolean; description?: string; schema: Schema }[]
  requestBody?: Media & { required?: boolean }
  responses: Record<string, Media>
}

export interface Described {
  info: { description: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

export function callsOf({ paths, components }: Described): string {
  const operations = Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, it]) => ({ path, method: method.toUpperCase(), ...it })),
    )
    .sort((one, other) => (one.operationId < other.operationId ? -1 : 1))
  const schemas = Object.entries(components.schemas).sort(([one], [other]) => (one < other ? -1 : 1))
  return [
    '// Made by `npm run generate -- types` from the OpenAPI document of the management API; a test tells when it is stale.',
    '// biome-ignore-all format: made by a program',
    '',
    ...schemas.map(([name, schema]) => `export type ${name} = ${typeOf(schema)}`),
    '',
    '/** What each call takes and answers. */',
    'export interface Calls {',
    ...operations.map((it) => `  ${it.operationId}: ${callOf(it)}`),
    '}',
    '',
    '/** Where each call is, and for whom. */',
    'export const CALLS: { readonly [Name in keyof Calls]: readonly [method: string, path: string, roles: string] } = {',
    ...operations.map(
      (it) => `  ${it.operationId}: ['${it.method}', '${it.path}', '${(it['x-roles'] ?? []).join(' ')}'],`,
    ),
    '}',
    '',
  ].join('\n')
}

/** The bodies and error codes of an API for a client. */
export function bodiesOf({ paths, components }: Described): string {
  const codes = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ responses }) => Object.entries(responses))
    .filter(([status]) => status >= '4')
    .flatMap(([, { content }]) => codesIn(content?.['application/json']?.schema))
  const schemas = Object.entries(components.schemas).sort(([one], [other]) => (one < other ? -1 : 1))
  return [
    '// Made by `npm run generate -- types` from the OpenAPI document of the v1 API; a test tells when it is stale.',
    '// biome-ignore-all format: made by a program',
    '',
    '/** Every code that the service refuses with. */',
    `export type ErrorCode = ${union([...new Set(codes)].toSorted().map((code) => `'${code}'`))}`,
    '',
    // The name is already in use.
    ...schemas.map(([name, schema]) => `export type ${name === 'Error' ? 'ErrorBody' : name} = ${typeOf(schema)}`),
    '',
  ].join('\n')
}

function codesIn(schema: Schema | undefined): string[] {
  const parts = schema?.allOf ?? (schema ? [schema] : [])
  return parts.flatMap(
    ({ properties }) => (properties?.code?.enum ?? [properties?.code?.const ?? []].flat()) as string[],
  )
}

function callOf({ parameters, requestBody, responses }: Operation): string {
  const fields = (place: string) =>
    parameters.filter((it) => it.in === place).map((it) => member(it.name, it.schema, it.required))
  const answers = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, { content }]) => (content ? mediaType(content) : 'null'))
  const body = requestBody?.content ? mediaType(requestBody.content) : 'undefined'
  return `{ params: ${object(fields('path'))}; query: ${object(fields('query'))}; body: ${body}; answer: ${union(answers)} }`
}

/** Files and event streams are not JSON responses. */
function mediaType(content: NonNullable<Media['content']>): string {
  const json = content['application/json']
  return json ? typeOf(json.schema) : 'unknown'
}

function typeOf(schema: Schema): string {
  if (schema.$ref) return schema.$ref.split('/').at(-1) ?? 'unknown'
  if (schema.const !== undefined) return JSON.stringify(schema.const).replaceAll('"', "'")
  if (schema.enum) return union(schema.enum.map((it) => JSON.stringify(it).replaceAll('"', "'")))
  const some = schema.anyOf ?? schema.oneOf
  if (some && schema.properties) return union(some.map((it) => objectOf(narrowed(schema, it))))
  if (some) return union(some.map(typeOf))
  if (schema.allOf) return schema.allOf.map(typeOf).join(' & ')
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type })))
  if (schema.type === 'array') return arrayOf(schema)
  if (schema.type === 'object') return objectOf(schema)
  if (schema.type === 'integer') return 'number'
  return schema.type ?? 'unknown'
}

function arrayOf({ items, prefixItems }: Schema): string {
  if (prefixItems) return `[${prefixItems.map(typeOf).join(', ')}]`
  const item = items ? typeOf(items) : 'unknown'
  return isOfSeveral(item) ? `(${item})[]` : `${item}[]`
}

/** Whether the type is a union or intersection outside of its braces. */
function isOfSeveral(type: string): boolean {
  let inside = type
  for (let outer = ''; outer !== inside; ) {
    outer = inside
    inside = inside.replaceAll(/\{[^{}]*\}|\([^()]*\)|<[^<>]*>|'[^']*'/g, '')
  }
  return /[|&]/.test(inside)
}

function objectOf({ properties = {}, required = [], additionalProperties }: Schema): string {
  const members = Object.entries(properties).map(([name, it]) => member(name, it, required.includes(name)))
  if (members.length === 0 && typeof additionalProperties === 'object')
    return `Record<string, ${typeOf(additionalProperties)}>`
  return object(members)
}

/** One variant of the object per set of required fields. */
function narrowed({ properties, required = [] }: Schema, way: Schema): Schema {
  const typed = Object.entries(way.properties ?? {}).filter(([, { type }]) => type !== undefined)
  return {
    properties: { ...properties, ...Object.fromEntries(typed) },
    required: [...required, ...(way.required ?? [])],
  }
}

function member(name: string, schema: Schema, isRequired: boolean): string {
  const key = /^\w+$/.test(name) ? name : `'${name}'`
  return `${key}${isRequired ? '' : '?'}: ${typeOf(schema)}`
}

function object(members: string[]): string {
  return members.length === 0 ? 'Record<never, never>' : `{ ${members.join('; ')} }`
}

function union(types: string[]): string {
  return [...new Set(types)].join(' | ') || 'never'
}
