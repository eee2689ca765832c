// Headers, error examples and advice of the v1 API for its OpenAPI document (§7).
import type { ResponseConventions } from '../../http/openapi/refusal-responses.ts'
import { BODY_LIMIT_BYTES } from '../../http/reply.ts'
import { MESSAGE_NOT_FOUND } from '../fields.ts'
import { headersOf } from './headers.ts'

export const API_CONVENTIONS: ResponseConventions = {
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
    not_found: MESSAGE_NOT_FOUND,
    destination_not_supported: { details: { country: 'IN', allowed: ['NP'] } },
  },
  /** §7.4 */
  advice: {
    400: 'Fix the request before you send it again.',
    401: 'Check the key; it may have been rotated.',
    402: 'Add credit, then retry with the same `Idempotency-Key`.',
    403: 'Change the settings of the key, the template or the workspace before you retry.',
    404: 'Do not retry.',
    409: 'With `Retry-After`, the first request is still running: wait and retry. Otherwise use a new key for a new message.',
    413: `A body has at most ${BODY_LIMIT_BYTES / 1024} KiB.`,
    422: '`details.allowed` lists the countries that the workspace can send to.',
    429: 'Retry after the `Retry-After` delay.',
    500: 'Retry with growing delays; a POST with the same `Idempotency-Key`.',
    503: 'Nothing was charged. Retry with growing delays; a POST with the same `Idempotency-Key`.',
  },
}
