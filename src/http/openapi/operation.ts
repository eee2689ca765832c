// Converts the endpoints of an API to operations of its OpenAPI document.
import type { ZodObject, ZodType } from 'zod'
import { type Components, jsonSchema } from './components.ts'
import type { ApiEndpoint } from './endpoint.ts'
import { refsTo } from './headers.ts'
import { type ResponseConventions, refusalResponses } from './refusal-responses.ts'

interface DocumentContext {
  /** The common prefix of all URLs: generators expect one server. */
  server: string
  components: Components
  conventions: ResponseConventions
}

export function pathsOf(endpoints: readonly ApiEndpoint[], { server, components, conventions }: DocumentContext) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const endpoint of endpoints) {
    const path = endpoint.url.replace(server, '').replaceAll(/:(\w+)/g, '{$1}')
    paths[path] ??= {}
    paths[path][endpoint.method] = operationOf(endpoint, components, conventions)
  }
  return paths
}

function operationOf(endpoint: ApiEndpoint, components: Components, conventions: ResponseConventions) {
  const { operationId, tag, summary, description, isPublic, params, querystring, headers, body } = endpoint.schema
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    ...(isPublic ? { security: [] } : {}),
    ...conventions.extensionsOf?.(endpoint),
    parameters: [
      ...parametersOf(params, 'path'),
      ...parametersOf(querystring, 'query'),
      ...parametersOf(headers, 'header'),
    ],
    ...(body ? { requestBody: requestBodyOf(body, components) } : {}),
    responses: { ...successesOf(endpoint, components, conventions), ...refusalResponses(endpoint, conventions) },
  }
}

function requestBodyOf(body: ZodType, components: Components) {
  return { required: !body.safeParse(undefined).success, content: components.media(body, 'input') }
}

function successesOf(endpoint: ApiEndpoint, components: Components, conventions: ResponseConventions) {
  const { summary, headers, response } = endpoint.schema
  const replays = headers && 'idempotency-key' in headers.shape ? ['Idempotent-Replayed'] : []
  return Object.fromEntries(
    Object.entries(response).map(([status, schema]) => [
      status,
      {
        description: schema.description ?? summary,
        headers: {
          ...refsTo(['x-request-id']),
          ...conventions.headersOf(endpoint, Number(status)),
          ...refsTo(replays),
        },
        ...(['204', '302'].includes(status) ? {} : { content: components.media(schema, 'output') }),
      },
    ]),
  )
}

function parametersOf(schema: ZodObject | undefined, place: 'path' | 'query' | 'header') {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => {
    const { description, ...rest } = jsonSchema(field, 'input')
    return {
      name: place === 'header' ? headerCase(name) : name,
      in: place,
      required: !field.safeParse(undefined).success,
      description,
      schema: rest,
    }
  })
}

/** Node reads header names in lower case; the document shows Idempotency-Key. */
function headerCase(header: string): string {
  return header.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())
}
