// Carriers over HTTP, for the operator: settings in, settings and the live state of every bind out. Passwords only go in.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { changeCarrier, createCarrier, type NewCarrier, removeCarrier } from '../actions/manage-carriers.ts'
import type { Ports } from '../actions/ports.ts'
import { carrierHealth } from '../domain/carrier-health.ts'
import { HTTP_BOUNDS } from '../domain/http-carrier/description.ts'
import { isLeased } from '../domain/lease.ts'
import type { IsAllowedAddress } from '../domain/receiver-url.ts'
import { Refusal, refuse, refuseField } from '../domain/refusals.ts'
import type { PublicUrl } from '../http/address.ts'
import { respond, sendRefusal } from '../http/reply.ts'
import { time } from '../http/time.ts'
import type { ZodTypeProvider } from '../http/validation.ts'
import { listBinds, type StoredBind } from '../store/carrier-binds.ts'
import {
  BIND_MODES,
  CARRIER_ALPHABETS,
  CARRIER_KINDS,
  type Carrier,
  type CarrierSettings,
  findCarrier,
  ID_FORMATS,
  LONG_MESSAGES,
  listCarriers,
} from '../store/carriers.ts'
import { callerOf, dbOf } from './authenticate.ts'
import { endpointsOf } from './endpoint.ts'
import { byId, line, listOf, nothing, pageFrom, pageOf, paging } from './fields.ts'
import { changedSecretsField, httpDescription, secrets } from './http-carrier-fields.ts'
import { changedHttpCarrier, type HttpJudging, newHttpCarrier } from './http-carriers.ts'
import {
  host,
  newSmpp,
  octets,
  port,
  sender,
  smppAnswer,
  smppChange,
  smppChanged,
  smppView,
  tlsKey,
} from './smpp-settings.ts'
import { normalised, overridesAnswer, statusOverrides } from './status-overrides.ts'

const idFormat = z.enum(ID_FORMATS)
/** Of submissions in a row; null is never. */
const streak = z.number().int().min(1).max(1000).nullable()

const fields = {
  name: line(100),
  host,
  port,
  tls: z.boolean(),
  systemId: octets.min(1).max(15),
  password: octets.max(16),
  systemType: octets.max(12),
  bindMode: z.enum(BIND_MODES),
  binds: z.number().int().min(1).max(50),
  window: z.number().int().min(1).max(1000),
  answerSeconds: z.number().int().min(1).max(300),
  segmentsPerSecond: z.number().int().min(1).max(100_000).nullable(),
  // Answers and reports may write ids differently.
  idFormat: z.union([idFormat, z.strictObject({ answers: idFormat, reports: idFormat })]),
  receiptsByText: z.boolean(),
  alphabet: z.enum(CARRIER_ALPHABETS),
  longMessages: z.enum(LONG_MESSAGES),
  sourceTon: z.number().int().min(0).max(255).nullable(),
  sourceNpi: z.number().int().min(0).max(255).nullable(),
  defaultSender: sender.nullable(),
  statusOverrides,
  resendUnknown: z.boolean(),
  breakAfterUnanswered: streak,
  breakAfterRefused: streak,
  smpp: smppChange,
  tlsKey,
  enabled: z.boolean(),
}

const newCarrier = z
  .strictObject({
    kind: z.literal('smpp').optional().describe('What it speaks; this, where it is not said.'),
    ...fields,
    tls: fields.tls.default(false),
    systemType: fields.systemType.default(''),
    bindMode: fields.bindMode.default('transceiver'),
    binds: fields.binds.default(1),
    window: fields.window.default(10),
    answerSeconds: fields.answerSeconds.default(30),
    segmentsPerSecond: fields.segmentsPerSecond.default(null),
    idFormat: fields.idFormat.default('opaque'),
    receiptsByText: fields.receiptsByText.default(false),
    alphabet: fields.alphabet.default('gsm'),
    longMessages: fields.longMessages.default('udh'),
    sourceTon: fields.sourceTon.default(null),
    sourceNpi: fields.sourceNpi.default(null),
    defaultSender: fields.defaultSender.default(null),
    statusOverrides: statusOverrides.default({ answers: {}, reports: {}, states: {} }),
    resendUnknown: fields.resendUnknown.default(false),
    breakAfterUnanswered: streak.default(5),
    breakAfterRefused: streak.default(20),
    smpp: smppChange.default({}),
    tlsKey: tlsKey.default(null),
    enabled: fields.enabled.default(true),
  })
  .meta({ title: 'NewCarrier' })
