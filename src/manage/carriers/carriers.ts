// CRUD of carriers. Responses have the state of every connection, and never a secret.
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { decryptSmppSecrets } from '../../actions/carriers/carrier-secrets.ts'
import {
  type ChangedCarrier,
  changeCarrier,
  createCarrier,
  type NewCarrier,
  removeCarrier,
} from '../../actions/carriers/manage-carriers.ts'
import type { Ports } from '../../actions/ports.ts'
import type { Carrier } from '../../domain/carriers/carrier.ts'
import { DEFAULT_SMPP_SETTINGS, type SmppSettings } from '../../domain/carriers/smpp/smpp-settings.ts'
import type { IsAllowedAddress } from '../../domain/outbound-address.ts'
import { Refusal, refuseField } from '../../domain/refusals.ts'
import type { PublicUrl } from '../../http/address.ts'
import { requireFound, respond, respondEmpty, sendRefusal } from '../../http/reply.ts'
import type { TypedServer } from '../../http/validation.ts'
import { listBindsAsOf } from '../../store/carriers/carrier-binds.ts'
import { findCarrier, listCarriers } from '../../store/carriers/carriers.ts'
import { callerOf, dbOf } from '../authenticate.ts'
import { endpointsOf, OPERATORS } from '../endpoint.ts'
import { byId, listOf, noContent, pageFrom, pageOf, paging } from '../fields.ts'
import { carrierAnswer, carrierView } from './carrier-answers.ts'
import { carrierPatch, common, idFormats, isOfKind, newHttpCarrier, newSmppCarrier } from './carrier-settings.ts'
import { changeHttpSettings, type HttpContext, newHttpCarrierSettings } from './http-carriers.ts'
import { changeSmppSettings } from './smpp-settings.ts'
import { normaliseOverrides } from './status-overrides.ts'

const endpoint = endpointsOf('Carriers')
const calls = {
  create: endpoint(OPERATORS, {
    operationId: 'createCarrier',
    summary: 'Create a carrier',
    description: 'A carrier gets messages when a route leads to it.',
    body: z.discriminatedUnion('kind', [newSmppCarrier, newHttpCarrier]).meta({ title: 'AnyNewCarrier' }),
    response: { 201: carrierAnswer },
    refusals: ['conflict'],
  }),
  list: endpoint(OPERATORS, {
    operationId: 'listCarriers',
    summary: 'List carriers',
    querystring: paging,
    response: { 200: listOf(carrierAnswer) },
  }),
  read: endpoint(OPERATORS, {
    operationId: 'getCarrier',
    summary: 'Get a carrier',
    params: byId,
    response: { 200: carrierAnswer },
  }),
  change: endpoint(OPERATORS, {
    operationId: 'changeCarrier',
    summary: 'Update a carrier',
    params: byId,
    body: carrierPatch,
    response: { 200: carrierAnswer },
    refusals: ['conflict'],
  }),
  remove: endpoint(OPERATORS, {
    operationId: 'removeCarrier',
    summary: 'Delete a carrier',
    description: 'Delete its routes first.',
    params: byId,
    response: { 204: noContent },
    refusals: ['conflict'],
  }),
}

