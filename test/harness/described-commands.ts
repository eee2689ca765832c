// Generates src/cli/calls.ts from the OpenAPI document.
import type { Call, CallField } from '../../src/cli/command.ts'
import type { Described, Operation, Schema } from './described-calls.ts'

/** Objects whose fields are separate options. */
const GROUPS = ['rate', 'restrictions', 'smpp']
/** Object names that the path segment does not give. */
const THINGS: Record<string, string> = { inbound: 'reply', 'webhook-deliveries': 'delivery' }

export function commandTableOf(document: Described): string {
  const calls = Object.entries(document.paths)
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, it]) => ({ path, method, it })))
    .filter(({ it }) => it['x-scope'] !== 'person' && !isStream(it))
    .map(({ path, method, it }) => `  ${it.operationId}: ${literal(callOf(path, method, it, document))},`)
  return [
    '// Made by `npm run generate -- types` from the OpenAPI document of the management API; a test fails when it is stale.',
    '// biome-ignore-all format: made by a program',
    "import type { Call } from './command.ts'",
    '',
    'export const CALLS = {',
    ...calls,
    '} as const satisfies Record<string, Call>',
    '',
  ].join('\n')
}

/** The CLI has `hulaki listen` instead of event streams. */
function isStream({ responses }: Operation): boolean {
  return Object.values(responses).some(({ content }) => content && 'text/event-stream' in content)
}

function callOf(path: string, method: string, operation: Operation, document: Described): Call {
  const { summary, description = '', parameters, requestBody } = operation
  const query = parameters
    .filter((it) => it.in === 'query')
    .map((it) => fieldOf(it.name, { description: it.description, ...it.schema }, { isRequired: it.required, document }))
  const given = Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => bodyFields(schema, document))
  // A change has no defaults: omitted fields stay.
  const body = method === 'patch' ? given.map(({ usual: _, ...field }) => field) : given
  const { columns, isText } = answerOf(operation, document)
  return {
    asks: `${method.toUpperCase()} ${namedPath(path)}`,
    summary,
    ...withText('about', wordsOf(description)),
    fields: [...query, ...body],
    ...(columns && { columns }),
    ...(isText && { isText }),
    ...(parameters.some((it) => it.name === 'Idempotency-Key') && { isIdempotent: true as const }),
  }
}

/** `/carriers/{id}/captures/{captureId}` is `/carriers/{carrier}/captures/{capture}`. */
export function namedPath(path: string): string {
  return path
    .replaceAll(/([\w-]+)\/\{id\}/g, (_, things: string) => `${things}/{${THINGS[things] ?? things.replace(/s$/, '')}}`)
    .replaceAll(/\{(\w+)Id\}/g, '{$1}')
    .replace('countries/{code}', 'countries/{country}')
}

/** In a body with several forms, a field is required if every form requires it. */
function bodyFields(schema: Schema, document: Described): CallField[] {
  const forms = formsOf(schema, document).filter(({ properties }) => properties)
  const fields = new Map<string, { field: Schema; isRequired: boolean }>()
  for (const { properties = {} } of forms) {
    for (const [name, field] of Object.entries(properties)) {
      const isRequired = forms.every(({ required = [] }) => required.includes(name))
      fields.set(name, { field: merged(fields.get(name)?.field, field), isRequired })
    }
  }
  return [...fields].flatMap(([name, { field, isRequired }]) => {
    if (!GROUPS.includes(name)) return [fieldOf(name, field, { isRequired, document })]
    const { properties = {}, required = [] } = resolved(field, document)
    return Object.entries(properties).map(([inner, it]) =>
      fieldOf(`${name}.${inner}`, it, { isRequired: isRequired && required.includes(inner), document }),
    )
  })
}

/** The `kind` of a carrier is a constant in each form; together they are the choices. */
function merged(one: Schema | undefined, other: Schema): Schema {
  if (one?.const === undefined || other.const === undefined) return one ?? other
  return { ...one, const: undefined, enum: [one.const, other.const] }
}

function formsOf(schema: Schema, document: Described): Schema[] {
  const whole = resolved(schema, document)
  return (whole.oneOf ?? whole.anyOf)?.flatMap((it) => formsOf(it, document)) ?? [whole]
}

function fieldOf(
  at: string,
  schema: Schema,
  { isRequired, document }: { isRequired: boolean; document: Described },
): CallField {
  const { bare, isNullable } = bareOf(resolved(schema, document), document)
  const kind = kindOf(bare)
  const choices = kind === 'text' || kind === 'list' ? choicesOf(bare.items ? bare.items : bare) : undefined
  const description = schema.description ?? resolved(schema, document).description ?? bare.description ?? ''
  const [about = '', words] = description.split(/\s*Default: /)
  const usual = words === undefined ? usualOf(schema.default) : writtenUsual(words.replace(/\.$/, ''))
  return {
    at,
    kind,
    about: wordsOf(firstSentence(about)),
    ...(choices && { choices }),
    ...withText('range', rangeOf(bare)),
    ...withText('usual', wordsOf(usual ?? '')),
    ...(isRequired && { isRequired: true as const }),
    ...(isNullable && { isNullable: true as const }),
    ...(bare.format === 'uuid' && { isId: true as const }),
  }
}