/** What a carrier has that is spoken to over HTTP (D48). */
const httpFields = {
  name: fields.name,
  binds: fields.binds,
  window: fields.window,
  answerSeconds: fields.answerSeconds,
  segmentsPerSecond: fields.segmentsPerSecond,
  defaultSender: fields.defaultSender,
  resendUnknown: fields.resendUnknown,
  breakAfterUnanswered: streak,
  breakAfterRefused: streak,
  enabled: fields.enabled,
}
const newHttp = z
  .strictObject({
    kind: z.literal('http'),
    name: fields.name,
    http: httpDescription.optional().describe('This, or a preset.'),
    preset: z.string().max(40).optional().describe('A provider by name: see `GET /carrier-presets`.'),
    presetValues: z
      .record(z.string().max(40), z.string().max(HTTP_BOUNDS.template))
      .refine((some) => Object.keys(some).length <= HTTP_BOUNDS.secrets, `Must be at most ${HTTP_BOUNDS.secrets}`)
      .default({})
      .describe('What the preset leaves open.'),
    secrets: secrets.default({}).describe('Values by the names that the description has as `{secret.NAME}`.'),
    binds: fields.binds.default(1).describe('How many processes may call it at once.'),
    window: fields.window.default(10).describe('How many calls may be under way at once, for each of these.'),
    answerSeconds: fields.answerSeconds.default(30),
    segmentsPerSecond: fields.segmentsPerSecond.default(null),
    defaultSender: fields.defaultSender.default(null),
    resendUnknown: fields.resendUnknown.default(false),
    breakAfterUnanswered: streak.default(5),
    breakAfterRefused: streak.default(20),
    enabled: fields.enabled.default(true),
  })
  .meta({ title: 'NewHttpCarrier' })
const carrierPatch = z
  .strictObject({ ...fields, http: httpDescription, secrets: changedSecretsField })
  .partial()
  .meta({ title: 'CarrierChange', description: 'What is of the other kind of carrier is refused.' })

export const bindAnswer = z.object({
  number: z.int(),
  mode: z.enum(['transceiver', 'transmitter', 'receiver']),
  state: z
    .enum(['idle', 'connecting', 'bound', 'waiting'])
    .describe('`bound` is what you want; `idle` is held by nobody.'),
  peer: z.string().nullable().describe('The host and port that it is bound to.'),
  boundAt: time.nullable(),
  inFlight: z.int(),
  segmentsPerSecond: z.number(),
  lastError: z.string().nullable(),
  lastErrorAt: time.nullable(),
})

export const healthAnswer = z
  .object({
    state: z.enum(['working', 'broken', 'down', 'off']),
    reason: z.string().nullable(),
    since: time.nullable(),
  })
  .describe('Whether it works, over all processes; while it is `broken`, one message at a time tries it.')

/** As it is kept, with everything that was left out of it. */
const describedHttp = z.object(httpDescription.shape).meta({ title: 'DescribedHttp' })

