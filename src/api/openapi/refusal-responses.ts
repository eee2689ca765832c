// The refusals of an endpoint (§7) as responses: one per HTTP status, with every code it may carry and an example of each.
import { z } from 'zod'
import { REFUSALS, type Refusal, type RefusalCode, type RefusalDetails, refuse } from '../../domain/refusals.ts'
import { BODY_LIMIT_BYTES } from '../../http/every-answer.ts'
import { bodyOf, TOO_LARGE } from '../../http/reply.ts'
import { refTo } from './components.ts'
import { refsTo } from './headers.ts'

const country = z.string().describe('ISO 3166-1 alpha-2')

export const errorBody = z
  .object({
    error: z.string().describe('For people; it may change. Decide by `code` and the HTTP status.'),
    code: z.string().describe('For programs; it never changes.'),
    details: z
      .union([
        z
          .array(
            z.object({
              path: z.array(z.union([z.string(), z.number()])),
              message: z.string(),
              code: z.string(),
            }),
          )
          .describe('Each fault of an invalid request.'),
        z
          .object({ country, allowed: z.array(country) })
          .describe('Of `destination_not_supported`: where the number is, and where this workspace can send.'),
        z
          .object({ balance: z.number(), cost: z.number() })
          .describe(
            "Of `insufficient_balance`: what is left, and what the message costs, in the workspace's currency.",
          ),
        z
          .object({
            templateId: z.string(),
            name: z.string(),
            status: z
              .enum(['approved', 'pending', 'rejected'])
              .describe('`approved`: the nearest one. Otherwise the text matches it, but it is not approved.'),
            difference: z
              .object({
                position: z.number().int().describe('Counted from 0 in code units of UTF-16, as JavaScript does.'),
                expected: z.string(),
                found: z.string(),
              })
              .optional()
              .describe('Where the text first differs from it.'),
          })
          .describe(
            'Of `template_required` for a free text: the template that it comes nearest to, where there is one. Not given to who sends many such texts in a second.',
          ),
      ])
      .optional(),
  })
  .meta({ title: 'Error' })

/** Beside the sentence of its code, what an example of it shows. */
const EXAMPLES: Partial<Record<RefusalCode, RefusalDetails>> = {
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
}

/** §7.4 */
const WHAT_TO_DO: Record<number, string> = {
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
}

const RETRY_AFTER_STATUSES = [409, 429, 503]

type HeadersOf = (status: number) => object

/** `headersOf` gives those of any answer with this status. */
export function refusalResponses(codes: readonly RefusalCode[], headersOf: HeadersOf) {
  const inOrder = (Object.keys(REFUSALS) as RefusalCode[]).filter((code) => codes.includes(code))
  const byStatus = Map.groupBy(inOrder, (code): number => REFUSALS[code].status)
  // D28: too large is a fault of the request with a status of its own.
  if (codes.includes('invalid_request')) byStatus.set(413, ['invalid_request'])
  return Object.fromEntries([...byStatus].map(([status, some]) => [status, responseOf(status, some, headersOf)]))
}

function responseOf(status: number, codes: RefusalCode[], headersOf: HeadersOf) {
  const examples = codes.map((code) => [code, { summary: code, value: bodyOf(exampleOf(status, code)) }])
  return {
    description: [
      ...codes.map((code) => `- \`${code}\`: ${exampleOf(status, code).error}`),
      '',
      WHAT_TO_DO[status],
    ].join('\n'),
    headers: { ...headersOf(status), ...refsTo(RETRY_AFTER_STATUSES.includes(status) ? ['Retry-After'] : []) },
    content: {
      'application/json': {
        schema: { allOf: [refTo('Error'), { properties: { code: { enum: codes } } }] },
        examples: Object.fromEntries(examples),
      },
    },
  }
}

function exampleOf(status: number, code: RefusalCode): Refusal {
  if (status === 413) return refuse(code, { error: TOO_LARGE })
  return refuse(code, EXAMPLES[code])
}