function kindOf(schema: Schema): CallField['kind'] {
  const { type, items, enum: some = [] } = schema
  if (type === 'boolean' || some.join() === 'true,false') return 'flag'
  if (type === 'integer' || type === 'number' || numbersOf(schema)) return 'number'
  if (type === 'array') return items && items.type === 'string' ? 'list' : 'json'
  return type === 'string' || schema.anyOf?.every((it) => it.type === 'string') ? 'text' : 'json'
}

function choicesOf({ enum: some, const: one }: Schema): string[] | undefined {
  return (some ?? (one === undefined ? undefined : [one]))?.map(String)
}

function rangeOf(schema: Schema): string {
  const { minimum, maximum } = schema
  const numbers = numbersOf(schema)
  if (numbers) return numbers.join(' or ')
  return minimum === undefined || maximum === undefined ? '' : `${minimum} to ${maximum}`
}

/** A union of number literals. */
function numbersOf({ anyOf }: Schema): number[] | null {
  const some = anyOf?.map((it) => it.const).filter((it) => typeof it === 'number')
  return some && some.length > 0 && some.length === anyOf?.length ? some : null
}

function bareOf(schema: Schema, document: Described): { bare: Schema; isNullable: boolean } {
  if (Array.isArray(schema.type)) {
    const [type = 'string'] = schema.type.filter((it) => it !== 'null')
    return { bare: { ...schema, type }, isNullable: schema.type.includes('null') }
  }
  const others = schema.anyOf?.filter(({ type }) => type !== 'null') ?? []
  const isNullable = schema.anyOf !== undefined && others.length < schema.anyOf.length
  const [one] = others
  if (isNullable && one && others.length === 1) return { bare: resolved(one, document), isNullable }
  return { bare: isNullable ? { ...schema, anyOf: others } : schema, isNullable }
}

/** `Default: the brand name`, `Default: \`10\`` or `Default: \`null\` (no limit)`, where the words in brackets are for people. */
function writtenUsual(text: string): string {
  const [, value, words] = /^`([^`]+)`(?: \((.+)\))?$/.exec(text) ?? []
  return words ?? (value === undefined ? text : (usualOf(JSON.parse(value)) ?? ''))
}

function usualOf(value: unknown): string | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (value === '') return 'empty'
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  return value === null || Object.keys(value).length === 0 ? 'none' : JSON.stringify(value)
}

/** The fields of a list item with a single value. */
function answerOf({ responses }: Operation, document: Described): { columns?: string[]; isText?: true } {
  const [content = {}] = Object.entries(responses).flatMap(([status, it]) =>
    status.startsWith('2') && it.content ? [it.content] : [],
  )
  if ('text/csv' in content) return { isText: true }
  const { properties = {} } = resolved(content['application/json']?.schema ?? {}, document)
  if (!properties.items?.items || !properties.next) return {}
  const item = formsOf(properties.items.items, document)
  const all = Object.entries(Object.assign({}, ...item.map((it) => it.properties)) as Record<string, Schema>)
  const isSingle = (it: Schema) =>
    !['object', 'array'].includes(String(bareOf(resolved(it, document), document).bare.type))
  return { columns: all.filter(([, it]) => isSingle(it)).map(([name]) => name) }
}

function resolved(schema: Schema, { components }: Described): Schema {
  const name = schema.$ref?.split('/').at(-1)
  return (name !== undefined && components.schemas[name]) || schema
}

function firstSentence(text: string): string {
  return /^.*?[.](?=\s+[A-Z]|$)/s.exec(text)?.[0] ?? text
}

/** A terminal shows no Markdown, and `null` is typed as `none`; the roles are in the reference. */
function wordsOf(text: string): string {
  const [words = ''] = text.split(/\n*Roles: /)
  return words
    .replaceAll('`', '')
    .replace('null: ', 'none: ')
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .replace(/\.$/, '')
    .trim()
}

function withText<Name extends string>(name: Name, text: string): { [Key in Name]?: string } {
  return (text === '' ? {} : { [name]: text }) as { [Key in Name]?: string }
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value === 'object' && value !== null)
    return `{ ${Object.entries(value)
      .map(([name, it]) => `${name}: ${name === 'fields' ? fieldLines(it as CallField[]) : literal(it)}`)
      .join(', ')} }`
  return typeof value === 'string' && !value.includes("'")
    ? `'${value.replaceAll('\\', '\\\\')}'`
    : JSON.stringify(value)
}

function fieldLines(fields: CallField[]): string {
  return fields.length === 0 ? '[]' : `[\n${fields.map((it) => `    ${literal(it)},\n`).join('')}  ]`
}
