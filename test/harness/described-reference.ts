// Generates the tables of the reference pages from the OpenAPI document. A page marks each table with a comment, `<!-- calls: Clients -->`, `<!--
// fields: NewClient -->` or `<!-- commands -->`, and its end with `<!-- end -->`.

import { COMMANDS } from '../../src/cli/commands.ts'
import { formatPositionals } from '../../src/cli/help.ts'
import { SPECIAL_COMMANDS } from '../../src/cli/special-commands.ts'
import type { OpenApiDocument, Operation, Schema } from './described-calls.ts'
import { namedPath } from './described-commands.ts'

/** The pages with generated tables. */
export const REFERENCE_PAGES = { reference: 'docs/reference/management.md', commands: 'docs/reference/command-line.md' }

/** Objects whose fields have separate rows. */
const GROUPS = ['rate', 'restrictions']

export function replaceTables(page: string, document: OpenApiDocument): string {
  return page.replaceAll(
    /(<!-- (calls|fields|commands)(?:: (.+?))? -->\n)[\s\S]*?(?=<!-- end -->)/g,
    (_, marker: string, kind: string, name: string) => `${marker}${tableOf(kind, name, document)}\n`,
  )
}

function tableOf(kind: string, name: string, document: OpenApiDocument): string {
  const rows =
    kind === 'calls' ? callRows(name, document) : kind === 'fields' ? fieldRows(name, document) : commandRows()
  if (rows.length < 2) throw new Error(`the document has no ${kind} of ${name}`)
  const [head = [], ...others] = rows
  return [head, head.map(() => '---'), ...others].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function callRows(tag: string, { paths }: OpenApiDocument): string[][] {
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method, operation]) => callRow(method.toUpperCase(), path, operation)),
  )
  return [['Call', 'What it does', 'Roles', 'Scope', 'Command'], ...rows]
}

function callRow(method: string, path: string, operation: Operation): string[] {
  const { summary, description = '', 'x-roles': roles, 'x-scope': scope, 'x-fresh': fresh } = operation
  const [about = ''] = description.split(/\n*Roles: /)
  const command = COMMANDS.find(({ asks }) => asks === `${method} ${namedPath(path)}`)
  return [
    `\`${method} ${path}\``,
    [`${summary}.`, about].filter(Boolean).join(' '),
    roles.join(', ') + (fresh ? '; recent sign-in' : ''),
    scope,
    command ? `\`${command.name}\`` : '',
  ]
}

function fieldRows(name: string, { components: { schemas } }: OpenApiDocument): string[][] {
  const resolved = (schema: Schema) => schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema
  const rowsOf = ({ properties = {}, required = [] }: Schema, prefix = ''): string[][] =>
    Object.entries(properties).flatMap(([field, it]) => {
      const schema = { ...resolved(it), ...it }
      if (GROUPS.includes(field)) return rowsOf(schema, `${field}.`)
      const [about = '', usual] = (schema.description ?? '').split(/\s*Default: /)
      const isRequired = required.includes(field)
      const otherwise = isRequired ? 'required' : (usual?.replace(/\.$/, '') ?? usualOf(schema.default))
      const limits = limitsOf(schema)
      return [[`\`${prefix}${field}\``, otherwise, [about, limits && `${limits}.`].filter(Boolean).join(' ')]]
    })
  return [['Field', 'Default', 'Description'], ...rowsOf(schemas[name] ?? {})]
}

function usualOf(value: unknown): string {
  if (value === undefined) return ''
  if (value === '') return 'empty'
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``
}

function limitsOf(schema: Schema): string {
  const [one, ...others] = schema.anyOf?.filter(({ type }) => type !== 'null') ?? []
  const bare = one && others.length === 0 ? one : schema
  const { minimum, maximum, minLength, maxLength, enum: choices, items, maxItems } = bare
  const values = choices ?? (items ? items.enum : undefined)
  const bounds = minimum !== undefined && maximum !== undefined ? `${numberOf(minimum)} to ${numberOf(maximum)}` : ''
  const letters =
    maxLength === undefined ? '' : `${minLength ? `${minLength} to ` : 'Up to '}${numberOf(maxLength)} characters`
  const many = maxItems === undefined || values ? '' : `Up to ${numberOf(maxItems)}`
  return values ? values.map((it) => `\`${it}\``).join(', ') : bounds || letters || many
}

/** 1 000 000 */
function numberOf(value: number): string {
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, value >= 10_000 ? ' ' : '')
}

function commandRows(): string[][] {
  const rows = [...COMMANDS, ...SPECIAL_COMMANDS].map((command) => [
    `\`${[command.name, ...formatPositionals(command)].join(' ')}\``,
    command.summary,
  ])
  return [['Command', 'What it does'], ...rows]
}
