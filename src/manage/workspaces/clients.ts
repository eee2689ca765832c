// API clients. Their secrets are only in the response that creates them (§5.1).
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import { rotateApiKey } from '../../actions/workspaces/manage-client-keys.ts'
import {
  changeClient,
  createClient,
  disableClient,
  enableClient,
  rotateWebhookSecret,
} from '../../actions/workspaces/manage-clients.ts'
import type { IsAllowedAddress } from '../../domain/outbound-address.ts'
import type { Manager } from '../../domain/people/actor.ts'
import { shownPrefix, shownUrl } from '../../domain/people/masking.ts'
import { Refusal } from '../../domain/refusals.ts'
import { respond, sendRefusal } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import { listHolds } from '../../store/codes/pumping.ts'
import { type Client, listClients } from '../../store/workspaces/clients.ts'
import { callerOf, dbOf, loadClient, loadWorkspace } from '../authenticate.ts'
import { DEVELOPERS, endpointsOf, fresh, OWNERS, VIEWERS } from '../endpoint.ts'
import { byId, listOf, messageType, pageFrom, pageOf, paging, wholeListOf } from '../fields.ts'
import { clientKey, keyView, mountClientKeys } from './client-keys.ts'
import {
  applyClientPatch,
  checkClientBody,
  checkWebhookUrl,
  clientPatch,
  clientRestrictions,
  newClient,
  newClientSettings,
  pumpingGuard,
} from './client-settings.ts'

const grace = z
  .strictObject({
    graceHours: z
      .number()
      .int()
      .min(0)
      .max(168)
      .default(24)
      .describe('How long webhooks are also signed with the old secret, in hours.'),
  })
  .nullish()
  .meta({ title: 'SecretRotation', description: 'How long the old secret stays valid.' })

const MAX_FRAUD_EVENTS = 1000

const restrictionsAnswer = z
  .object({
    types: z.array(messageType).nullable(),
    ipAllowlist: z.array(z.string()).nullable(),
    numberPrefixes: z.array(z.string()).nullable(),
    dailyCap: z.int().nullable(),
    hourlyCapPerNumber: z.int().nullable(),
    pumpingGuard,
    pumpingAllowlist: z.array(z.string()).nullable(),
  })
  .meta({ title: 'Restrictions' })

const clientAnswer = z
  .object({
    id: z.uuid(),
    workspaceId: z.uuid(),
    name: z.string(),
    brandName: z.string(),
    mode: z.enum(['live', 'test']),
    defaultSender: z.string(),
    webhookUrl: z.string().nullable().describe('Viewers see only scheme and host.'),
    requestsPerSecond: z.int(),
    keyPrefix: z.string().describe('First characters of the newest API key.'),
    keys: z.array(clientKey).describe('The active API keys, newest first.'),
    hasTestOtpCode: z.boolean(),
    disabledAt: time.nullable(),
    disabledBy: z.enum(['operator', 'owner']).nullable(),
    previousWebhookSecretEndsAt: time.nullable(),
    restrictions: restrictionsAnswer,
    setByOperator: restrictionsAnswer.partial().meta({
      title: 'OperatorRestrictions',
      description: 'Restrictions set by the operator. An owner can only make them stricter.',
    }),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ title: 'Client' })

// §5.1: each is shown once.
const apiKey = z.string().describe('Shown once.')
const webhookSecret = z.string().describe('Shown once.')
const madeAnswer = clientAnswer.extend({ apiKey, webhookSecret }).meta({ title: 'ClientWithSecrets' })
const withKeyAnswer = clientAnswer.extend({ apiKey }).meta({ title: 'ClientWithApiKey' })
const withSecretAnswer = clientAnswer.extend({ webhookSecret }).meta({ title: 'ClientWithWebhookSecret' })

const fraudEventAnswer = z
  .object({
    scope: z.string().describe('Prefix of the blocked numbers.'),
    rule: z.string(),
    reason: z.string().describe('Explanation.'),
    mode: z.enum(['monitor', 'block']).describe('Mode of the guard at that time.'),
    strikes: z.int(),
    struckAt: time,
    heldUntil: time,
  })
  .meta({ title: 'ClientFraudEvent' })

