// How an endpoint describes itself: beside the schemas that judge its requests stand the words for the OpenAPI document.
import type { FastifyContextConfig, FastifyInstance, FastifySchema } from 'fastify'
import type { ZodObject, ZodType } from 'zod'
import type { RefusalCode } from '../../domain/refusals.ts'

export interface EndpointSchema extends FastifySchema {
  operationId: string
  tag: string
  summary: string
  description?: string
  /** Needs neither key nor token. */
  isPublic?: true
  params?: ZodObject
  querystring?: ZodObject
  headers?: ZodObject
  body?: ZodType
  /** What it answers where it does what it is asked for, by HTTP status. */
  response: Partial<Record<200 | 201 | 202 | 204 | 302, ZodType>>
  /** Every code of §7 that it may answer with. */
  refusals: readonly RefusalCode[]
}

export interface Endpoint {
  /** In lower case, as OpenAPI writes it. */
  method: string
  /** As Fastify knows it, from the root of the server. */
  url: string
  schema: EndpointSchema
  config: FastifyContextConfig
}

/** The routes below `root` that describe themselves, as they are mounted from now on. */
export function collectEndpoints(server: FastifyInstance, root: string): Endpoint[] {
  const endpoints: Endpoint[] = []
  server.addHook('onRoute', ({ method, url, schema, config = {} }) => {
    // Fastify mounts what answers GET a second time for HEAD.
    if (method === 'HEAD' || !url.startsWith(root) || !describesItself(schema)) return
    endpoints.push({ method: String(method).toLowerCase(), url, schema, config })
  })
  return endpoints
}

function describesItself(schema: FastifySchema | undefined): schema is EndpointSchema {
  return schema !== undefined && 'operationId' in schema
}
