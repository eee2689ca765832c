// The headers of answers (§8, D28), described once and named by every answer that carries them.
import { COVERAGE_CACHE_SECONDS, USUAL_REQUESTS_PER_SECOND } from '../../domain/limits.ts'

const left = {
  description: 'Requests left in this second (`r`).',
  schema: { type: 'string' },
  example: `"client";r=${USUAL_REQUESTS_PER_SECOND - 1};t=1`,
}
const policy = {
  description: 'Requests per second (`q`) that this API client may make.',
  schema: { type: 'string' },
  example: `"client";q=${USUAL_REQUESTS_PER_SECOND};w=1`,
}
const BEFORE_THE_LOOK = 'Not there where the answer was given before the key was looked up.'

export const HEADERS = {
  'x-request-id': {
    description: 'Names this request in the logs of the service. Quote it when you ask for help.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  RateLimit: { ...left, required: true },
  'RateLimit-Policy': { ...policy, required: true },
  RateLimitIfKnown: { ...left, description: `${left.description} ${BEFORE_THE_LOOK}` },
  'RateLimit-PolicyIfKnown': { ...policy, description: `${policy.description} ${BEFORE_THE_LOOK}` },
  'Retry-After': {
    description: 'Whole seconds to wait before the next try.',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  'Idempotent-Replayed': {
    description: 'Present on a replay: this is the answer to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', const: 'true' },
  },
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

type Described = keyof typeof HEADERS
export type HeaderName = Exclude<Described, `${string}IfKnown`>

/** By the name of the header, whose description may have another. */
export function refsTo(names: readonly HeaderName[]) {
  return Object.fromEntries(names.map((name) => [name, refTo(name)]))
}

/** D28: the rate is told to every known key: with a 401 there is none, and a 500 or a 503 may come before anybody looked. */
export function rateHeaders(status: number) {
  if (status === 401) return {}
  if (status < 500) return refsTo(['RateLimit', 'RateLimit-Policy'])
  return { RateLimit: refTo('RateLimitIfKnown'), 'RateLimit-Policy': refTo('RateLimit-PolicyIfKnown') }
}

function refTo(name: Described) {
  return { $ref: `#/components/headers/${name}` }
}