const endpoint = endpointsOf('Clients')
const calls = {
  create: endpoint(fresh(DEVELOPERS), {
    operationId: 'createClient',
    summary: 'Create a client',
    description: 'The API key and the webhook secret are shown once.',
    params: byId,
    body: newClient,
    response: { 201: madeAnswer },
    refusals: ['conflict'],
  }),
  list: endpoint(VIEWERS, {
    operationId: 'listClients',
    summary: 'List clients',
    params: byId,
    querystring: paging,
    response: { 200: listOf(clientAnswer) },
  }),
  read: endpoint(VIEWERS, {
    operationId: 'getClient',
    summary: 'Get a client',
    params: byId,
    response: { 200: clientAnswer },
  }),
  change: endpoint(DEVELOPERS, {
    operationId: 'changeClient',
    summary: 'Update a client',
    params: byId,
    body: clientPatch,
    response: { 200: clientAnswer },
    refusals: ['conflict'],
  }),
  fraudEvents: endpoint(VIEWERS, {
    operationId: 'listClientFraudEvents',
    summary: 'List fraud events of a client',
    description: `Events of the fraud guard in the last day, up to ${MAX_FRAUD_EVENTS}.`,
    params: byId,
    response: { 200: wholeListOf(fraudEventAnswer) },
  }),
  rotateKey: endpoint(fresh(OWNERS), {
    operationId: 'rotateApiKey',
    summary: 'Rotate the API key',
    description: 'All old keys stop working immediately. The new key is shown once.',
    params: byId,
    response: { 200: withKeyAnswer },
  }),
  rotateSecret: endpoint(fresh(OWNERS), {
    operationId: 'rotateWebhookSecret',
    summary: 'Rotate the webhook secret',
    description: 'The new secret is shown once.',
    params: byId,
    body: grace,
    response: { 200: withSecretAnswer },
  }),
  disable: endpoint(DEVELOPERS, {
    operationId: 'disableClient',
    summary: 'Disable a client',
    params: byId,
    response: { 200: clientAnswer },
  }),
  enable: endpoint(DEVELOPERS, {
    operationId: 'enableClient',
    summary: 'Enable a client',
    description: 'Only the operator can enable a client that the operator disabled.',
    params: byId,
    response: { 200: clientAnswer },
    refusals: ['conflict'],
  }),
}

export function mountClients(app: TypedServer, ports: Ports, isAllowedEndpoint: IsAllowedAddress): void {
  app.post('/workspaces/:id/clients', calls.create, async (request, reply) => {
    const { mode, testOtpCode, ...body } = request.body
    const caller = callerOf(request)
    const refusal = checkClientBody({ ...body, testOtpCode }, { mode, actor: caller.actor })
    if (refusal) return sendRefusal(reply, refusal)
    const webhookUrl = checkWebhookUrl(body.webhookUrl, isAllowedEndpoint)
    if (webhookUrl instanceof Refusal) return sendRefusal(reply, webhookUrl)
    const settings = newClientSettings({ ...body, webhookUrl }, caller.actor)
    if (settings instanceof Refusal) return sendRefusal(reply, settings)
    const result = await createClient(ports, caller, {
      workspaceId: request.params.id,
      mode,
      settings,
      testOtpCode,
    })
    const view = ({ client, apiKey, webhookSecret }: Exclude<typeof result, Refusal>) => ({
      ...clientView(client),
      apiKey,
      webhookSecret,
    })
    return respond(reply, result, { status: 201, view })
  })

  app.get('/workspaces/:id/clients', calls.list, async (request) => {
    const workspace = await loadWorkspace(ports, request)
    const clients = await listClients(dbOf(ports, request), { workspaceId: workspace.id, ...pageFrom(request.query) })
    return pageOf(clients, request.query.limit, (client) => shownTo(callerOf(request).actor, client))
  })

  app.get('/clients/:id', calls.read, async (request) =>
    shownTo(callerOf(request).actor, await loadClient(ports, request)),
  )

  app.patch('/clients/:id', calls.change, async (request, reply) => {
    const caller = callerOf(request)
    const webhookUrl = checkWebhookUrl(request.body.webhookUrl ?? null, isAllowedEndpoint)
    if (webhookUrl instanceof Refusal) return sendRefusal(reply, webhookUrl)
    const patch = request.body.webhookUrl === undefined ? request.body : { ...request.body, webhookUrl }
    const change = (client: Client) =>
      checkClientBody(patch, { mode: client.mode, actor: caller.actor }) ??
      applyClientPatch(client, patch, caller.actor)
    return respond(reply, await changeClient(ports, caller, { id: request.params.id, change }), {
      view: clientView,
    })
  })

  mountClientFraudEvents(app, ports)
  mountClientKeys(app, ports)
  mountClientState(app, ports)
}

