// Validates bodies, parameters and query strings with zod; the errors have the shape of §2.6.
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifySchemaCompiler,
  FastifyTypeProvider,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { ZodType, z } from 'zod'
import type { FieldError } from '../domain/refusals.ts'
import { describeIssue } from './issue-messages.ts'

/** Handlers receive the output of their request schemas, and return the input of their response schemas. */
export interface ZodTypeProvider extends FastifyTypeProvider {
  validator: this['schema'] extends ZodType ? z.output<this['schema']> : unknown
  serializer: this['schema'] extends ZodType ? z.input<this['schema']> : unknown
}

/** A server whose handlers have the types of their zod schemas. */
export type TypedServer = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>

export class InvalidInput extends Error {
  readonly errors: FieldError[]
  /** Set by Fastify: the invalid part of the request. */
  validationContext?: string

  constructor(errors: FieldError[]) {
    super('the input does not match its schema')
    this.errors = errors
  }
}

export const zodCompiler: FastifySchemaCompiler<ZodType> =
  ({ schema }) =>
  (input) => {
    const parsed = schema.safeParse(input, { error: describeIssue })
    if (parsed.success) return { value: parsed.data }
    const errors = parsed.error.issues.map(({ path, message, code }) => ({ path: path.map(plainStep), message, code }))
    return { error: new InvalidInput(errors) }
  }

function plainStep(step: PropertyKey): string | number {
  return typeof step === 'number' ? step : String(step)
}
