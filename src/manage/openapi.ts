// The OpenAPI 3.1 document of the management API, generated from the schemas that validate requests and type answers.
import { IDEMPOTENCY_SECONDS } from '../domain/messages/idempotency.ts'
import { canUse, isForWorkspaces } from '../domain/people/permission.ts'
import { FRESH_MINUTES } from '../domain/people/session.ts'
import { OVERLOADED, type RefusalCode } from '../domain/refusals.ts'
import { Components } from '../http/openapi/components.ts'
import type { ApiEndpoint } from '../http/openapi/endpoint.ts'
import { SHARED_HEADERS } from '../http/openapi/headers.ts'
import { pathsOf } from '../http/openapi/operation.ts'
import { errorBody, type ResponseConventions } from '../http/openapi/refusal-responses.ts'
import { BODY_LIMIT_BYTES } from '../http/reply.ts'
import { FOREIGN_ORIGIN } from './browser.ts'
import { MANAGEMENT_TAGS, permissionOf } from './endpoint.ts'
import { MAX_WAITING_CALLS } from './owner-turns.ts'

export const MANAGEMENT_TITLE = 'Management API'

const CONVENTIONS: ResponseConventions = {
  headersOf: () => ({}),
  examples: {
    invalid_request: { details: [{ path: ['name'], message: 'Must not contain control characters', code: 'custom' }] },
    unauthorized: { error: 'Invalid token' },
    forbidden: { error: FOREIGN_ORIGIN.error },
    unavailable: { error: OVERLOADED.error },
  },
  advice: {
    400: 'Fix the request before you send it again.',
    401: 'Check the token; it may be revoked. A person signs in again.',
    403: 'Only for sessions: a change needs a JSON body and the origin of the console, and some calls need a recent sign-in.',
    404: 'Not found, or no access with this token.',
    409: 'The current state does not allow it; `error` says why.',
    413: `A body has at most ${BODY_LIMIT_BYTES / 1024} KiB.`,
    429: 'Retry after the `Retry-After` delay.',
    500: 'Retry idempotent calls with growing delays.',
    503: 'Retry with growing delays.',
  },
  extensionsOf: (endpoint) => {
    const { roles, scope, fresh = false } = permissionOf(endpoint)
    return { 'x-roles': roles, 'x-scope': scope, 'x-fresh': fresh }
  },
}

export function buildManagementDocument(
  endpoints: readonly ApiEndpoint[],
  { address, server }: { address: string; server: string },
) {
  const components = new Components()
  const paths = pathsOf(endpoints.map(whole), { server, components, conventions: CONVENTIONS })
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
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token of the operator or of a workspace, for programs.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-hulaki',
          description:
            'The session of a person in a browser. Over http, on the machine itself, the cookie is called `hulaki`.',
        },
      },
      headers: SHARED_HEADERS,
      schemas: components.schemas,
    },
  }
}

/** Adds the refusals and the security that follow from the input and the permission. */
function whole(endpoint: ApiEndpoint): ApiEndpoint {
  const { method, schema } = endpoint
  const permission = permissionOf(endpoint)
  const refusals: RefusalCode[] = [...schema.refusals, 'unauthorized', 'server_error', 'unavailable']
  if (method !== 'get' || schema.params || schema.querystring) refusals.push('invalid_request')
  if (permission.scope !== 'caller') refusals.push('not_found')
  if (isForWorkspaces(permission)) refusals.push('rate_limited')
  if (method !== 'get') refusals.push('forbidden')
  if (permission.fresh) refusals.push('sign_in_again')
  const isPublic = canUse('anybody', permission)
  const description = [schema.description, `Roles: ${permission.roles.join(', ')}.`].filter(Boolean).join('\n\n')
  return { ...endpoint, schema: { ...schema, description, refusals, ...(isPublic && { isPublic }) } }
}

const introduction = (
  root: string,
) => `Everything that operators and the people of workspaces do. JSON over HTTPS. Every change is recorded in the audit log.

\`\`\`sh
curl ${root}/whoami -H 'authorization: Bearer …'
\`\`\`

**Roles.** \`x-roles\` of a call lists the roles that may use it: the **operator** of the service, and of a workspace its **owner**
(credit, team, secrets), **developer** (clients, templates, webhooks) and **viewer** (read-only). Anybody else gets 404. \`x-scope\`
says what a call works on: the service, one workspace, the caller, or a person who signed in.

**Programs** send a bearer token. **People** sign in with a browser and have a cookie. If the path names no workspace, the header
\`x-workspace\` selects one. A change with a cookie needs a JSON body, at least \`{}\`, and the origin of the console. A call with
\`x-fresh\` needs a sign-in within the last ${FRESH_MINUTES} min.

**Lists** are \`{"items": […], "next": …}\`, newest first. Send \`next\` as \`cursor\` to get the next page, until it is \`null\`.

**Amounts** are decimal numbers with at most four decimals, in the currency of the workspace.

**Retries.** A top-up takes an \`Idempotency-Key\`, valid for ${IDEMPOTENCY_SECONDS / 3600} hours. After a timeout of any other POST that creates
something, check whether it exists before you repeat the call.

**Limits.** The service handles one call per workspace at a time; ${MAX_WAITING_CALLS} more can wait.`
