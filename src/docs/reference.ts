// The API reference as pages: one for each API and one for each tag, rendered from the OpenAPI documents at the first request.

import { escapeHtml } from '../http/escape.ts'
import { REFERENCE_ROOT } from '../http/openapi/serve.ts'
import { renderListing } from './highlight.ts'
import { renderMarkdown } from './markdown.ts'
import type { PageContent } from './pages.ts'
import { exampleOf, type RenderText, renderField, renderFields, type Schema, type Schemas } from './schema.ts'
import { renderSnippets, type SnippetRequest } from './snippets.ts'

interface Media {
  schema?: Schema
  examples?: Record<string, { value: unknown }>
}

interface DocumentedResponse {
  description?: string
  content?: Record<string, Media>
}

interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema?: Schema
}

interface Operation {
  summary?: string
  description?: string
  tags?: string[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, Media> }
  responses?: Record<string, DocumentedResponse>
  security?: Record<string, unknown>[]
  'x-roles'?: string[]
  'x-scope'?: string
  'x-fresh'?: boolean
}

interface SecurityScheme {
  type: string
  scheme?: string
  in?: string
  name?: string
}

export interface ApiDocument {
  info: { title: string; description?: string }
  servers: { url: string }[]
  security?: Record<string, unknown>[]
  tags?: { name: string; description?: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks?: Record<string, Record<string, Operation>>
  components?: { schemas?: Record<string, Schema>; securitySchemes?: Record<string, SecurityScheme> }
}

export interface ReferenceCall {
  /** The anchor on the page of its tag. */
  id: string
  url: string
  method: string
  /** The path with the root of the API, or the name of a webhook event. */
  path: string
  summary: string
  operation: Operation
  isWebhook: boolean
}

interface ReferenceTag {
  name: string
  description: string
  slug: string
  url: string
  calls: ReferenceCall[]
}

export interface ReferenceApi {
  title: string
  slug: string
  url: string
  /** The path of the OpenAPI document. */
  file: string
  /** The address of the service that the document contains. */
  origin: string
  document: ApiDocument
  tags: ReferenceTag[]
}

const SECRETS: Record<string, string> = { apiKey: 'HULAKI_API_KEY', http: 'HULAKI_TOKEN' }

export function readApi(document: ApiDocument, file: string): ReferenceApi {
  const address = document.servers[0]?.url ?? 'http://here.invalid'
  const root = new URL(address).pathname.replace(/\/$/, '')
  const { title } = document.info
  const slug = slugOf(title)
  const url = `${REFERENCE_ROOT}/${slug}`
  const found = [...callsIn(document.paths, root, false), ...callsIn(document.webhooks ?? {}, '', true)]
  const described = document.tags ?? []
  const names = new Set([...described.map(({ name }) => name), ...found.map(({ tag }) => tag)])
  const tags = [...names].map((name) => {
    const tagUrl = `${url}/${slugOf(name)}`
    return {
      name,
      description: described.find((it) => it.name === name)?.description ?? '',
      slug: slugOf(name),
      url: tagUrl,
      calls: found.filter(({ tag }) => tag === name).map((call) => ({ ...call, url: `${tagUrl}#${call.id}` })),
    }
  })
  const origin = address.slice(0, address.length - new URL(address).pathname.length)
  return { title, slug, url, file, origin, document, tags: tags.filter(({ calls }) => calls.length > 0) }
}

function callsIn(paths: Record<string, Record<string, Operation>>, root: string, isWebhook: boolean) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([verb, operation]) => {
      const method = verb.toUpperCase()
      const [tag = 'Other'] = operation.tags ?? []
      const whole = `${root}${path}`
      const id = isWebhook ? path : `${method}${path}`
      return { tag, id, method, path: whole, summary: operation.summary ?? `${method} ${whole}`, operation, isWebhook }
    }),
  )
}

function slugOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z\d]+/g, '-')
}

/** The contents of every page of the reference. */
export function referenceContents(apis: readonly ReferenceApi[], here: string): string {
  const link = (url: string, text: string) =>
    `<li><a href="${url}"${url === here ? ' aria-current="page"' : ''}>${escapeHtml(text)}</a></li>`
  const parts = apis.map(
    ({ title, url, tags }) =>
      `<h2>${escapeHtml(title)}</h2>\n<ul>${link(url, 'Introduction')}${tags.map((tag) => link(tag.url, tag.name)).join('\n')}</ul>`,
  )
  return `<ul><li><a href="/docs">← All documentation</a></li>${link(REFERENCE_ROOT, 'API reference')}</ul>\n${parts.join('\n')}`
}

export function referenceIndex(apis: readonly ReferenceApi[]): PageContent {
  const parts = apis.map(({ title, slug, url, file, document, tags }) => {
    const cards = tags.map(
      (tag) =>
        `<li><a href="${tag.url}"><strong>${escapeHtml(tag.name)}</strong><span>${escapeHtml(tag.description)}</span></a></li>`,
    )
    const [summary = ''] = (document.info.description ?? '').split('\n\n')
    return `<h2 id="${slug}"><a class="anchor" href="#${slug}">${escapeHtml(title)}</a></h2>
${renderText(summary)}<p><a href="${url}">Introduction</a> · <a href="${file}">OpenAPI document</a></p>
<ul class="cards">\n${cards.join('\n')}\n</ul>`
  })
  const html = `<h1>API reference</h1>
<p>Every endpoint of both APIs, with parameters, responses and errors.</p>
${parts.join('\n')}`
  return { title: 'API reference', url: REFERENCE_ROOT, html, contents: referenceContents(apis, REFERENCE_ROOT) }
}