const carrierAnswer = z
  .object({
    id: z.uuid(),
    kind: z.enum(CARRIER_KINDS).describe('What it speaks. Of `http`, what is of SMPP alone is as it usually is.'),
    http: describedHttp.nullable().describe('How a carrier of kind `http` is spoken to.'),
    secretNames: z.array(z.string()).describe('Of the secrets that it was given; what they are is never told.'),
    name: z.string(),
    host: z.string(),
    port: z.int(),
    tls: z.boolean(),
    systemId: z.string(),
    systemType: z.string(),
    bindMode: fields.bindMode,
    binds: z.int(),
    window: z.int(),
    answerSeconds: z.int(),
    segmentsPerSecond: z.int().nullable().describe('null is no limit.'),
    idFormat: fields.idFormat,
    receiptsByText: z.boolean(),
    alphabet: fields.alphabet,
    longMessages: fields.longMessages,
    sourceTon: z.int().nullable(),
    sourceNpi: z.int().nullable(),
    defaultSender: z.string().nullable(),
    statusOverrides: overridesAnswer,
    resendUnknown: z.boolean(),
    breakAfterUnanswered: streak.describe('So many in a row without an answer break its circuit; null is never.'),
    breakAfterRefused: streak.describe('So many refusals in a row break its circuit; null is never.'),
    smpp: smppAnswer.nullable().describe('null of one over HTTP.'),
    hasTlsKey: z.boolean(),
    enabled: z.boolean(),
    health: healthAnswer,
    state: z.array(bindAnswer).describe('Of each bind, as it is now.'),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ title: 'Carrier', description: 'Its settings and how its binds do; never its password.' })

const endpoint = endpointsOf('Carriers')
const calls = {
  create: endpoint(
    { roles: ['operator'], scope: 'service' },
    {
      operationId: 'createCarrier',
      summary: 'Make a carrier',
      body: z.discriminatedUnion('kind', [newCarrier, newHttp]).meta({ title: 'AnyNewCarrier' }),
      response: { 201: carrierAnswer },
      refusals: ['conflict'],
    },
  ),
  list: endpoint(
    { roles: ['operator'], scope: 'service' },
    {
      operationId: 'listCarriers',
      summary: 'List carriers',
      querystring: paging,
      response: { 200: listOf(carrierAnswer) },
    },
  ),
  read: endpoint(
    { roles: ['operator'], scope: 'service' },
    { operationId: 'getCarrier', summary: 'Read a carrier', params: byId, response: { 200: carrierAnswer } },
  ),
  change: endpoint(
    { roles: ['operator'], scope: 'service' },
    {
      operationId: 'changeCarrier',
      summary: 'Change a carrier',
      params: byId,
      body: carrierPatch,
      response: { 200: carrierAnswer },
      refusals: ['conflict'],
    },
  ),
  remove: endpoint(
    { roles: ['operator'], scope: 'service' },
    {
      operationId: 'removeCarrier',
      summary: 'Remove a carrier that no route leads to',
      params: byId,
      response: { 204: nothing },
      refusals: ['conflict'],
    },
  ),
}

export function mountCarriers(
  server: FastifyInstance,
  ports: Ports,
  {
    isAllowedCarrier: isAllowed,
    ways: { publicUrl },
  }: { isAllowedCarrier: IsAllowedAddress; ways: { publicUrl: PublicUrl } },
): void {
  const judging = { ports, isAllowed, publicUrl }
  const app = server.withTypeProvider<ZodTypeProvider>()
  const liveBinds = async (request: FastifyRequest) =>
    (await listBinds(dbOf(ports, request))).map((bind) => asItIs(bind, ports.clock.now()))
  const bindsOf = async (request: FastifyRequest, carrierId: string) =>
    (await liveBinds(request)).filter((bind) => bind.carrierId === carrierId)

  app.post('/carriers', calls.create, async (request, reply) => {
    const { body } = request
    const settings = body.kind === 'http' ? newHttpCarrier(body, judging) : newSmppCarrier(body)
    if (settings instanceof Refusal) return sendRefusal(reply, settings)
    const result = await createCarrier(ports, callerOf(request), settings)
    return respond(reply, result, { status: 201, view: (carrier) => viewOf(carrier, []) })
  })

  app.get('/carriers', calls.list, async (request) => {
    const [carriers, binds] = await Promise.all([
      listCarriers(dbOf(ports, request), pageFrom(request.query)),
      liveBinds(request),
    ])
    const ofCarrier = Map.groupBy(binds, (bind) => bind.carrierId)
    return pageOf(carriers, request.query.limit, (carrier) => viewOf(carrier, ofCarrier.get(carrier.id) ?? []))
  })

  app.get('/carriers/:id', calls.read, async (request, reply) => {
    const { id } = request.params
    const [carrier, binds] = await Promise.all([findCarrier(dbOf(ports, request), id), bindsOf(request, id)])
    return respond(reply, carrier ?? refuse('not_found'), { view: (it) => viewOf(it, binds) })
  })

  app.patch('/carriers/:id', calls.change, async (request, reply) => {
    const { id } = request.params
    const change = (it: Carrier) => patched(it, request.body, judging)
    const result = await changeCarrier(ports, callerOf(request), { id, change })
    const binds = await bindsOf(request, id)
    return respond(reply, result, { view: (carrier) => viewOf(carrier, binds) })
  })

  app.delete('/carriers/:id', calls.remove, async (request, reply) => {
    const result = await removeCarrier(ports, callerOf(request), request.params.id)
    return respond(reply, result, { status: 204, view: () => null })
  })
}

