// The OpenAPI 3.1 document of the management API, made from the very schemas that judge its requests and type its answers.
import { IDEMPOTENCY_SECONDS } from '../domain/messages/idempotency.ts'
import { isForWorkspaces, mayUse } from '../domain/people/permission.ts'
import { FRESH_MINUTES } from '../domain/people/session.ts'
import { OVERLOADED, type RefusalCode } from '../domain/refusals.ts'
import { Components } from '../http/openapi/components.ts'
import type { Endpoint } from '../http/openapi/endpoint.ts'
import { SHARED_HEADERS } from '../http/openapi/headers.ts'
import { pathsOf } from '../http/openapi/operation.ts'
import { errorBody, type Manner } from '../http/openapi/refusal-responses.ts'
import { BODY_LIMIT_BYTES } from '../http/reply.ts'
import { MANAGEMENT_TAGS, permissionOf } from './endpoint.ts'
import { MOST_WAITING_CALLS } from './owner-turns.ts'

export const MANAGEMENT_TITLE = 'Management API'

const MANNER: Manner = {
  headersOf: () => ({}),
  examples: {
    invalid_request: { details: [{ path: ['name'], message: 'Must not contain control characters', code: 'custom' }] },
    unauthorized: { error: 'Invalid token' },
    forbidden: { error: 'This request does not come from the console of this service' },
    unavailable: { error: OVERLOADED.error },
  },
  advice: {
    400: 'Mend the request; do not repeat it as it is.',
    401: 'Check the token; it may have been revoked. Who signed in has to do so again.',
    403: 'Only with a cookie: a change needs a JSON body and comes from the console; for some, sign in again first.',
    404: 'There is no such thing, or not for this token.',
    409: '`error` says what stands against it.',
    413: `Bodies may have ${BODY_LIMIT_BYTES / 1024} KiB.`,
    429: 'Wait for the seconds in `Retry-After`.',
    500: 'Retry what may be repeated, waiting longer each time.',
    503: 'Retry, waiting longer each time.',
  },
  extensionsOf: (endpoint) => {
    const { roles, scope, fresh = false } = permissionOf(endpoint)
    return { 'x-roles': roles, 'x-scope': scope, 'x-fresh': fresh }
  },
}

export function buildManagementDocument(
  endpoints: readonly Endpoint[],
  { address, server }: { address: string; server: string },
) {
  const components = new Components()
  const paths = pathsOf(endpoints.map(whole), { server, components, manner: MANNER })
  components.add(errorBody, 'output')
  return {
    openapi: '3.1.0',
    info: { title: MANAGEMENT_TITLE, version: '1.0.0', description: introduction(`${address}${server}`) },
    servers: [{ url: `${address}${server}` }],
    security: [{ token: [] }, { session: [] }],
    tags: Object.entries(MANAGEMENT_TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: "A program's: the operator's, or one of a workspace." },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-hulaki',
          description: "A person's, in a browser. On http, which is for the machine itself, it is called `hulaki`.",
        },
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
  if (method !== 'get') refusals.push('forbidden')
  if (permission.fresh) refusals.push('sign_in_again')
  const isPublic = mayUse('anybody', permission)
  const description = [schema.description, `Roles: ${permission.roles.join(', ')}.`].filter(Boolean).join('\n\n')
  return { ...endpoint, schema: { ...schema, description, refusals, ...(isPublic && { isPublic }) } }
}

const introduction = (
  root: string,
) => `Everything the operator and the people of workspaces do. JSON over HTTPS; every change is kept in the audit log.

\`\`\`sh
curl ${root}/whoami -H 'authorization: Bearer …'
\`\`\`

**Roles.** \`x-roles\` of a call names who may make it: the **operator** for all of the service; for one workspace its **owner**
(money, team, secrets), **developer** (clients, templates, webhooks) and **viewer** (reads). To anybody else it answers 404, as if
it did not exist. \`x-scope\` says what it works on: all of the service, what belongs to one workspace, only whoever asks, or what
only a person who signed in has.

**Programs** have a bearer token. **People** sign in with a browser and have a cookie. Where the path names no workspace, they say
in the header \`x-workspace\` in which one they act. Their changes need a JSON body, if only \`{}\`, and come from the console; a
call with \`x-fresh\` asks them to sign in again every ${FRESH_MINUTES} min.

**Lists** are \`{"items": […], "next": …}\`, newest first. Give \`next\` as \`cursor\` for the following page, until it is \`null\`.

**Amounts** are decimal numbers with at most four decimals, in the currency of the workspace.

**Retrying.** A top-up takes an \`Idempotency-Key\`, good for ${IDEMPOTENCY_SECONDS / 3600} hours. After a time-out of any other POST that makes
something, look whether it is there before you repeat it.

**Limits.** Of one workspace one call is served at a time, and ${MOST_WAITING_CALLS} wait.`
