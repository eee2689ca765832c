// The OpenAPI 3.1 document of the v1 API, generated from the schemas that validate its requests (§9: version 1.0.0).
import { IDEMPOTENCY_SECONDS } from '../../domain/messages/idempotency.ts'
import { DEFAULT_REQUESTS_PER_SECOND } from '../../domain/messages/limits.ts'
import { Components } from '../../http/openapi/components.ts'
import type { ApiEndpoint } from '../../http/openapi/endpoint.ts'
import { pathsOf } from '../../http/openapi/operation.ts'
import { errorBody } from '../../http/openapi/refusal-responses.ts'
import { BODY_LIMIT_BYTES } from '../../http/reply.ts'
import { API_CONVENTIONS } from './conventions.ts'
import { API_TAGS, HEADERS } from './headers.ts'
import { describeWebhooks } from './webhooks.ts'

interface DocumentOptions {
  /** Address of the service. */
  address: string
  /** The common path of all endpoints, of v1 and of the public coverage. */
  server: string
  vendor: string
}

export const API_TITLE = 'SMS and OTP API'

export function buildApiDocument(endpoints: readonly ApiEndpoint[], { address, server, vendor }: DocumentOptions) {
  const components = new Components()
  // Endpoints with a key come first.
  const inOrder = endpoints.toSorted(
    (one, other) => Number(one.schema.isPublic ?? 0) - Number(other.schema.isPublic ?? 0),
  )
  const paths = pathsOf(inOrder, { server, components, conventions: API_CONVENTIONS })
  const webhooks = describeWebhooks(components, vendor)
  components.add(errorBody, 'output')
  return {
    openapi: '3.1.0',
    info: { title: API_TITLE, version: '1.0.0', description: introduction(vendor, `${address}${server}/v1`) },
    servers: [{ url: `${address}${server}` }],
    security: [{ apiKey: [] }],
    tags: Object.entries(API_TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description: `Secret key of an API client: \`${vendor}_live_\` and 48 hexadecimal characters.`,
        },
      },
      headers: HEADERS,
      schemas: components.schemas,
    },
  }
}

function introduction(vendor: string, root: string): string {
  return `Send SMS messages and one-time passwords (OTPs), and track their delivery. JSON over HTTPS.

\`\`\`sh
curl ${root}/sms/send \\
  -H 'x-api-key: ${vendor}_live_…' -H 'content-type: application/json' \\
  -d '{"to": "+9779800000001", "text": "Your order 4711 is on its way."}'
\`\`\`

**Keys.** Send the secret key of an API client in \`x-api-key\`. A client sees only its own messages. In test mode, a client gets the
same responses, but nothing is sent or charged.

**Sending.** A 200 means that the message is stored and its cost reserved. The cost is refunded only if the final status is
\`failed\`. Free text must match an approved template of its type, unless the workspace requires no templates.

**Bodies.** JSON in UTF-8, not compressed, at most ${BODY_LIMIT_BYTES / 1024} KiB. \`null\` means the same as a missing optional field. Unknown
fields are ignored. \`details\` of an error lists every invalid field.

**Safe retries.** Send an \`Idempotency-Key\` with every POST. For ${IDEMPOTENCY_SECONDS / 3600} hours, a request with the same key and body gets the
first response again, with \`Idempotent-Replayed: true\` and without a second message or charge. Only a 200 is stored.

**Rate limit.** By default ${DEFAULT_REQUESTS_PER_SECOND} requests per second for an API client. Every request with a valid key counts, also a refused one.
A 429 has the delay in \`Retry-After\`.

**Errors.** An error has an HTTP status, a \`code\` that never changes, and an explanation that can change. A wrong OTP is not an
error: it is a 200 with \`verified: false\`.`
}
