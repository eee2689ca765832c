// Carriers over HTTP, for the operator: settings in, settings and the live state of every bind out. Passwords only go in.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { changeCarrier, createCarrier, type NewCarrier, removeCarrier } from '../../actions/carriers/manage-carriers.ts'
import type { Ports } from '../../actions/ports.ts'
import { Refusal, refuse, refuseField } from '../../domain/refusals.ts'
import type { IsAllowedAddress } from '../../domain/webhooks/receiver-url.ts'
import type { PublicUrl } from '../../http/address.ts'
import { respond, sendRefusal } from '../../http/reply.ts'
import type { ZodTypeProvider } from '../../http/validation.ts'
import { listBindsAsOf } from '../../store/carriers/carrier-binds.ts'
import { type Carrier, type CarrierSettings, findCarrier, listCarriers } from '../../store/carriers/carriers.ts'
import { callerOf, dbOf } from '../authenticate.ts'
import { endpointsOf } from '../endpoint.ts'
import { byId, listOf, nothing, pageFrom, pageOf, paging } from '../fields.ts'
import { carrierAnswer, viewOf } from './carrier-answers.ts'
import { carrierPatch, idFormats, isOfKind, newCarrier, newHttp } from './carrier-settings.ts'
import { changedHttpCarrier, type HttpJudging, newHttpCarrier } from './http-carriers.ts'
import { newSmpp, smppChanged } from './smpp-settings.ts'
import { normalised } from './status-overrides.ts'

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
  const liveBinds = (request: FastifyRequest) => listBindsAsOf(dbOf(ports, request), ports.clock.now())
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
  if (strange) return refuseField(strange, `A carrier of kind ${carrier.kind} has no such setting`)
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
