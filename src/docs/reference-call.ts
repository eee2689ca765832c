// One endpoint of the API reference: its parameters, bodies, examples and errors.
import { escapeHtml } from '../http/escape.ts'
import type { DocumentedResponse, Media, Operation, Parameter, ReferenceApi, ReferenceCall } from './api-document.ts'
import { renderListing } from './highlight.ts'
import { renderDescription } from './markdown.ts'
import { exampleOf, renderField, renderFields, type Schemas } from './schema.ts'
import { renderSnippets, type SnippetRequest } from './snippets.ts'

const SECRETS: Record<string, string> = { apiKey: 'HULAKI_API_KEY', http: 'HULAKI_TOKEN' }

export function methodMark(method: string): string {
  return `<b class="method ${method.toLowerCase()}">${method}</b>`
}

/** A long path may break at its slashes. */
export function breakable(path: string): string {
  return escapeHtml(path).replaceAll('/', '/<wbr>')
}

export function renderCall(api: ReferenceApi, call: ReferenceCall): string {
  const { id, method, path, summary, operation, isWebhook } = call
  const anchor = escapeHtml(id)
  return `<section class="endpoint">
<h2 id="${anchor}"><a class="anchor" href="#${anchor}">${escapeHtml(summary)}</a></h2>
<p class="call">${methodMark(method)} <code>${isWebhook ? 'your webhook URL' : breakable(path)}</code></p>
${renderDescription(operation.description ?? '')}${permissionsOf(operation)}${parametersOf(api, call)}${bodyOf(api, call)}${exampleOfCall(api, call)}${responsesOf(api, operation)}</section>`
}

function permissionsOf({ 'x-roles': roles, 'x-scope': scope, 'x-fresh': isFresh }: Operation): string {
  if (!roles) return ''
  const isPublic = roles.includes('anybody')
  const named = isPublic ? 'Needs no authentication.' : `Roles: ${roles.map(escapeHtml).join(', ')}.`
  const person = scope === 'person' ? ' Only for people who signed in to the console.' : ''
  return `<p class="limits">${named}${person}${isFresh ? ' Needs a recent sign-in.' : ''}</p>\n`
}

function parametersOf(api: ReferenceApi, { operation }: ReferenceCall): string {
  const all = operation.parameters ?? []
  const groups = [
    { title: 'Path parameters', found: all.filter((it) => it.in === 'path') },
    { title: 'Query parameters', found: all.filter((it) => it.in === 'query') },
    { title: 'Headers', found: all.filter((it) => it.in === 'header') },
  ].filter(({ found }) => found.length > 0)
  const field = ({ name, required = false, description, schema = {} }: Parameter) =>
    `<li>${renderField(schemasOf(api), { name, schema, isRequired: required, ...(description ? { description } : {}) })}</li>`
  return groups
    .map(({ title, found }) => `<h3>${title}</h3>\n<ul class="fields">\n${found.map(field).join('\n')}\n</ul>\n`)
    .join('')
}

function bodyOf(api: ReferenceApi, { operation }: ReferenceCall): string {
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  if (type === undefined || !media?.schema) return ''
  return `<h3>Request body</h3>\n${renderFields(schemasOf(api), media.schema)}`
}

function exampleOfCall(api: ReferenceApi, { operation, method, path, isWebhook }: ReferenceCall): string {
  const body = requestExample(api, operation)
  if (isWebhook)
    return body === undefined ? '' : `<h3>Example</h3>\n${renderListing(JSON.stringify(body, null, 2), 'json')}`
  // A program cannot make the calls of a person who signed in with a browser.
  if (operation['x-scope'] === 'person') return ''
  const parameters = operation.parameters ?? []
  const value = ({ schema = {} }: Parameter) => encodeURIComponent(String(exampleOf(schemasOf(api), schema, true)))
  const filled = path.replaceAll(/\{(\w+)\}/g, (all, name) => {
    const parameter = parameters.find((it) => it.in === 'path' && it.name === name)
    return parameter?.schema?.format === 'uuid' ? value(parameter) : all
  })
  const query = parameters.filter((it) => it.in === 'query' && it.required).map((it) => `${it.name}=${value(it)}`)
  const url = `${api.origin}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`
  return `<h3>Example request</h3>\n${renderSnippets({ method, url, secret: secretOf(api, operation), body })}`
}

function requestExample(api: ReferenceApi, { requestBody }: Operation): unknown {
  const media = requestBody?.content['application/json']
  return media && exampleValue(api, media, true)
}

function exampleValue(api: ReferenceApi, { examples, schema }: Media, isRequest: boolean): unknown {
  const [first] = Object.values(examples ?? {})
  if (first) return first.value
  return schema && exampleOf(schemasOf(api), schema, isRequest)
}

function secretOf({ document }: ReferenceApi, operation: Operation): SnippetRequest['secret'] {
  const names = (operation.security ?? document.security ?? []).flatMap((it) => Object.keys(it))
  const schemes = names.flatMap((name) => document.components?.securitySchemes?.[name] ?? [])
  const scheme = schemes.find((it) => it.type === 'http' || it.in === 'header')
  if (!scheme) return null
  const isBearer = scheme.type === 'http'
  return {
    header: isBearer ? 'authorization' : (scheme.name ?? ''),
    variable: SECRETS[scheme.type] ?? '',
    prefix: isBearer ? 'Bearer ' : '',
  }
}

function responsesOf(api: ReferenceApi, { responses = {} }: Operation): string {
  const all = Object.entries(responses)
  const isSuccess = (status: string) => status.startsWith('2')
  const good = all.filter(([status]) => isSuccess(status)).map(([status, response]) => successOf(api, status, response))
  const bad = all.filter(([status]) => !isSuccess(status))
  const errors = bad.map(
    ([status, { description = '', content }]) =>
      `<li><code>${escapeHtml(status)}</code><div>${renderDescription(description)}${errorDetails(content)}</div></li>`,
  )
  return `${good.join('')}${errors.length === 0 ? '' : `<details class="errors"><summary>Errors: ${bad.map(([status]) => status).join(', ')}</summary>\n<ul class="statuses">\n${errors.join('\n')}\n</ul>\n</details>\n`}`
}

function successOf(api: ReferenceApi, status: string, { description = '', content = {} }: DocumentedResponse): string {
  const media = Object.entries(content).map(([type, it]) => {
    const fields = it.schema ? renderFields(schemasOf(api), it.schema) : ''
    const value = type === 'application/json' ? exampleValue(api, it, false) : undefined
    const folded = fields === '' ? '' : `<details><summary>Fields of the response</summary>\n${fields}</details>\n`
    const example =
      value === undefined
        ? `<p class="limits">${escapeHtml(type)}</p>\n`
        : renderListing(JSON.stringify(value, null, 2), 'json')
    return `${folded}${example}`
  })
  return `<h3>Response ${escapeHtml(status)}</h3>\n${renderDescription(description)}${media.join('')}`
}

/** Only errors with details need an example: all others have the same two fields. */
function errorDetails(content: Record<string, Media> = {}): string {
  const values = Object.values(content['application/json']?.examples ?? {}).map(({ value }) => value)
  const detailed = values.filter((value) => typeof value === 'object' && value !== null && 'details' in value)
  return detailed.map((value) => renderListing(JSON.stringify(value, null, 2), 'json')).join('')
}

function schemasOf({ document }: ReferenceApi): Schemas {
  return document.components?.schemas ?? {}
}
