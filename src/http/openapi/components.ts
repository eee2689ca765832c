// zod schemas as JSON Schema: each under its title among the document's components, its samples where OpenAPI names them.
import { type ZodType, z } from 'zod'

type JsonSchema = Record<string, unknown>
type Direction = 'input' | 'output'

declare module 'zod' {
  interface GlobalMeta {
    /** Whole bodies as examples, each under the words that say what it shows. */
    samples?: Record<string, unknown>
    /** Of an answer that is no JSON. */
    mediaType?: 'text/csv' | 'text/event-stream'
  }
}

export class Components {
  readonly schemas: Record<string, JsonSchema> = {}
  readonly #added = { input: new Set<ZodType>(), output: new Set<ZodType>() }

  /** What stands under `content` for a body of this schema, as the caller writes it or as the service does. */
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

  /** What stands in it and has a title too is added and referred to. */
  add(schema: ZodType, io: Direction): JsonSchema {
    const { title } = schema.meta() ?? {}
    if (title === undefined) throw new Error('a schema without a title has no name in the document')
    // Views stand in one another, and each is described once: again for every place would take most of a second.
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

/** `refer` says what stands in the place of a schema with a title inside of this one. */
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
      // A later version may add members to an answer, so the description leaves room for them.
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      // zod writes out the expression behind a format; the name of the format says more.
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern
      // What no number of JavaScript exceeds is no bound.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  })
  return rest
}
