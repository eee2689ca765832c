// The refusals of an endpoint (§7) as responses: one per HTTP status, with every code it may carry and an example of each.
import { z } from 'zod'
import { REFUSALS, type Refusal, type RefusalCode, type RefusalDetails, refuse } from '../../domain/refusals.ts'
import { errorBodyOf, TOO_LARGE } from '../reply.ts'
import { refTo } from './components.ts'
import type { Endpoint } from './endpoint.ts'
import { type HeaderRefs, refsTo } from './headers.ts'

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

/** What an API says of its answers in general, beside what each endpoint says of its own. */
export interface Manner {
  /** Those that any answer of the endpoint with this status carries, beside the ones of every API. */
  headersOf: (endpoint: Endpoint, status: number) => HeaderRefs
  /** Beside the sentence of its code, what an example of a refusal shows. */
  examples: Partial<Record<RefusalCode, RefusalDetails>>
  /** What to do about a refusal, by HTTP status. */
  advice: Record<number, string>
  /** What the document tells of an endpoint in words of its own (x-…). */
  extensionsOf?: (endpoint: Endpoint) => Record<`x-${string}`, unknown>
}

const RETRY_AFTER_STATUSES = [409, 429, 503]

export function refusalResponses(endpoint: Endpoint, manner: Manner) {
  const codes = endpoint.schema.refusals
  const inOrder = (Object.keys(REFUSALS) as RefusalCode[]).filter((code) => codes.includes(code))
  const byStatus = Map.groupBy(inOrder, (code): number => REFUSALS[code].status)
  // D28: too large is a fault of the request with a status of its own; of a GET no body is read.
  if (endpoint.method !== 'get' && codes.includes('invalid_request')) byStatus.set(413, ['invalid_request'])
  const responses = [...byStatus].map(([status, some]) => [status, responseOf(status, some, { endpoint, manner })])
  return Object.fromEntries(responses)
}

function responseOf(
  status: number,
  codes: RefusalCode[],
  { endpoint, manner }: { endpoint: Endpoint; manner: Manner },
) {
  const exampleOf = (code: RefusalCode): Refusal =>
    refuse(code, status === 413 ? { error: TOO_LARGE } : manner.examples[code])
  const examples = codes.map((code) => [code, { summary: code, value: errorBodyOf(exampleOf(code)) }])
  return {
    description: [...codes.map((code) => `- \`${code}\`: ${exampleOf(code).error}`), '', manner.advice[status]].join(
      '\n',
    ),
    headers: {
      ...refsTo(['x-request-id']),
      ...manner.headersOf(endpoint, status),
      ...refsTo(RETRY_AFTER_STATUSES.includes(status) ? ['Retry-After'] : []),
    },
    content: {
      'application/json': {
        schema: { allOf: [refTo('Error'), { properties: { code: { enum: codes } } }] },
        examples: Object.fromEntries(examples),
      },
    },
  }
}
