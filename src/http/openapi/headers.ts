// The headers of answers that both APIs have (§8, D28), described once and named by every answer that carries them.

export const SHARED_HEADERS = {
  'x-request-id': {
    description: 'Names this request in the logs of the service. Quote it when you ask for help.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
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
} as const

export type HeaderRefs = Record<string, { $ref: string }>

/** Each by the name of its description. */
export function refsTo(names: readonly string[]): HeaderRefs {
  return Object.fromEntries(names.map((name) => [name, refToHeader(name)]))
}

export function refToHeader(name: string) {
  return { $ref: `#/components/headers/${name}` }
}
