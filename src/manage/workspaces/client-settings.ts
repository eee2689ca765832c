// The settings of API clients, as request bodies and as stored.
import { z } from 'zod'
import { DEFAULT_REQUESTS_PER_SECOND } from '../../domain/messages/limits.ts'
import {
  type ClientRestrictions,
  type Restrictions,
  restrict,
  UNRESTRICTED,
} from '../../domain/messages/restrictions.ts'
import { parseNetwork } from '../../domain/network.ts'
import type { IsAllowedAddress } from '../../domain/outbound-address.ts'
import type { Actor } from '../../domain/people/actor.ts'
import { Refusal, refuseField } from '../../domain/refusals.ts'
import { isGsm7 } from '../../domain/text-encoding.ts'
import { validateWebhookUrl } from '../../domain/webhooks/webhook-url.ts'
import type { Client, ClientSettings } from '../../store/workspaces/clients.ts'
import { applyPatch, line, messageTypes } from '../fields.ts'

const network = z
  .string()
  .refine((text) => parseNetwork(text) !== null, 'Must be an address or a network such as 203.0.113.0/24')
const cap = (largest: number) => z.number().int().min(0).max(largest).nullable()

export const MAX_PREFIXES = 1000
export const prefix = z.string().regex(/^\+\d{1,15}$/, 'Must be the beginning of an E.164 number, such as +97798')
const prefixes = z.array(prefix).max(MAX_PREFIXES)

export const pumpingGuard = z.enum(['off', 'monitor', 'block'])

// D43: the limits bound the work per request: each request checks the lists, and each send reads up to the hourly cap of messages.
const restrictions = z.strictObject({
  types: messageTypes.nullable().optional().describe('Allowed message types.'),
  ipAllowlist: z.array(network).max(100).nullable().optional().describe('Allowed IP addresses or networks.'),
  numberPrefixes: prefixes.nullable().optional().describe('Allowed number prefixes, such as +97798.'),
  dailyCap: cap(1_000_000_000).optional().describe('Daily limit of messages.'),
  hourlyCapPerNumber: cap(1000).optional().describe('Hourly limit of messages per number.'),
  pumpingGuard: pumpingGuard.optional().describe('Fraud guard: monitor logs only. Default: monitor.'),
  pumpingAllowlist: prefixes.nullable().optional().describe('Number prefixes that the fraud guard allows.'),
})

const fields = {
  name: line(100).describe('Name of the client.'),
  // §2.2
  brandName: line(30)
    .refine(isGsm7, 'Must consist of GSM-7 characters')
    .describe('Shown at the start of OTP messages.'),
  defaultSender: line(100).describe('Sender of messages. Default: the brand name.'),
  webhookUrl: z.string().nullable().describe('Webhook endpoint, https://….'),
  requestsPerSecond: z
    .number()
    .int()
    .min(1)
    .max(100_000)
    .describe(`Rate limit, set by the operator. Default: ${DEFAULT_REQUESTS_PER_SECOND}.`),
  testOtpCode: z
    .string()
    .regex(/^\d{6}$/, 'Must be six digits')
    .nullable()
    .describe('OTP that a test client always gets, six digits.'),
  restrictions,
}

export const newClient = z
  .strictObject({
    ...fields,
    mode: z.enum(['live', 'test']).default('live').describe('A test client sends and pays nothing.'),
    defaultSender: fields.defaultSender.optional(),
    webhookUrl: fields.webhookUrl.default(null),
    requestsPerSecond: fields.requestsPerSecond.optional(),
    testOtpCode: fields.testOtpCode.default(null),
    restrictions: restrictions.default({}),
  })
  .meta({ title: 'NewClient' })
export const clientPatch = z.strictObject(fields).partial().meta({ title: 'ClientChange' })

export function checkClientBody(
  body: Partial<Pick<z.infer<typeof newClient>, 'requestsPerSecond' | 'testOtpCode'>>,
  { mode, actor }: { mode: 'live' | 'test'; actor: Actor },
): Refusal | null {
  if (body.requestsPerSecond !== undefined && actor.kind !== 'operator') {
    return refuseField('requestsPerSecond', 'Only the operator can set it; remove it')
  }
  if (body.testOtpCode && mode === 'live')
    return refuseField('testOtpCode', 'Is only for clients in test mode; remove it')
  return null
}

/** D31: refuses a URL that can never work, and returns its canonical form. */
export function checkWebhookUrl(webhookUrl: string | null, isAllowed: IsAllowedAddress): string | null | Refusal {
  if (webhookUrl === null) return null
  const verdict = validateWebhookUrl(webhookUrl, isAllowed)
  return verdict.kind === 'accepted' ? verdict.url : refuseField('webhookUrl', `The webhook URL ${verdict.why}`)
}

export function newClientSettings(
  { restrictions: change, ...rest }: Omit<z.infer<typeof newClient>, 'mode' | 'testOtpCode'>,
  actor: Actor,
): Omit<ClientSettings, 'testOtpCodeSealed'> | Refusal {
  const restricted = restrict({ restrictions: UNRESTRICTED, setByOperator: {} }, change, actor)
  if (restricted instanceof Refusal) return restricted
  return {
    ...rest,
    defaultSender: rest.defaultSender ?? rest.brandName,
    requestsPerSecond: rest.requestsPerSecond ?? DEFAULT_REQUESTS_PER_SECOND,
    ...columnsOf(restricted),
  }
}

export function applyClientPatch(
  client: Client,
  patch: z.infer<typeof clientPatch>,
  actor: Actor,
): (ClientSettings & { testOtpCode?: string | null }) | Refusal {
  const { setByOperator } = client
  const restricted = restrict(
    { restrictions: clientRestrictions(client), setByOperator },
    patch.restrictions ?? {},
    actor,
  )
  if (restricted instanceof Refusal) return restricted
  const { name, brandName, defaultSender, webhookUrl, requestsPerSecond, testOtpCodeSealed } = client
  const { restrictions: _, testOtpCode, ...rest } = patch
  return {
    ...applyPatch({ name, brandName, defaultSender, webhookUrl, requestsPerSecond }, rest),
    testOtpCodeSealed,
    ...(testOtpCode === undefined ? {} : { testOtpCode }),
    ...columnsOf(restricted),
  }
}

/** Restrictions as columns. */
function columnsOf({ restrictions: it, setByOperator }: ClientRestrictions) {
  const { dailyCap, hourlyCapPerNumber, pumpingGuard, pumpingAllowlist } = it
  const lists = { onlyTypes: it.types, onlyNetworks: it.ipAllowlist, onlyPrefixes: it.numberPrefixes }
  return { ...lists, dailyCap, hourlyCapPerNumber, pumpingGuard, pumpingAllowlist, setByOperator }
}

/** Restrictions as the API shows them. */
export function clientRestrictions(client: Client): Restrictions {
  const { dailyCap, hourlyCapPerNumber, pumpingGuard, pumpingAllowlist } = client
  const lists = { types: client.onlyTypes, ipAllowlist: client.onlyNetworks, numberPrefixes: client.onlyPrefixes }
  return { ...lists, dailyCap, hourlyCapPerNumber, pumpingGuard, pumpingAllowlist }
}