export function renderApi(apis: readonly ReferenceApi[], api: ReferenceApi): PageContent {
  const { title, url, file, document, tags } = api
  const lists = tags.map(
    (tag) => `<h2 id="${tag.slug}"><a class="anchor" href="#${tag.slug}">${escapeHtml(tag.name)}</a></h2>
${renderText(tag.description)}${callList(tag.calls)}`,
  )
  const html = `<h1>${escapeHtml(title)}</h1>
<p class="base"><code>${escapeHtml(document.servers[0]?.url ?? '')}</code> · <a href="${file}">OpenAPI document</a></p>
${renderText(document.info.description ?? '')}
${lists.join('\n')}`
  const sections = tags.map((tag) => ({ level: 2, id: tag.slug, text: tag.name, words: '' }))
  return { title, url, html, sections, contents: referenceContents(apis, url) }
}

export function renderTag(apis: readonly ReferenceApi[], api: ReferenceApi, tag: ReferenceTag): PageContent {
  const html = `<p class="crumb"><a href="${api.url}">${escapeHtml(api.title)}</a></p>
<h1>${escapeHtml(tag.name)}</h1>
${renderText(tag.description)}${callList(tag.calls)}
${tag.calls.map((call) => renderCall(api, call)).join('\n')}`
  const sections = tag.calls.map(({ id, summary }) => ({ level: 2, id, text: summary, words: '' }))
  return {
    title: `${tag.name} · ${api.title}`,
    url: tag.url,
    html,
    sections,
    contents: referenceContents(apis, tag.url),
  }
}

function callList(calls: readonly ReferenceCall[]): string {
  const items = calls.map(
    ({ url, method, path, summary }) =>
      `<li><a href="${escapeHtml(url)}"><span>${escapeHtml(summary)}</span> <span class="call">${methodMark(method)} <code>${breakable(path)}</code></span></a></li>`,
  )
  return `<ul class="calls">\n${items.join('\n')}\n</ul>\n`
}

function methodMark(method: string): string {
  return `<b class="method ${method.toLowerCase()}">${method}</b>`
}

/** A long path may break at its slashes. */
function breakable(path: string): string {
  return escapeHtml(path).replaceAll('/', '/<wbr>')
}

function renderCall(api: ReferenceApi, call: ReferenceCall): string {
  const { id, method, path, summary, operation, isWebhook } = call
  const anchor = escapeHtml(id)
  return `<section class="endpoint">
<h2 id="${anchor}"><a class="anchor" href="#${anchor}">${escapeHtml(summary)}</a></h2>
<p class="call">${methodMark(method)} <code>${isWebhook ? 'your webhook URL' : breakable(path)}</code></p>
${renderText(operation.description ?? '')}${permissionsOf(operation)}${parametersOf(api, call)}${bodyOf(api, call)}${exampleOfCall(api, call)}${responsesOf(api, operation)}</section>`
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
    `<li>${renderField(walkOf(api), { name, schema, isRequired: required, ...(description ? { description } : {}) })}</li>`
  return groups
    .map(({ title, found }) => `<h3>${title}</h3>\n<ul class="fields">\n${found.map(field).join('\n')}\n</ul>\n`)
    .join('')
}

function bodyOf(api: ReferenceApi, { operation }: ReferenceCall): string {
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  if (type === undefined || !media?.schema) return ''
  return `<h3>Request body</h3>\n${renderFields(schemasOf(api), media.schema, renderText)}`
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
      `<li><code>${escapeHtml(status)}</code><div>${renderText(description)}${errorDetails(content)}</div></li>`,
  )
  return `${good.join('')}${errors.length === 0 ? '' : `<details class="errors"><summary>Errors: ${bad.map(([status]) => status).join(', ')}</summary>\n<ul class="statuses">\n${errors.join('\n')}\n</ul>\n</details>\n`}`
}

function successOf(api: ReferenceApi, status: string, { description = '', content = {} }: DocumentedResponse): string {
  const media = Object.entries(content).map(([type, it]) => {
    const fields = it.schema ? renderFields(schemasOf(api), it.schema, renderText) : ''
    const value = type === 'application/json' ? exampleValue(api, it, false) : undefined
    const folded = fields === '' ? '' : `<details><summary>Fields of the response</summary>\n${fields}</details>\n`
    const example =
      value === undefined
        ? `<p class="limits">${escapeHtml(type)}</p>\n`
        : renderListing(JSON.stringify(value, null, 2), 'json')
    return `${folded}${example}`
  })
  return `<h3>Response ${escapeHtml(status)}</h3>\n${renderText(description)}${media.join('')}`
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

function walkOf(api: ReferenceApi) {
  return { schemas: schemasOf(api), renderText }
}

const renderText: RenderText = (source) =>
  source === '' ? '' : renderMarkdown(source, (href) => (/^(https?:\/\/|#|\/)/.test(href) ? href : null)).html
