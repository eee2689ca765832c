// One endpoint of the API as an operation of the OpenAPI document.
import type { ZodObject } from 'zod'
import { type Components, jsonSchema } from './components.ts'
import type { Endpoint } from './endpoint.ts'
import { type HeaderName, rateHeaders, refsTo } from './headers.ts'
import { refusalResponses } from './refusal-responses.ts'

export function operationOf({ method, schema }: Endpoint, components: Components) {
  const { operationId, tag, summary, description, isPublic, params, headers, body, response, refusals } = schema
  const headersOf = (status: number) => ({
    ...refsTo(['x-request-id']),
    ...(isPublic ? refsTo(['Access-Control-Allow-Origin']) : rateHeaders(status)),
  })
  const onSuccess: HeaderName[] = isPublic ? ['Cache-Control'] : method === 'post' ? ['Idempotent-Replayed'] : []
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    ...(isPublic ? { security: [] } : {}),
    parameters: [...parametersOf(params, 'path'), ...parametersOf(headers, 'header')],
    ...(body ? { requestBody: { required: true, content: components.media(body, 'input') } } : {}),
    responses: {
      200: {
        description: response[200].description ?? summary,
        headers: { ...headersOf(200), ...refsTo(onSuccess) },
        content: components.media(response[200], 'output'),
      },
      ...refusalResponses(refusals, headersOf),
    },
  }
}

function parametersOf(schema: ZodObject | undefined, place: 'path' | 'header') {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => {
    const { description, ...rest } = jsonSchema(field, 'input')
    return {
      name: place === 'header' ? usualSpelling(name) : name,
      in: place,
      required: place === 'path',
      description,
      schema: rest,
    }
  })
}

/** Node reads header names in lower case; people write Idempotency-Key. */
function usualSpelling(header: string): string {
  return header.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())
}
