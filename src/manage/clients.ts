// API clients over HTTP; the two secrets appear in the answer that made them and nowhere else (§5.1).

import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import {
  changeClient,
  createClient,
  disableClient,
  enableClient,
  rotateApiKey,
  rotateWebhookSecret,
} from '../actions/manage-clients.ts'
import type { Ports } from '../actions/ports.ts'
import { type Actor, onlyWorkspace } from '../domain/actor.ts'
import { USUAL_REQUESTS_PER_SECOND } from '../domain/limits.ts'
import { parseNetwork } from '../domain/network.ts'
import { type IsAllowedAddress, judgeReceiverUrl } from '../domain/receiver-url.ts'
import { Refusal, refuse, refuseField } from '../domain/refusals.ts'
import { type Restricted, type Restrictions, restrict, UNRESTRICTED } from '../domain/restrictions.ts'
import { isGsm7 } from '../domain/text-encoding.ts'
import { respond, sendRefusal } from '../http/reply.ts'
import type { ZodTypeProvider } from '../http/validation.ts'
import { type Client, type ClientSettings, findClient, listClients } from '../store/clients.ts'
import { listHolds } from '../store/pumping.ts'
import { callerOf, dbOf, findAskedWorkspace } from './authenticate.ts'
import { byId, line, messageTypes, pageFrom, pageOf, paging } from './fields.ts'

const network = z
  .string()
  .refine((text) => parseNetwork(text) !== null, 'Must be an address or a network such as 203.0.113.0/24')
const cap = (largest: number) => z.number().int().min(0).max(largest).nullable()

const prefixes = z
  .array(z.string().regex(/^\+\d{1,15}$/, 'Must be the beginning of an E.164 number, such as +97798'))
  .max(1000)

// D43: every call is judged by these, and every send to a number with an hourly cap looks at as many of those before it.
const restrictions = z.strictObject({
  types: messageTypes.nullable().optional(),
  ipAllowlist: z.array(network).max(100).nullable().optional(),
  numberPrefixes: prefixes.nullable().optional(),
  dailyCap: cap(1_000_000_000).optional(),
  hourlyCapPerNumber: cap(1000).optional(),
  pumpingGuard: z.enum(['off', 'monitor', 'block']).optional(),
  pumpingAllowlist: prefixes.nullable().optional(),
})

const fields = {
  name: line(100),
  // §2.2
  brandName: line(30).refine(isGsm7, 'Must consist of GSM-7 characters'),
  defaultSender: line(100),
  webhookUrl: z.string().nullable(),
  requestsPerSecond: z.number().int().min(1).max(100_000),
  testOtpCode: z
    .string()
    .regex(/^\d{6}$/, 'Must be six digits')
    .nullable(),
  restrictions,
}

const newClient = z.strictObject({
  ...fields,
  mode: z.enum(['live', 'test']).default('live'),
  defaultSender: fields.defaultSender.optional(),
  webhookUrl: fields.webhookUrl.default(null),
  requestsPerSecond: fields.requestsPerSecond.optional(),
  testOtpCode: fields.testOtpCode.default(null),
  restrictions: restrictions.default({}),
})
const clientPatch = z.strictObject(fields).partial()
const grace = z.strictObject({ graceHours: z.number().int().min(0).max(168).default(24) })

const MOST_HOLDS = 1000

