// The definition of an endpoint: the schemas that validate its requests, and its texts for the OpenAPI document.
import type { FastifyContextConfig, FastifyInstance, FastifySchema } from 'fastify'
import type { ZodObject, ZodType } from 'zod'
import type { RefusalCode } from '../../domain/refusals.ts'

export interface EndpointSchema extends FastifySchema {
  operationId: string
  tag: string
  summary: string
  description?: string
  /** Needs no key and no token. */
  isPublic?: true
  params?: ZodObject
  querystring?: ZodObject
  headers?: ZodObject
  body?: ZodType
  /** Successful responses by HTTP status. */
  response: Partial<Record<200 | 201 | 202 | 204 | 302, ZodType>>
  /** Every error code of §7 that it can return. */
  refusals: readonly RefusalCode[]
}

export interface ApiEndpoint {
  /** In lower case, as OpenAPI writes it. */
  method: string
  /** Fastify's URL pattern, from the root of the server. */
  url: string
  schema: EndpointSchema
  config: FastifyContextConfig
}

/** Collects the described routes below `root` that are mounted after this call. */
export function collectEndpoints(server: FastifyInstance, root: string): ApiEndpoint[] {
  const endpoints: ApiEndpoint[] = []
  server.addHook('onRoute', ({ method, url, schema, config = {} }) => {
    // Fastify mounts each GET route a second time for HEAD.
    if (method === 'HEAD' || !url.startsWith(root) || !isDescribed(schema)) return
    endpoints.push({ method: String(method).toLowerCase(), url, schema, config })
  })
  return endpoints
}

function isDescribed(schema: FastifySchema | undefined): schema is EndpointSchema {
  return schema !== undefined && 'operationId' in schema
}
