// Error responses of an endpoint (§7) for the OpenAPI document: one per HTTP status, with its codes and an example of each.
import { z } from 'zod'
import { REFUSALS, type Refusal, type RefusalCode, type RefusalDetails, refuse } from '../../domain/refusals.ts'
import { errorBodyOf, TOO_LARGE } from '../reply.ts'
import { refTo } from './components.ts'
import type { ApiEndpoint } from './endpoint.ts'
import { type HeaderRefs, refsTo } from './headers.ts'

const country = z.string().describe('ISO 3166-1 alpha-2')

export const errorBody = z
  .object({
    error: z.string().describe('Explanation for people. It can change: use `code` and the HTTP status in programs.'),
    code: z.string().describe('Error code for programs. It never changes.'),
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
          .describe('The invalid fields of the request.'),
        z
          .object({ country, allowed: z.array(country) })
          .describe('For `destination_not_supported`: the country of the number, and the allowed countries.'),
        z
          .object({ balance: z.number(), cost: z.number() })
          .describe("For `insufficient_balance`: the balance and the cost, in the workspace's currency."),
        z
          .object({
            templateId: z.string(),
            name: z.string(),
            status: z
              .enum(['approved', 'pending', 'rejected'])
              .describe(
                '`approved`: the closest template. Otherwise the text matches a template that is not approved.',
              ),
            difference: z
              .object({
                position: z.number().int().describe('Position in UTF-16 code units, from 0.'),
                expected: z.string(),
                found: z.string(),
              })
              .optional()
              .describe('The first difference between the text and the template.'),
          })
          .describe(
            'For `template_required` with free text: the closest template, if there is one. Omitted for clients that send many of these texts per second.',
          ),
      ])
      .optional(),
  })
  .meta({ title: 'Error' })

/** What all responses of one API have in common. */
export interface ResponseConventions {
  /** Headers of a response with this status, beside the headers of both APIs. */
  headersOf: (endpoint: ApiEndpoint, status: number) => HeaderRefs
  /** Details of the example of an error. */
  examples: Partial<Record<RefusalCode, RefusalDetails>>
  /** What to do about an error, by HTTP status. */
  advice: Record<number, string>
  /** OpenAPI extensions (x-…) of an endpoint. */
  extensionsOf?: (endpoint: ApiEndpoint) => Record<`x-${string}`, unknown>
}

const RETRY_AFTER_STATUSES = [409, 429, 503]

export function refusalResponses(endpoint: ApiEndpoint, conventions: ResponseConventions) {
  const codes = endpoint.schema.refusals
  const inOrder = (Object.keys(REFUSALS) as RefusalCode[]).filter((code) => codes.includes(code))
  const byStatus = Map.groupBy(inOrder, (code): number => REFUSALS[code].status)
  // D28: a body that is too large is an `invalid_request` with status 413. A GET has no body.
  if (endpoint.method !== 'get' && codes.includes('invalid_request')) byStatus.set(413, ['invalid_request'])
  const responses = [...byStatus].map(([status, some]) => [status, responseOf(status, some, { endpoint, conventions })])
  return Object.fromEntries(responses)
}

function responseOf(
  status: number,
  codes: RefusalCode[],
  { endpoint, conventions }: { endpoint: ApiEndpoint; conventions: ResponseConventions },
) {
  const exampleOf = (code: RefusalCode): Refusal =>
    refuse(code, status === 413 ? { error: TOO_LARGE } : conventions.examples[code])
  const examples = codes.map((code) => [code, { summary: code, value: errorBodyOf(exampleOf(code)) }])
  return {
    description: [
      ...codes.map((code) => `- \`${code}\`: ${exampleOf(code).error}`),
      '',
      conventions.advice[status],
    ].join('\n'),
    headers: {
      ...refsTo(['x-request-id']),
      ...conventions.headersOf(endpoint, status),
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
