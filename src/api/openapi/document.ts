// The OpenAPI 3.1 document of the v1 API, made from the very schemas that judge its requests (§9: version 1.0.0).
import { IDEMPOTENCY_SECONDS } from '../../domain/messages/idempotency.ts'
import { DEFAULT_REQUESTS_PER_SECOND } from '../../domain/messages/limits.ts'
import { Components } from '../../http/openapi/components.ts'
import type { Endpoint } from '../../http/openapi/endpoint.ts'
import { pathsOf } from '../../http/openapi/operation.ts'
import { errorBody } from '../../http/openapi/refusal-responses.ts'
import { BODY_LIMIT_BYTES } from '../../http/reply.ts'
import { API_TAGS, HEADERS } from './headers.ts'
import { API_MANNER } from './manner.ts'
import { describeWebhooks } from './webhooks.ts'

interface DocumentOptions {
  /** Where the service is. */
  address: string
  /** Where all endpoints begin, those of v1 and the public one. */
  server: string
  vendor: string
}

export const API_TITLE = 'SMS and OTP API'

export function buildApiDocument(endpoints: readonly Endpoint[], { address, server, vendor }: DocumentOptions) {
  const components = new Components()
  // What needs a key stands before what needs none.
  const inOrder = endpoints.toSorted(
    (one, other) => Number(one.schema.isPublic ?? 0) - Number(other.schema.isPublic ?? 0),
  )
  const paths = pathsOf(inOrder, { server, components, manner: API_MANNER })
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
          description: `The secret key of an API client: \`${vendor}_live_\` and 48 hexadecimal characters.`,
        },
      },
      headers: HEADERS,
      schemas: components.schemas,
    },
  }
}

function introduction(vendor: string, root: string): string {
  return `Send SMS messages and one-time passwords, and follow each of them to the handset. JSON over HTTPS.

\`\`\`sh
curl ${root}/sms/send \\
  -H 'x-api-key: ${vendor}_live_…' -H 'content-type: application/json' \\
  -d '{"to": "+9779800000001", "text": "Your order 4711 is on its way."}'
\`\`\`

**Keys.** Every request carries the secret key of an API client in \`x-api-key\`. A key sees only the messages it sent. A key in
test mode gets the same answers, but nothing is sent and nothing is charged.

**Sending.** A 200 means that the message is stored and its cost reserved; delivery follows. The cost is given back only when
the message ends as \`failed\`. Free text must match an approved template of its type, unless the workspace needs none.

**Bodies.** JSON in UTF-8, not compressed, of at most ${BODY_LIMIT_BYTES / 1024} KiB. \`null\` for an optional field says the same as leaving
it out, and unknown fields are ignored. \`details\` of a refusal lists every fault at once.

**Safe retries.** Give every POST an \`Idempotency-Key\` of your own. For ${IDEMPOTENCY_SECONDS / 3600} hours, a repetition with the same body gets the
first answer again, marked \`Idempotent-Replayed: true\`, without a second message or charge, also while the workspace is suspended.
Only a 200 is remembered.

**Limits.** ${DEFAULT_REQUESTS_PER_SECOND} requests per second for an API client, unless agreed otherwise; every request with a valid key
counts, also one that is refused. 429 says in \`Retry-After\` how long to wait.

**Errors.** Each has an HTTP status, a \`code\` that never changes, and a sentence for people that may. A wrong one-time code is
not an error: it is a 200 with \`verified: false\`.`
}
