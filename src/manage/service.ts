// The service switch and the countries over HTTP, for the operator.
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { putCountry, removeCountry, switchSms } from '../actions/manage-service.ts'
import type { Ports } from '../actions/ports.ts'
import { refuse } from '../domain/refusals.ts'
import { respond } from '../http/reply.ts'
import type { ZodTypeProvider } from '../http/validation.ts'
import { COUNTRY_STATES, type Country, findCountry, listCountries } from '../store/countries.ts'
import { readService } from '../store/service.ts'
import { callerOf, dbOf } from './authenticate.ts'
import { countryCode, line, timeZone } from './fields.ts'

const clockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Must be a time such as 20:00')
const byCode = z.object({ code: countryCode })
// One that was made when more was taken for a code can still be seen and removed.
const byAnyCode = z.object({ code: z.string().regex(/^[A-Z]{2}$/, 'Must be two capital letters') })

const country = z.strictObject({
  name: line(100),
  state: z.enum(COUNTRY_STATES),
  timeZone: timeZone.optional(),
  // D16: null turns them off; left out, they stay as they are.
  quietHours: z.strictObject({ from: clockTime, to: clockTime }).nullable().optional(),
})

const USUAL_QUIET_HOURS = { from: '20:00', to: '08:00' }

export function mountService(server: FastifyInstance, ports: Ports): void {
  const app = server.withTypeProvider<ZodTypeProvider>()

  app.get('/service', async (request) => {
    const { smsEnabled } = await readService(dbOf(ports, request))
    return { smsEnabled }
  })

  app.patch('/service', { schema: { body: z.strictObject({ smsEnabled: z.boolean() }) } }, async (request) => {
    await switchSms(ports, callerOf(request), request.body.smsEnabled)
    return { smsEnabled: request.body.smsEnabled }
  })

  app.get('/countries', async (request) => ({
    items: (await listCountries(dbOf(ports, request))).map(viewOf),
    next: null,
  }))

  app.get('/countries/:code', { schema: { params: byAnyCode } }, async (request, reply) =>
    respond(reply, (await findCountry(dbOf(ports, request), request.params.code)) ?? refuse('not_found'), {
      view: viewOf,
    }),
  )

  app.put('/countries/:code', { schema: { params: byCode, body: country } }, async (request) => {
    const { code } = request.params
    const { name, state, timeZone: zone, quietHours } = request.body
    const known = await findCountry(dbOf(ports, request), code)
    const quiet = quietHours === undefined ? (known ? quietHoursOf(known) : USUAL_QUIET_HOURS) : quietHours
    const quietFrom = quiet?.from ?? null
    const quietTo = quiet?.to ?? null
    const changed: Country = { code, name, state, timeZone: zone ?? known?.timeZone ?? 'UTC', quietFrom, quietTo }
    await putCountry(ports, callerOf(request), changed)
    return viewOf(changed)
  })

  app.delete('/countries/:code', { schema: { params: byAnyCode } }, async (request, reply) => {
    const result = await removeCountry(ports, callerOf(request), request.params.code)
    return respond(reply, result, { status: 204, view: () => null })
  })
}

function quietHoursOf({ quietFrom, quietTo }: Country) {
  return quietFrom !== null && quietTo !== null ? { from: quietFrom, to: quietTo } : null
}

function viewOf(it: Country) {
  return { code: it.code, name: it.name, state: it.state, timeZone: it.timeZone, quietHours: quietHoursOf(it) }
}
