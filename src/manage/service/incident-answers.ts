// The response schema and view of incidents and findings.
import { z } from 'zod'
import { fromE4 } from '../../domain/money.ts'
import { FINDING_CODES } from '../../domain/service/doctor.ts'
import {
  INCIDENT_CODES,
  type Incident,
  SEVERITIES,
  STEP_KINDS,
  SUBJECT_KINDS,
  VERDICTS,
} from '../../domain/service/incident.ts'
import { MAX_QUEUE_SECONDS } from '../../domain/service/incidents.ts'
import { MAX_PREFIXES_SHOWN } from '../../domain/service/reach.ts'
import { time } from '../../http/time.ts'
import { messageType } from '../fields.ts'

const named = z.object({ id: z.string(), name: z.string() })

export const findingAnswer = z
  .object({
    state: z.enum(['ok', 'warning', 'error']),
    code: z.enum(FINDING_CODES),
    what: z.string().describe('The finding, with a command that helps.'),
    about: named
      .extend({ kind: z.enum(['carrier', 'country', 'workspace']) })
      .nullable()
      .describe('The carrier, country or workspace of the finding.'),
  })
  .meta({ title: 'Finding' })

const numbers = z.object({
  countryCode: z.string(),
  countryName: z.string(),
  prefixes: z.array(z.string()).describe(`Up to ${MAX_PREFIXES_SHOWN} prefixes; empty for the whole country.`),
  prefixCount: z.int(),
  types: z.array(messageType).nullable().describe('null: every type.'),
})

const reaches = z
  .object({
    lost: z
      .array(
        numbers.extend({
          isWholeCountry: z.boolean().describe('Whether no working carrier serves any number of the country.'),
          isOnlyCarrier: z.boolean().describe('Whether no other carrier has a route for these numbers.'),
        }),
      )
      .describe('Numbers that no working carrier reaches.'),
    covered: z.array(numbers.extend({ carriers: z.array(named) })).describe('Numbers that other carriers still reach.'),
  })
  .describe('Numbers of a carrier that accepts nothing, by its routes to live countries.')

const impact = z.object({
  waiting: z
    .object({
      messages: z.int(),
      isEstimate: z.boolean(),
      firstExpiresAt: time.nullable().describe('When the first of these messages expires.'),
    })
    .nullable(),
  refused: z
    .object({
      requests: z.int(),
      isEstimate: z.boolean(),
      since: time.describe('First of these requests in the last hour.'),
      codes: z.array(z.object({ code: z.string(), requests: z.int() })),
    })
    .nullable()
    .describe('API requests of the last hour that were refused because of the incident.'),
  workspaces: z
    .object({ count: z.int(), first: z.array(named).describe('The first three by name.') })
    .nullable()
    .describe('Workspaces with such messages or requests.'),
})

const step = z.object({
  kind: z.enum(STEP_KINDS),
  carrierId: z.uuid().optional(),
  name: z.string().optional().describe('Name of the carrier to route to.'),
  countryCode: z.string().optional(),
  workspaceId: z.uuid().optional(),
  clientId: z.uuid().optional(),
  costDifference: z
    .object({ amount: z.number(), currency: z.string() })
    .optional()
    .describe('Per segment; negative if the other carrier is cheaper. Only if both prices are known.'),
  requested: z
    .object({ amount: z.number(), currency: z.string() })
    .optional()
    .describe('Credit that the workspace requests.'),
})

export const incidentAnswer = z
  .object({
    id: z.string().describe('The same while the incident lasts.'),
    severity: z
      .enum(SEVERITIES)
      .describe(
        '`outage`: messages or requests fail. `degraded`: slower, or without reserve. `notice`: needs attention.',
      ),
    code: z
      .enum(INCIDENT_CODES)
      .describe(
        `\`queue_late\`: a due message waits longer than ${MAX_QUEUE_SECONDS.otp} s (OTP), ${MAX_QUEUE_SECONDS.transactional} s (transactional) or ${MAX_QUEUE_SECONDS.promotional} s (promotional).`,
      ),
    what: z.string().describe('Cause, impact and next steps in one paragraph, with commands.'),
    about: named.extend({ kind: z.enum(SUBJECT_KINDS) }).nullable(),
    since: time.nullable(),
    error: z.string().nullable().describe('Last error of the carrier or endpoint, such as `ECONNREFUSED`.'),
    retryAt: time.nullable().describe('Next connection attempt or probe of the carrier.'),
    count: z
      .int()
      .nullable()
      .describe(
        'What the code counts: messages, receipts, responses, requests, events or templates; for `queue_late`, seconds.',
      ),
    connections: z.object({ bound: z.int(), total: z.int() }).nullable(),
    reaches: reaches.nullable(),
    impact,
    next: z.array(step).describe('What to do, in order.'),
  })
  .meta({ title: 'Incident' })

export const verdictAnswer = z.enum(VERDICTS).describe('Worst severity of the incidents; a `notice` does not count.')

export function incidentView({ next, ...incident }: Incident & { what: string }): z.input<typeof incidentAnswer> {
  return {
    ...incident,
    next: next.map(({ costDifference, requested, ...rest }) => ({
      ...rest,
      ...(costDifference && { costDifference: moneyView(costDifference) }),
      ...(requested && { requested: moneyView(requested) }),
    })),
  }
}

function moneyView({ amountE4, currency }: { amountE4: number; currency: string }) {
  return { amount: fromE4(amountE4), currency }
}
