// Validates bodies, parameters and query strings with zod; the faults have the shape of §2.6.
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
import type { Fault } from '../domain/refusals.ts'
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
  readonly faults: Fault[]
  /** Set by Fastify: the invalid part of the request. */
  validationContext?: string

  constructor(faults: Fault[]) {
    super('the input does not match its schema')
    this.faults = faults
  }
}

export const zodCompiler: FastifySchemaCompiler<ZodType> =
  ({ schema }) =>
  (input) => {
    const parsed = schema.safeParse(input, { error: describeIssue })
    if (parsed.success) return { value: parsed.data }
    const faults = parsed.error.issues.map(({ path, message, code }) => ({ path: path.map(plainStep), message, code }))
    return { error: new InvalidInput(faults) }
  }

function plainStep(step: PropertyKey): string | number {
  return typeof step === 'number' ? step : String(step)
}
