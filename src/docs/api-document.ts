// An OpenAPI document, and its endpoints by tag as the reference shows them.
import { REFERENCE_ROOT } from '../http/openapi/serve.ts'
import type { Schema } from './schema.ts'

export interface Media {
  schema?: Schema
  examples?: Record<string, { value: unknown }>
}

export interface DocumentedResponse {
  description?: string
  content?: Record<string, Media>
}

export interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema?: Schema
}

export interface Operation {
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

export interface ReferenceTag {
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
