// The headers of answers of the v1 API (§8, D28), described once and named by every answer that carries them.
import { COVERAGE_CACHE_SECONDS, DEFAULT_REQUESTS_PER_SECOND } from '../../domain/messages/limits.ts'
import type { EndpointSchema as AnyEndpointSchema, Endpoint } from '../../http/openapi/endpoint.ts'
import { type HeaderRefs, refsTo, refToHeader, SHARED_HEADERS } from '../../http/openapi/headers.ts'

const left = {
  description: 'Requests left in this second (`r`).',
  schema: { type: 'string' },
  example: `"client";r=${DEFAULT_REQUESTS_PER_SECOND - 1};t=1`,
}

const policy = {
  description: 'Requests per second (`q`) that this API client may make.',
  schema: { type: 'string' },
  example: `"client";q=${DEFAULT_REQUESTS_PER_SECOND};w=1`,
}

const BEFORE_THE_LOOK = 'Not there where the answer was given before the key was looked up.'

export const HEADERS = {
  ...SHARED_HEADERS,
  RateLimit: { ...left, required: true },
  'RateLimit-Policy': { ...policy, required: true },
  RateLimitIfKnown: { ...left, description: `${left.description} ${BEFORE_THE_LOOK}` },
  'RateLimit-PolicyIfKnown': { ...policy, description: `${policy.description} ${BEFORE_THE_LOOK}` },
  'Access-Control-Allow-Origin': {
    description: 'Pages of any origin may read it.',
    required: true,
    schema: { type: 'string', const: '*' },
  },
  'Cache-Control': {
    description: `Good for ${COVERAGE_CACHE_SECONDS} seconds.`,
    schema: { type: 'string', const: `public, max-age=${COVERAGE_CACHE_SECONDS}` },
  },
} as const

export function headersOf({ schema: { isPublic } }: Endpoint, status: number): HeaderRefs {
  if (!isPublic) return rateHeaders(status)
  return refsTo(['Access-Control-Allow-Origin', ...(status === 200 ? ['Cache-Control'] : [])])
}

/** D28: the rate is told to every known key: with a 401 there is none, and a 500 or a 503 may come before anybody looked. */
function rateHeaders(status: number): HeaderRefs {
  if (status === 401) return {}
  if (status < 500) return refsTo(['RateLimit', 'RateLimit-Policy'])
  return { RateLimit: refToHeader('RateLimitIfKnown'), 'RateLimit-Policy': refToHeader('RateLimit-PolicyIfKnown') }
}

export interface ApiEndpointSchema extends AnyEndpointSchema {
  tag: Tag
}

export const API_TAGS = {
  Messages: 'Send text, and follow it to the handset.',
  'One-time passwords': 'Prove that a user holds a number. The service makes the code, sends it, and checks it.',
  Account: 'What is left, what it costs, and where it can go.',
  Webhooks: 'What the service tells your server.',
} as const

export type Tag = keyof typeof API_TAGS
