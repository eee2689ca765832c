// Bodies, parameters and query strings are judged by their zod schemas; the faults keep the shape of §2.6.
import type { FastifySchemaCompiler, FastifyTypeProvider } from 'fastify'
import type { ZodType, z } from 'zod'
import type { Fault } from '../domain/refusals.ts'
import { faultWords } from './fault-words.ts'

/** Tells TypeScript what a handler is given, what its schemas put out, and what it may answer, what they take in. */
export interface ZodTypeProvider extends FastifyTypeProvider {
  validator: this['schema'] extends ZodType ? z.output<this['schema']> : unknown
  serializer: this['schema'] extends ZodType ? z.input<this['schema']> : unknown
}

export class InvalidInput extends Error {
  readonly faults: Fault[]
  /** Set by Fastify: the part of the request that has them. */
  validationContext?: string

  constructor(faults: Fault[]) {
    super('the input does not fit its schema')
    this.faults = faults
  }
}

const IN_WORDS = { error: faultWords }

export const zodCompiler: FastifySchemaCompiler<ZodType> =
  ({ schema }) =>
  (input) => {
    const parsed = schema.safeParse(input, IN_WORDS)
    if (parsed.success) return { value: parsed.data }
    const faults = parsed.error.issues.map(({ path, message, code }) => ({ path: path.map(plainStep), message, code }))
    return { error: new InvalidInput(faults) }
  }

function plainStep(step: PropertyKey): string | number {
  return typeof step === 'number' ? step : String(step)
}
