// The parts that all requests to an HTTP carrier share: headers, authentication and body.
import { z } from 'zod'
import type { HttpBody, JsonValue } from '../../domain/carriers/http/description.ts'
import { HTTP_BOUNDS } from '../../domain/carriers/http/description.ts'
import { line } from '../fields.ts'

const DEEPEST = 20

const template = z.string().max(HTTP_BOUNDS.template)
const name = line(100)

export const pointer = z.string().max(200).describe('A JSON pointer (RFC 6901) such as `/messages/0/id`.')

export const headers = z
  .record(z.string().max(100), template)
  .refine((some) => Object.keys(some).length <= HTTP_BOUNDS.headers, `Must have at most ${HTTP_BOUNDS.headers}`)
  .default({})

export const auth = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('header'), name, value: template }),
  z.strictObject({ kind: z.literal('basic'), user: template, password: template }),
  z.strictObject({ kind: z.literal('query'), name, value: template }),
])

export const body = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('json'),
    value: z
      .unknown()
      .refine((value) => value !== undefined && isShallow(value, DEEPEST), `Must be JSON of at most ${DEEPEST} levels`)
      .describe('Any JSON. Strings are templates.'),
  }),
  z.strictObject({
    kind: z.literal('form'),
    fields: z.record(name, template).describe('Fields of an `application/x-www-form-urlencoded` body.'),
  }),
])

export function httpBodyOf(given: z.output<typeof body> | null): HttpBody | null {
  return given?.kind === 'json' ? { kind: 'json', value: given.value as JsonValue } : given
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((it) => isShallow(it, levels - 1))
}