function mountClientFraudEvents(app: TypedServer, ports: Ports): void {
  app.get('/clients/:id/fraud-events', calls.fraudEvents, async (request) => {
    const client = await loadClient(ports, request)
    return {
      items: await listHolds(dbOf(ports, request), { clientId: client.id, limit: MAX_FRAUD_EVENTS }),
      next: null,
    }
  })
}

function mountClientState(app: TypedServer, ports: Ports): void {
  app.post('/clients/:id/rotate-key', calls.rotateKey, async (request, reply) => {
    const result = await rotateApiKey(ports, callerOf(request), request.params.id)
    return respond(reply, result, { view: ({ client, apiKey }) => ({ ...clientView(client), apiKey }) })
  })

  app.post('/clients/:id/rotate-webhook-secret', calls.rotateSecret, async (request, reply) => {
    const graceHours = request.body?.graceHours ?? 24
    const result = await rotateWebhookSecret(ports, callerOf(request), {
      id: request.params.id,
      graceHours,
    })
    return respond(reply, result, { view: ({ client, webhookSecret }) => ({ ...clientView(client), webhookSecret }) })
  })

  app.post('/clients/:id/disable', calls.disable, async (request, reply) =>
    respond(reply, await disableClient(ports, callerOf(request), request.params.id), { view: clientView }),
  )

  app.post('/clients/:id/enable', calls.enable, async (request, reply) =>
    respond(reply, await enableClient(ports, callerOf(request), request.params.id), { view: clientView }),
  )
}

/** D68: a viewer sees neither whole webhook URLs nor whole numbers. */
function shownTo(actor: Manager, client: Client): z.input<typeof clientAnswer> {
  const prefixes = (list: string[] | null) => list?.map((it) => shownPrefix(it, actor)) ?? null
  const { webhookUrl, pumpingAllowlist, onlyPrefixes, setByOperator } = client
  return clientView({
    ...client,
    webhookUrl: webhookUrl === null ? null : shownUrl(webhookUrl, actor),
    pumpingAllowlist: prefixes(pumpingAllowlist),
    onlyPrefixes: prefixes(onlyPrefixes),
    setByOperator: {
      ...setByOperator,
      ...(setByOperator.pumpingAllowlist && { pumpingAllowlist: prefixes(setByOperator.pumpingAllowlist) }),
      ...(setByOperator.numberPrefixes && { numberPrefixes: prefixes(setByOperator.numberPrefixes) }),
    },
  })
}

function clientView(client: Client): z.input<typeof clientAnswer> {
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
    keyPrefix: client.keys[0]?.prefix ?? '',
    keys: client.keys.map(keyView),
    hasTestOtpCode: client.testOtpCodeSealed !== null,
    disabledAt: client.disabledAt,
    disabledBy: client.disabledBy,
    previousWebhookSecretEndsAt: client.previousWebhookSecretEndsAt,
    restrictions: clientRestrictions(client),
    setByOperator: client.setByOperator,
    createdAt: client.createdAt,
    updatedAt: client.updatedAt,
  }
}