export function mountClients(server: FastifyInstance, ports: Ports, isAllowedReceiver: IsAllowedAddress): void {
  const app = server.withTypeProvider<ZodTypeProvider>()
  const forOwners = { config: { owner: true } }

  app.post(
    '/workspaces/:id/clients',
    { ...forOwners, schema: { params: byId, body: newClient } },
    async (request, reply) => {
      const { mode, testOtpCode, ...body } = request.body
      const caller = callerOf(request)
      const refusal = judgeBody({ ...body, testOtpCode }, { mode, actor: caller.actor })
      if (refusal) return sendRefusal(reply, refusal)
      const webhookUrl = judgeUrl(body.webhookUrl, isAllowedReceiver)
      if (webhookUrl instanceof Refusal) return sendRefusal(reply, webhookUrl)
      const settings = settingsOf({ ...body, webhookUrl }, caller.actor)
      if (settings instanceof Refusal) return sendRefusal(reply, settings)
      const result = await createClient(ports, caller, {
        workspaceId: request.params.id,
        mode,
        settings,
        testOtpCode,
      })
      const view = ({ client, apiKey, webhookSecret }: Exclude<typeof result, Refusal>) => ({
        ...viewOf(client),
        apiKey,
        webhookSecret,
      })
      return respond(reply, result, { status: 201, view })
    },
  )

  app.get(
    '/workspaces/:id/clients',
    { ...forOwners, schema: { params: byId, querystring: paging } },
    async (request, reply) => {
      const workspace = await findAskedWorkspace(ports, request)
      if (!workspace) return sendRefusal(reply, refuse('not_found'))
      const clients = await listClients(dbOf(ports, request), { workspaceId: workspace.id, ...pageFrom(request.query) })
      return pageOf(clients, request.query.limit, viewOf)
    },
  )

  app.get('/clients/:id', { ...forOwners, schema: { params: byId } }, async (request, reply) => {
    const within = onlyWorkspace(callerOf(request).actor)
    const client = (await findClient(dbOf(ports, request), { id: request.params.id, within })) ?? refuse('not_found')
    return respond(reply, client, { view: viewOf })
  })

  app.patch('/clients/:id', { ...forOwners, schema: { params: byId, body: clientPatch } }, async (request, reply) => {
    const caller = callerOf(request)
    const webhookUrl = judgeUrl(request.body.webhookUrl ?? null, isAllowedReceiver)
    if (webhookUrl instanceof Refusal) return sendRefusal(reply, webhookUrl)
    const patch = request.body.webhookUrl === undefined ? request.body : { ...request.body, webhookUrl }
    const change = (client: Client) =>
      judgeBody(patch, { mode: client.mode, actor: caller.actor }) ?? patched(client, patch, caller.actor)
    return respond(reply, await changeClient(ports, caller, { id: request.params.id, change }), {
      view: viewOf,
    })
  })

  // D33: what the pumping guard has seen, and why, in a sentence.
  app.get('/clients/:id/pumping-holds', { ...forOwners, schema: { params: byId } }, async (request, reply) => {
    const within = onlyWorkspace(callerOf(request).actor)
    const client = await findClient(dbOf(ports, request), { id: request.params.id, within })
    if (!client) return sendRefusal(reply, refuse('not_found'))
    return { items: await listHolds(dbOf(ports, request), { clientId: client.id, limit: MOST_HOLDS }), next: null }
  })

  app.post('/clients/:id/rotate-key', { ...forOwners, schema: { params: byId } }, async (request, reply) => {
    const result = await rotateApiKey(ports, callerOf(request), request.params.id)
    return respond(reply, result, { view: ({ client, apiKey }) => ({ ...viewOf(client), apiKey }) })
  })

  app.post(
    '/clients/:id/rotate-webhook-secret',
    { ...forOwners, schema: { params: byId, body: grace.nullish() } },
    async (request, reply) => {
      const graceHours = request.body?.graceHours ?? 24
      const result = await rotateWebhookSecret(ports, callerOf(request), {
        id: request.params.id,
        graceHours,
      })
      return respond(reply, result, { view: ({ client, webhookSecret }) => ({ ...viewOf(client), webhookSecret }) })
    },
  )

  app.post('/clients/:id/disable', { ...forOwners, schema: { params: byId } }, async (request, reply) =>
    respond(reply, await disableClient(ports, callerOf(request), request.params.id), { view: viewOf }),
  )

  app.post('/clients/:id/enable', { ...forOwners, schema: { params: byId } }, async (request, reply) =>
    respond(reply, await enableClient(ports, callerOf(request), request.params.id), { view: viewOf }),
  )
}

