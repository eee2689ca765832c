// The headers of answers (§8, D28), described once and named by every answer that carries them.
import { COVERAGE_CACHE_SECONDS } from '../../domain/limits.ts'

export const HEADERS = {
  'x-request-id': {
    description: 'Names this request in the logs of the service. Quote it when you ask for help.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  RateLimit: {
    description: 'Requests left in this second (`r`).',
    schema: { type: 'string' },
    example: '"client";r=19;t=1',
  },
  'RateLimit-Policy': {
    description: 'Requests per second (`q`) that this API client may make.',
    schema: { type: 'string' },
    example: '"client";q=20;w=1',
  },
  'Retry-After': {
    description: 'Whole seconds to wait before the next try.',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  'Idempotent-Replayed': {
    description: 'Present on a replay: this is the answer to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', const: 'true' },
  },
  'Cache-Control': {
    description: `Good for ${COVERAGE_CACHE_SECONDS} seconds.`,
    schema: { type: 'string', const: `public, max-age=${COVERAGE_CACHE_SECONDS}` },
  },
} as const

export type HeaderName = keyof typeof HEADERS

export function refsTo(names: readonly HeaderName[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
