// How an endpoint describes itself: beside the schemas that judge its requests stand the words for the OpenAPI document.
import type { FastifyInstance, FastifySchema } from 'fastify'
import type { ZodObject, ZodType } from 'zod'
import type { RefusalCode } from '../../domain/refusals.ts'

export interface EndpointSchema extends FastifySchema {
  operationId: string
  tag: Tag
  summary: string
  description: string
  /** Needs no API key. */
  isPublic?: true
  params?: ZodObject
  headers?: ZodObject
  body?: ZodType
  response: { 200: ZodType }
  /** Every code of §7 that it may answer with. */
  refusals: readonly RefusalCode[]
}

export const TAGS = {
  Messages: 'Send text, and follow it to the handset.',
  'One-time passwords': 'Prove that a user holds a number. The service makes the code, sends it, and checks it.',
  Account: 'What is left, what it costs, and where it can go.',
  Webhooks: 'What the service tells your server.',
} as const
export type Tag = keyof typeof TAGS

export interface Endpoint {
  method: 'get' | 'post'
  /** As Fastify knows it, from the root of the server. */
  url: string
  schema: EndpointSchema
}

/** The routes that describe themselves, as they are mounted from now on. */
export function collectEndpoints(server: FastifyInstance): Endpoint[] {
  const endpoints: Endpoint[] = []
  server.addHook('onRoute', ({ method, url, schema }) => {
    if (!describesItself(schema)) return
    if (method === 'GET') endpoints.push({ method: 'get', url, schema })
    if (method === 'POST') endpoints.push({ method: 'post', url, schema })
  })
  return endpoints
}

function describesItself(schema: FastifySchema | undefined): schema is EndpointSchema {
  return schema !== undefined && 'operationId' in schema
}
