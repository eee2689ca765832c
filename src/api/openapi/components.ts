// zod schemas as JSON Schema: each under its title among the document's components, its samples where OpenAPI names them.
import { type ZodType, z } from 'zod'

export type JsonSchema = Record<string, unknown>

declare module 'zod' {
  interface GlobalMeta {
    /** Whole bodies as examples, each under the words that say what it shows. */
    samples?: Record<string, unknown>
  }
}

export class Components {
  readonly schemas: Record<string, JsonSchema> = {}

  /** What stands under `content` for a body of this schema, as the caller writes it or as the service does. */
  media(schema: ZodType, io: 'input' | 'output') {
    const { samples = {} } = schema.meta() ?? {}
    const examples = Object.entries(samples).map(([summary, value]) => [summary, { summary, value }])
    return { 'application/json': { schema: this.add(schema, io), examples: Object.fromEntries(examples) } }
  }

  add(schema: ZodType, io: 'input' | 'output'): JsonSchema {
    const { title } = schema.meta() ?? {}
    if (title === undefined) throw new Error('a schema without a title has no name in the document')
    this.schemas[title] = jsonSchema(schema, io)
    return refTo(title)
  }
}

export function refTo(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` }
}

export function jsonSchema(schema: ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      delete jsonSchema.samples
      // A later version may add members to an answer, so the description leaves room for them.
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      // zod writes out the expression behind a format; the name of the format says more.
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern
      if (jsonSchema.type === 'integer') {
        delete jsonSchema.minimum
        delete jsonSchema.maximum
      }
    },
  })
  return rest
}