export function mountCarriers(
  app: TypedServer,
  ports: Ports,
  {
    isAllowedCarrier: isAllowed,
    ways: { publicUrl },
  }: { isAllowedCarrier: IsAllowedAddress; ways: { publicUrl: PublicUrl } },
): void {
  const context = { ports, isAllowed, publicUrl }
  const liveBinds = (request: FastifyRequest) => listBindsAsOf(dbOf(ports, request), ports.clock.now())
  const bindsOf = async (request: FastifyRequest, carrierId: string) =>
    (await liveBinds(request)).filter((bind) => bind.carrierId === carrierId)

  app.post('/carriers', calls.create, async (request, reply) => {
    const { body } = request
    const settings = body.kind === 'http' ? newHttpCarrierSettings(body, context) : smppCarrierOf(body)
    if (settings instanceof Refusal) return sendRefusal(reply, settings)
    const result = await createCarrier(ports, callerOf(request), settings)
    return respond(reply, result, { status: 201, view: (carrier) => carrierView(carrier, []) })
  })

  app.get('/carriers', calls.list, async (request) => {
    const [carriers, binds] = await Promise.all([
      listCarriers(dbOf(ports, request), pageFrom(request.query)),
      liveBinds(request),
    ])
    const ofCarrier = Map.groupBy(binds, (bind) => bind.carrierId)
    return pageOf(carriers, request.query.limit, (carrier) => carrierView(carrier, ofCarrier.get(carrier.id) ?? []))
  })

  app.get('/carriers/:id', calls.read, async (request) => {
    const { id } = request.params
    const [carrier, binds] = await Promise.all([findCarrier(dbOf(ports, request), id), bindsOf(request, id)])
    return carrierView(requireFound(carrier), binds)
  })

  app.patch('/carriers/:id', calls.change, async (request, reply) => {
    const { id } = request.params
    const change = (it: Carrier) => patched(it, request.body, context)
    const result = await changeCarrier(ports, callerOf(request), { id, change })
    const binds = await bindsOf(request, id)
    return respond(reply, result, { view: (carrier) => carrierView(carrier, binds) })
  })

  app.delete('/carriers/:id', calls.remove, async (request, reply) => {
    const result = await removeCarrier(ports, callerOf(request), request.params.id)
    return respondEmpty(reply, result)
  })
}

function smppCarrierOf({ kind: _, ...body }: z.infer<typeof newSmppCarrier>): NewCarrier {
  const { password, tlsKey, ...rest } = body
  const { host, port, systemId } = body
  const smpp = smppOf({ ...DEFAULT_SMPP_SETTINGS, host, port, systemId }, body)
  return { ...commonOf(rest), kind: 'smpp', smpp, secrets: { password, tlsKey } }
}

function patched(carrier: Carrier, patch: CarrierPatch, context: HttpContext): ChangedCarrier | Refusal {
  const foreign = Object.keys(patch).find((name) => !isOfKind(name, carrier.kind))
  if (foreign) return refuseField(foreign, `Is not a setting of a carrier of kind ${carrier.kind}; remove it`)
  if (carrier.kind === 'http') {
    const changed = changeHttpSettings(carrier, patch, context)
    return changed instanceof Refusal ? changed : { ...carrier, ...commonOf(patch), ...changed }
  }
  const changed = { ...carrier, ...commonOf(patch), smpp: smppOf(carrier.smpp, patch) }
  const { password, tlsKey } = patch
  // Sealing unchanged secrets again would look like a change and restart the connections.
  if (password === undefined && tlsKey === undefined) return changed
  const before = decryptSmppSecrets(context.ports, carrier)
  return {
    ...changed,
    secrets: { password: password ?? before.password, tlsKey: tlsKey === undefined ? before.tlsKey : tlsKey },
  }
}

type CarrierPatch = z.infer<typeof carrierPatch>

/** The common settings of a body. */
function commonOf<Some extends CarrierPatch>(body: Some): Pick<Some, keyof Some & keyof typeof common> {
  return pick(body, Object.keys(common)) as Pick<Some, keyof Some & keyof typeof common>
}

function smppOf(before: SmppSettings, body: CarrierPatch): SmppSettings {
  const { idFormat, statusOverrides, smpp } = body
  const topLevel = pick(body, Object.keys(before)) as Partial<SmppSettings>
  return {
    ...changeSmppSettings({ ...before, ...topLevel }, smpp),
    ...(idFormat && idFormats(idFormat)),
    statusOverrides: statusOverrides ? normaliseOverrides(statusOverrides) : before.statusOverrides,
  }
}

function pick(body: object, names: string[]): object {
  return Object.fromEntries(Object.entries(body).filter(([name, value]) => value !== undefined && names.includes(name)))
}