function newSmppCarrier(given: z.infer<typeof newCarrier>): NewCarrier {
  const { idFormat: ids, statusOverrides: overrides, smpp, ...rest } = given
  const own = { kind: 'smpp' as const, http: null, smpp: newSmpp(smpp) }
  return { ...rest, ...own, ...idFormats(ids), statusOverrides: normalised(overrides) }
}

function patched(carrier: Carrier, patch: z.infer<typeof carrierPatch>, judging: HttpJudging) {
  const strange = Object.keys(patch).find((name) => !isOfKind(name, carrier.kind))
  if (strange) return refuseField(strange, `Is not a setting of a carrier of kind ${carrier.kind}`)
  const {
    idFormat: ids,
    statusOverrides: overrides,
    smpp,
    password,
    tlsKey: key,
    http,
    secrets: others,
    ...rest
  } = patch
  const { id: _, createdAt: __, updatedAt: ___, ...settings } = carrier
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  const changed: CarrierSettings = { ...settings, ...given, ...(ids && idFormats(ids)) }
  if (overrides) changed.statusOverrides = normalised(overrides)
  if (smpp) changed.smpp = smppChanged(settings.smpp, smpp)
  const described = changedHttpCarrier(carrier, { http, secrets: others }, judging)
  return described instanceof Refusal ? described : { ...changed, password, tlsKey: key, ...described }
}

function isOfKind(name: string, kind: Carrier['kind']): boolean {
  return kind === 'http' ? name in httpFields || ['http', 'secrets'].includes(name) : name in fields
}

function idFormats(ids: z.infer<typeof fields.idFormat>) {
  const { answers, reports } = typeof ids === 'string' ? { answers: ids, reports: ids } : ids
  return { answerIdFormat: answers, reportIdFormat: reports }
}

/** What nobody holds any more is nobody's. */
export function asItIs(bind: StoredBind, now: Date): StoredBind {
  const nobodys = { state: 'idle', peer: null, boundAt: null, inFlight: 0, segmentsPerSecond: 0, works: false } as const
  return isLeased(bind.leasedUntil, now) ? bind : { ...bind, ...nobodys, brokenReason: null, healthSince: null }
}

function viewOf(carrier: Carrier, binds: StoredBind[]): z.input<typeof carrierAnswer> {
  const { passwordSealed: _, tlsKeySealed, answerIdFormat, reportIdFormat, smpp, http, ...rest } = carrier
  const same = answerIdFormat === reportIdFormat
  return {
    ...rest,
    http: http?.description ?? null,
    secretNames: http?.secretNames ?? [],
    idFormat: same ? answerIdFormat : { answers: answerIdFormat, reports: reportIdFormat },
    smpp: carrier.kind === 'http' ? null : smppView(smpp),
    hasTlsKey: tlsKeySealed !== null,
    health: carrierHealth({ enabled: carrier.enabled, binds }),
    state: binds.map(viewOfBind),
  }
}

export function viewOfBind({
  number,
  mode,
  state,
  peer,
  boundAt,
  inFlight,
  segmentsPerSecond,
  lastError,
  lastErrorAt,
}: StoredBind) {
  return { number, mode, state, peer, boundAt, inFlight, segmentsPerSecond, lastError, lastErrorAt }
}
