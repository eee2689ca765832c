// Response headers of both APIs (§8, D28), as components that responses refer to.

export const SHARED_HEADERS = {
  'x-request-id': {
    description: 'The id of the request in the logs of the service. Include it when you contact support.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  'Retry-After': {
    description: 'Seconds to wait before the next attempt.',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  'Idempotent-Replayed': {
    description:
      'Present if the response is the stored response of an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', const: 'true' },
  },
} as const

export type HeaderRefs = Record<string, { $ref: string }>

/** References to the header components with these names. */
export function refsTo(names: readonly string[]): HeaderRefs {
  return Object.fromEntries(names.map((name) => [name, refToHeader(name)]))
}

export function refToHeader(name: string) {
  return { $ref: `#/components/headers/${name}` }
}
