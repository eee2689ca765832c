// The OpenAPI 3.1 document of the management API, made from the very schemas that judge its requests and type its answers.
import { IDEMPOTENCY_SECONDS } from '../domain/idempotency.ts'
import { isForWorkspaces } from '../domain/permission.ts'
import { OVERLOADED, type RefusalCode } from '../domain/refusals.ts'
import { BODY_LIMIT_BYTES } from '../http/every-answer.ts'
import { Components } from '../http/openapi/components.ts'
import type { Endpoint } from '../http/openapi/endpoint.ts'
import { SHARED_HEADERS } from '../http/openapi/headers.ts'
import { pathsOf } from '../http/openapi/operation.ts'
import { errorBody, type Manner } from '../http/openapi/refusal-responses.ts'
import { permissionOf, TAGS } from './endpoint.ts'
import { MOST_WAITING } from './owner-turns.ts'

export const MANAGEMENT_TITLE = 'Management API'

const MANNER: Manner = {
  headersOf: () => ({}),
  examples: {
    invalid_request: { details: [{ path: ['name'], message: 'Must not contain control characters', code: 'custom' }] },
    unauthorized: { error: 'Invalid token' },
    unavailable: { error: OVERLOADED.error },
  },
  advice: {
    400: 'Mend the request; do not repeat it as it is.',
    401: 'Check the token; it may have been revoked.',
    404: 'There is no such thing, or not for this token.',
    409: '`error` says what stands against it.',
    413: `Bodies may have ${BODY_LIMIT_BYTES / 1024} KiB.`,
    429: 'Wait for the seconds in `Retry-After`.',
    500: 'Retry what may be repeated, waiting longer each time.',
    503: 'Retry, waiting longer each time.',
  },
  extensionsOf: (endpoint) => {
    const { roles, scope } = permissionOf(endpoint)
    return { 'x-roles': roles, 'x-scope': scope }
  },
}

export function buildDocument(endpoints: readonly Endpoint[], server: string) {
  const components = new Components()
  const paths = pathsOf(endpoints.map(whole), { server, components, manner: MANNER })
  components.add(errorBody, 'output')
  return {
    openapi: '3.1.0',
    info: { title: MANAGEMENT_TITLE, version: '1.0.0', description: INTRODUCTION },
    servers: [{ url: server }],
    security: [{ token: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: "The operator's token, or an owner's." },
      },
      headers: SHARED_HEADERS,
      schemas: components.schemas,
    },
  }
}

/** With what follows from what it takes and from who may use it. */
function whole(endpoint: Endpoint): Endpoint {
  const { method, schema } = endpoint
  const permission = permissionOf(endpoint)
  const refusals: RefusalCode[] = [...schema.refusals, 'unauthorized', 'server_error', 'unavailable']
  if (method !== 'get' || schema.params || schema.querystring) refusals.push('invalid_request')
  if (permission.scope !== 'caller') refusals.push('not_found')
  if (isForWorkspaces(permission)) refusals.push('rate_limited')
  const description = [schema.description, `Roles: ${permission.roles.join(', ')}.`].filter(Boolean).join('\n\n')
  return { ...endpoint, schema: { ...schema, description, refusals } }
}

const INTRODUCTION = `Everything the operator and the owners of workspaces do. JSON over HTTPS; every change is kept in the audit log.

\`\`\`sh
curl {base_url}/whoami -H 'authorization: Bearer …'
\`\`\`

**Roles.** \`x-roles\` of a call names who may make it: the **operator** for all of the service, an **owner** for one workspace.
To anybody else it answers 404, as if it did not exist. \`x-scope\` says what it works on: all of the service, what belongs to one
workspace, or only whoever asks.

**Lists** are \`{"items": […], "next": …}\`, newest first. Give \`next\` as \`cursor\` for the following page, until it is \`null\`.

**Amounts** are decimal numbers with at most four decimals, in the currency of the workspace.

**Retrying.** A top-up takes an \`Idempotency-Key\`, good for ${IDEMPOTENCY_SECONDS / 3600} hours. After a time-out of any other POST that makes
something, look whether it is there before you repeat it.

**Limits.** Of one workspace's owners one call is served at a time, and ${MOST_WAITING} wait.`
