// The sending switch and the countries.
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import { putCountry, removeCountry, switchSms } from '../../actions/service/manage-service.ts'
import { ROUTE_POLICIES } from '../../domain/carriers/routing.ts'
import { requireFound, respondEmpty } from '../../http/reply.ts'
import type { TypedServer } from '../../http/validation.ts'
import { COUNTRY_STATES, type Country, findCountry, listCountries } from '../../store/carriers/countries.ts'
import { readService } from '../../store/service/service.ts'
import { callerOf, dbOf } from '../authenticate.ts'
import { endpointsOf, OPERATORS } from '../endpoint.ts'
import { countryCode, line, noContent, timeZone, wholeListOf } from '../fields.ts'

const clockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Must be a time such as 20:00')
const byCode = z.object({ code: countryCode })
// Countries of earlier versions, which accepted more codes, can still be shown and deleted.
const byAnyCode = z.object({ code: z.string().regex(/^[A-Z]{2}$/, 'Must be two capital letters') })

const country = z
  .strictObject({
    name: line(100).describe('Name, such as Nepal.'),
    state: z.enum(COUNTRY_STATES).describe('Only live countries accept messages.'),
    timeZone: timeZone.optional().describe('Time zone of the quiet hours. Default: unchanged.'),
    // D16: null disables quiet hours; a missing field keeps them.
    quietHours: z
      .strictObject({ from: clockTime, to: clockTime })
      .nullable()
      .optional()
      .describe('When promotional messages wait, such as 20:00-08:00. Default: unchanged.'),
    policy: z.enum(ROUTE_POLICIES).optional().describe('Routing policy. Default: unchanged.'),
  })
  .meta({ title: 'CountryChange' })
const serviceSwitch = z
  .strictObject({ smsEnabled: z.boolean().describe('Accept messages.') })
  .meta({ title: 'ServiceChange' })

const serviceAnswer = z
  .object({ smsEnabled: z.boolean().describe('false: the service refuses messages.') })
  .meta({ title: 'Service' })
const countryAnswer = z
  .object({
    code: z.string(),
    name: z.string(),
    state: z.enum(COUNTRY_STATES).describe('Only live countries accept messages.'),
    timeZone: z.string(),
    quietHours: z
      .object({ from: z.string(), to: z.string() })
      .nullable()
      .describe('Promotional messages wait during quiet hours.'),
    policy: z
      .enum(ROUTE_POLICIES)
      .describe('Routing policy: by priority and weight, by priority only, or cheapest first.'),
  })
  .meta({ title: 'Country' })

const endpoint = endpointsOf('Service')
const calls = {
  read: endpoint(OPERATORS, {
    operationId: 'getService',
    summary: 'Get the sending switch',
    response: { 200: serviceAnswer },
  }),
  change: endpoint(OPERATORS, {
    operationId: 'changeService',
    summary: 'Enable or pause sending',
    body: serviceSwitch,
    response: { 200: serviceAnswer },
  }),
  listCountries: endpoint(OPERATORS, {
    operationId: 'listCountries',
    summary: 'List countries',
    response: { 200: wholeListOf(countryAnswer) },
  }),
  readCountry: endpoint(OPERATORS, {
    operationId: 'getCountry',
    summary: 'Get a country',
    params: byAnyCode,
    response: { 200: countryAnswer },
  }),
  putCountry: endpoint(OPERATORS, {
    operationId: 'putCountry',
    summary: 'Create or update a country',
    params: byCode,
    body: country,
    response: { 200: countryAnswer },
  }),
  removeCountry: endpoint(OPERATORS, {
    operationId: 'removeCountry',
    summary: 'Delete a country',
    description: 'Its state must be `off`.',
    params: byAnyCode,
    response: { 204: noContent },
    refusals: ['conflict'],
  }),
}

const DEFAULT_QUIET_HOURS = { from: '20:00', to: '08:00' }

export function mountService(app: TypedServer, ports: Ports): void {
  app.get('/service', calls.read, async (request) => {
    const { smsEnabled } = await readService(dbOf(ports, request))
    return { smsEnabled }
  })

  app.patch('/service', calls.change, async (request) => {
    await switchSms(ports, callerOf(request), request.body.smsEnabled)
    return { smsEnabled: request.body.smsEnabled }
  })

  app.get('/countries', calls.listCountries, async (request) => ({
    items: (await listCountries(dbOf(ports, request))).map(countryView),
    next: null,
  }))

  app.get('/countries/:code', calls.readCountry, async (request) =>
    countryView(requireFound(await findCountry(dbOf(ports, request), request.params.code))),
  )

  app.put('/countries/:code', calls.putCountry, async (request) => {
    const { code } = request.params
    const { name, state, timeZone: zone, quietHours, policy = null } = request.body
    const known = await findCountry(dbOf(ports, request), code)
    const quiet = quietHours === undefined ? (known ? quietHoursOf(known) : DEFAULT_QUIET_HOURS) : quietHours
    const quietFrom = quiet?.from ?? null
    const quietTo = quiet?.to ?? null
    const kept = { timeZone: zone ?? known?.timeZone ?? 'UTC', policy: policy ?? known?.policy ?? 'weighted' }
    const changed: Country = { code, name, state, ...kept, quietFrom, quietTo }
    await putCountry(ports, callerOf(request), changed)
    return countryView(changed)
  })

  app.delete('/countries/:code', calls.removeCountry, async (request, reply) => {
    const result = await removeCountry(ports, callerOf(request), request.params.code)
    return respondEmpty(reply, result)
  })
}

function quietHoursOf({ quietFrom, quietTo }: Country) {
  return quietFrom !== null && quietTo !== null ? { from: quietFrom, to: quietTo } : null
}

function countryView(it: Country): z.input<typeof countryAnswer> {
  const { code, name, state, timeZone, policy } = it
  return { code, name, state, timeZone, quietHours: quietHoursOf(it), policy }
}
