// Response headers of the v1 API (§8, D28), as components that responses refer to.
import { COVERAGE_CACHE_SECONDS, DEFAULT_REQUESTS_PER_SECOND } from '../../domain/messages/limits.ts'
import type { EndpointSchema as AnyEndpointSchema, ApiEndpoint } from '../../http/openapi/endpoint.ts'
import { type HeaderRefs, refsTo, refToHeader, SHARED_HEADERS } from '../../http/openapi/headers.ts'

const left = {
  description: 'Remaining requests of this second (`r`).',
  schema: { type: 'string' },
  example: `"client";r=${DEFAULT_REQUESTS_PER_SECOND - 1};t=1`,
}

const policy = {
  description: 'Rate limit of the API client in requests per second (`q`).',
  schema: { type: 'string' },
  example: `"client";q=${DEFAULT_REQUESTS_PER_SECOND};w=1`,
}

const IF_KEY_KNOWN = 'Absent if the request was answered before the key was checked.'

export const HEADERS = {
  ...SHARED_HEADERS,
  RateLimit: { ...left, required: true },
  'RateLimit-Policy': { ...policy, required: true },
  RateLimitIfKnown: { ...left, description: `${left.description} ${IF_KEY_KNOWN}` },
  'RateLimit-PolicyIfKnown': { ...policy, description: `${policy.description} ${IF_KEY_KNOWN}` },
  'Access-Control-Allow-Origin': {
    description: 'Pages of any origin may read the response.',
    required: true,
    schema: { type: 'string', const: '*' },
  },
  'Cache-Control': {
    description: `The response can be cached for ${COVERAGE_CACHE_SECONDS} seconds.`,
    schema: { type: 'string', const: `public, max-age=${COVERAGE_CACHE_SECONDS}` },
  },
} as const

export function headersOf({ schema: { isPublic } }: ApiEndpoint, status: number): HeaderRefs {
  if (!isPublic) return rateHeaders(status)
  return refsTo(['Access-Control-Allow-Origin', ...(status === 200 ? ['Cache-Control'] : [])])
}

/** D28: responses to known keys have rate headers. A 401 has none; a 500 or 503 can come before the key is checked. */
function rateHeaders(status: number): HeaderRefs {
  if (status === 401) return {}
  if (status < 500) return refsTo(['RateLimit', 'RateLimit-Policy'])
  return { RateLimit: refToHeader('RateLimitIfKnown'), 'RateLimit-Policy': refToHeader('RateLimit-PolicyIfKnown') }
}

export interface ApiEndpointSchema extends AnyEndpointSchema {
  tag: Tag
}

export const API_TAGS = {
  Messages: 'Send messages and track their delivery.',
  'One-time passwords': 'Verify that a user has a phone number. The service creates, sends and checks the OTP.',
  Account: 'Balance, prices and supported countries.',
  Webhooks: 'Events that the service sends to your server.',
} as const

export type Tag = keyof typeof API_TAGS
