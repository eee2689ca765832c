// CRUD of routes: which carrier gets which numbers.
import { z } from 'zod'
import { changeRoute, createRoute, removeRoute } from '../../actions/carriers/manage-carriers.ts'
import type { Ports } from '../../actions/ports.ts'
import type { Route } from '../../domain/carriers/routing.ts'
import { callingPrefix } from '../../domain/phone-number.ts'
import { type Refusal, refuseField } from '../../domain/refusals.ts'
import { respond, respondEmpty, sendRefusal } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import { listRoutes } from '../../store/carriers/routes.ts'
import { callerOf, dbOf } from '../authenticate.ts'
import { endpointsOf, OPERATORS } from '../endpoint.ts'
import {
  applyPatch,
  byId,
  listOf,
  messageType,
  messageTypes,
  noContent,
  pageFrom,
  pageOf,
  paging,
  uuid,
} from '../fields.ts'

const prefix = z.string().regex(/^\+\d{1,15}$/, 'Must be the beginning of an E.164 number, such as +97798')

const fields = {
  country: z
    .string()
    .regex(/^([A-Z]{2}|\*)$/, 'Must be an ISO 3166-1 alpha-2 code such as NP, or * for any')
    .describe('Country code, or * for countries without a route.'),
  prefixes: z.array(prefix).max(1000).describe('Number prefixes, such as +97798. Default: the whole country.'),
  types: messageTypes.nullable().describe('Message types. Default: all.'),
  carrierId: uuid.describe('Carrier of the route.'),
  priority: z.number().int().min(0).max(1_000_000).describe('Priority; the lowest number is first.'),
  overflow: z.boolean().describe('Overflow to the next route when the carrier is at its limit.'),
  weight: z.number().int().min(0).max(1000).describe('Share among routes with the same priority; 0 is a standby.'),
}
const newRoute = z
  .strictObject({
    ...fields,
    prefixes: fields.prefixes.default([]),
    types: fields.types.default(null),
    priority: fields.priority.default(100),
    overflow: fields.overflow.default(false),
    weight: fields.weight.default(0),
  })
  .meta({ title: 'NewRoute' })
const routePatch = z.strictObject(fields).partial().meta({ title: 'RouteChange' })

const routeAnswer = z
  .object({
    id: z.uuid(),
    country: z.string().describe('Country code, or `*` for numbers that no other route matches.'),
    prefixes: z.array(z.string()).describe('Empty: the whole country.'),
    types: z.array(messageType).nullable().describe('null: all types.'),
    carrierId: z.uuid(),
    priority: z.int().describe('The lowest number is first.'),
    overflow: z.boolean().describe('Overflow to the next route when the carrier is at its limit.'),
    weight: z.int().describe('Share among routes with the same priority; 0 is a standby.'),
    createdAt: time,
  })
  .meta({ title: 'Route' })

const endpoint = endpointsOf('Routes')
const calls = {
  create: endpoint(OPERATORS, {
    operationId: 'createRoute',
    summary: 'Create a route',
    body: newRoute,
    response: { 201: routeAnswer },
  }),
  list: endpoint(OPERATORS, {
    operationId: 'listRoutes',
    summary: 'List routes',
    querystring: paging,
    response: { 200: listOf(routeAnswer) },
  }),
  change: endpoint(OPERATORS, {
    operationId: 'changeRoute',
    summary: 'Update a route',
    params: byId,
    body: routePatch,
    response: { 200: routeAnswer },
  }),
  remove: endpoint(OPERATORS, {
    operationId: 'removeRoute',
    summary: 'Delete a route',
    params: byId,
    response: { 204: noContent },
  }),
}

export function mountRouting(app: TypedServer, ports: Ports): void {
  app.post('/routes', calls.create, async (request, reply) => {
    const route = checkRoute(request.body)
    if ('code' in route) return sendRefusal(reply, route)
    return respond(reply, await createRoute(ports, callerOf(request), route), { status: 201, view: (it) => it })
  })

  app.get('/routes', calls.list, async (request) => {
    const routes = await listRoutes(dbOf(ports, request), pageFrom(request.query))
    return pageOf(routes, request.query.limit, (route) => route)
  })

  app.patch('/routes/:id', calls.change, async (request, reply) => {
    const change = ({ country, prefixes, types, carrierId, priority, overflow, weight }: Route) =>
      checkRoute(applyPatch({ country, prefixes, types, carrierId, priority, overflow, weight }, request.body))
    const result = await changeRoute(ports, callerOf(request), { id: request.params.id, change })
    return respond(reply, result, { view: (route) => route })
  })

  app.delete('/routes/:id', calls.remove, async (request, reply) => {
    const result = await removeRoute(ports, callerOf(request), request.params.id)
    return respondEmpty(reply, result)
  })
}

function checkRoute(route: Omit<Route, 'id'>): Omit<Route, 'id'> | Refusal {
  const { country, prefixes } = route
  if (prefixes.length === 0) return route
  if (country === '*') return refuseField('prefixes', 'A route for any country has no prefixes')
  const start = callingPrefix(country)
  const foreign = prefixes.find((it) => !it.startsWith(start))
  return foreign
    ? refuseField('prefixes', `${foreign} is not a prefix of ${country}; prefixes of ${country} begin with ${start}`)
    : route
}
