// Converts zod schemas to the JSON Schema components of an OpenAPI document, by title, with their examples.
import { type ZodType, z } from 'zod'

type JsonSchema = Record<string, unknown>
type Direction = 'input' | 'output'

declare module 'zod' {
  interface GlobalMeta {
    /** Example bodies by their summary. */
    samples?: Record<string, unknown>
    /** Media type of a response that is not JSON. */
    mediaType?: 'text/csv' | 'text/html' | 'text/event-stream'
  }
}

export class Components {
  readonly schemas: Record<string, JsonSchema> = {}
  readonly #added = { input: new Set<ZodType>(), output: new Set<ZodType>() }

  /** The `content` of a request body (`input`) or response (`output`). */
  media(schema: ZodType, io: Direction) {
    const { samples = {}, mediaType = 'application/json' } = schema.meta() ?? {}
    const examples = Object.entries(samples).map(([summary, value]) => [summary, { summary, value }])
    return {
      [mediaType]: {
        schema: this.add(schema, io),
        ...(examples.length > 0 ? { examples: Object.fromEntries(examples) } : {}),
      },
    }
  }

  /** Nested schemas with a title become components of their own. */
  add(schema: ZodType, io: Direction): JsonSchema {
    const { title } = schema.meta() ?? {}
    if (title === undefined) throw new Error('a schema without a title has no name in the document')
    // Each schema is converted once: converting shared schemas for every use takes most of a second.
    if (this.#added[io].has(schema)) return refTo(title)
    this.#added[io].add(schema)
    const described = jsonSchema(schema, io, (inner) => this.add(inner, io))
    const known = this.schemas[title]
    if (known && JSON.stringify(known) !== JSON.stringify(described)) throw new Error(`two schemas are called ${title}`)
    this.schemas[title] = described
    return refTo(title)
  }
}

export function refTo(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` }
}

/** `refer` returns the reference that replaces a nested schema with a title. */
export function jsonSchema(schema: ZodType, io: Direction, refer?: (inner: ZodType) => JsonSchema): JsonSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    override: ({ zodSchema, jsonSchema }) => {
      const inner: unknown = zodSchema
      if (refer && inner !== schema && inner instanceof z.ZodType && jsonSchema.title !== undefined) {
        for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
        Object.assign(jsonSchema, refer(inner))
        return
      }
      delete jsonSchema.samples
      delete jsonSchema.mediaType
      // A later version can add fields to a response (§9).
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      // zod adds the regular expression of a format; the name of the format is clearer.
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern
      // The safe integer range is not a limit of the API.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  })
  return rest
}
