// What the v1 API says of its answers in general: the headers of each, and what a refusal shows and asks for (§7).

import type { Manner } from '../../http/openapi/refusal-responses.ts'
import { BODY_LIMIT_BYTES } from '../../http/reply.ts'
import { headersOf } from './headers.ts'

export const API_MANNER: Manner = {
  headersOf,
  examples: {
    invalid_request: {
      details: [{ path: ['to'], message: 'Must be a phone number of 7 to 15 digits', code: 'invalid_format' }],
    },
    invalid_variables: {
      details: [{ path: ['variables', 'order'], message: 'The template needs this variable', code: 'missing' }],
    },
    insufficient_balance: { details: { balance: 1.4, cost: 1.5 } },
    template_required: {
      details: {
        templateId: '0198f0a4-7c1e-7b52-9d0a-5b8e4a6f2c31',
        name: 'Order shipped',
        status: 'approved',
        difference: { position: 22, expected: "'its way.'", found: "'the way.'" },
      },
    },
    not_found: { error: 'There is no such message' },
    destination_not_supported: { details: { country: 'IN', allowed: ['NP'] } },
  },
  /** §7.4 */
  advice: {
    400: 'Mend the request; do not repeat it as it is.',
    401: 'Check the key; it may have been rotated.',
    402: 'Top up, then retry with the same `Idempotency-Key`.',
    403: 'Set up the key, the template or the workspace; do not repeat it as it is.',
    404: 'Do not repeat it.',
    409: 'Where the first request still runs, wait a second and retry. Otherwise a new message needs a new key.',
    413: `Bodies may have ${BODY_LIMIT_BYTES / 1024} KiB.`,
    422: '`details.allowed` lists where the workspace can send.',
    429: 'Wait for the seconds in `Retry-After`.',
    500: 'Retry, waiting longer each time; a POST with the same `Idempotency-Key`.',
    503: 'Nothing was charged. Retry, waiting longer each time; a POST with the same `Idempotency-Key`.',
  },
}