function judgeBody(
  body: Partial<Pick<z.infer<typeof newClient>, 'requestsPerSecond' | 'testOtpCode'>>,
  { mode, actor }: { mode: 'live' | 'test'; actor: Actor },
): Refusal | null {
  if (body.requestsPerSecond !== undefined && actor.kind === 'owner') {
    return refuseField('requestsPerSecond', 'Only the operator may set it')
  }
  if (body.testOtpCode && mode === 'live') return refuseField('testOtpCode', 'Only a client in test mode has one')
  return null
}

/** D31: refused when it could only ever fail; the canonical form is what is kept. */
function judgeUrl(webhookUrl: string | null, isAllowed: IsAllowedAddress): string | null | Refusal {
  if (webhookUrl === null) return null
  const verdict = judgeReceiverUrl(webhookUrl, isAllowed)
  return verdict.kind === 'accepted' ? verdict.url : refuseField('webhookUrl', `The webhook URL ${verdict.why}`)
}

function settingsOf(
  { restrictions: change, ...rest }: Omit<z.infer<typeof newClient>, 'mode' | 'testOtpCode'>,
  actor: Actor,
): Omit<ClientSettings, 'testOtpCodeSealed'> | Refusal {
  const restricted = restrict({ restrictions: UNRESTRICTED, setByOperator: {} }, change, actor)
  if (restricted instanceof Refusal) return restricted
  return {
    ...rest,
    defaultSender: rest.defaultSender ?? rest.brandName,
    requestsPerSecond: rest.requestsPerSecond ?? USUAL_REQUESTS_PER_SECOND,
    ...columnsOf(restricted),
  }
}

function patched(
  client: Client,
  patch: z.infer<typeof clientPatch>,
  actor: Actor,
): (ClientSettings & { testOtpCode?: string | null }) | Refusal {
  const { setByOperator } = client
  const restricted = restrict({ restrictions: restrictionsOf(client), setByOperator }, patch.restrictions ?? {}, actor)
  if (restricted instanceof Refusal) return restricted
  return {
    name: patch.name ?? client.name,
    brandName: patch.brandName ?? client.brandName,
    defaultSender: patch.defaultSender ?? client.defaultSender,
    webhookUrl: patch.webhookUrl === undefined ? client.webhookUrl : patch.webhookUrl,
    requestsPerSecond: patch.requestsPerSecond ?? client.requestsPerSecond,
    testOtpCodeSealed: client.testOtpCodeSealed,
    ...(patch.testOtpCode === undefined ? {} : { testOtpCode: patch.testOtpCode }),
    ...columnsOf(restricted),
  }
}

/** Restrictions as they are kept. */
function columnsOf({ restrictions: it, setByOperator }: Restricted) {
  const { dailyCap, hourlyCapPerNumber, pumpingGuard, pumpingAllowlist } = it
  const lists = { onlyTypes: it.types, onlyNetworks: it.ipAllowlist, onlyPrefixes: it.numberPrefixes }
  return { ...lists, dailyCap, hourlyCapPerNumber, pumpingGuard, pumpingAllowlist, setByOperator }
}

/** Restrictions as they are shown. */
function restrictionsOf(client: Client): Restrictions {
  const { dailyCap, hourlyCapPerNumber, pumpingGuard, pumpingAllowlist } = client
  const lists = { types: client.onlyTypes, ipAllowlist: client.onlyNetworks, numberPrefixes: client.onlyPrefixes }
  return { ...lists, dailyCap, hourlyCapPerNumber, pumpingGuard, pumpingAllowlist }
}

function viewOf(client: Client) {
  const { id, workspaceId, name, brandName, mode, defaultSender, webhookUrl, requestsPerSecond } = client
  return {
    id,
    workspaceId,
    name,
    brandName,
    mode,
    defaultSender,
    webhookUrl,
    requestsPerSecond,
    keyPrefix: client.apiKeyPrefix,
    hasTestOtpCode: client.testOtpCodeSealed !== null,
    disabledAt: client.disabledAt,
    disabledBy: client.disabledBy,
    previousWebhookSecretEndsAt: client.previousWebhookSecretEndsAt,
    restrictions: restrictionsOf(client),
    setByOperator: client.setByOperator,
    createdAt: client.createdAt,
    updatedAt: client.updatedAt,
  }
}
