// GET /sms/coverage (§4.6) and the public coverage (§4.7): where messages can go, and where soon.
import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { House } from '../actions/house.ts'
import { type Country, type CountryState, listCountries } from '../store/countries.ts'
import { findWorkspace } from '../store/workspaces.ts'
import { clientOf } from './authenticate.ts'

const country = z.object({ code: z.string(), name: z.string() })
const publicAnswer = z.object({ live: z.array(country), comingSoon: z.array(country) })
const answer = publicAnswer.extend({ country: z.string(), allowed: z.array(z.string()) })

export function mountGetCoverage(server: FastifyInstance, house: House): void {
  const app = server.withTypeProvider<ZodTypeProvider>()

  app.get('/sms/coverage', { schema: { response: { 200: answer } } }, async (request) => {
    const { workspaceId } = clientOf(request)
    const [workspace, countries] = await Promise.all([
      findWorkspace(house.db, { id: workspaceId, within: workspaceId }),
      listCountries(house.db),
    ])
    if (!workspace) throw new Error('a client has no workspace')
    const live = inState(countries, 'live')
    const { allowedCountries } = workspace
    const allowed = live.map(({ code }) => code).filter((code) => !allowedCountries || allowedCountries.includes(code))
    return { country: workspace.country, allowed, live, comingSoon: inState(countries, 'comingSoon') }
  })
}

export function mountPublicCoverage(server: FastifyInstance, house: House): void {
  const app = server.withTypeProvider<ZodTypeProvider>()

  app.get('/api/sms/coverage', { schema: { response: { 200: publicAnswer } } }, async (_request, reply) => {
    const countries = await listCountries(house.db)
    // §4.7
    reply.header('cache-control', 'public, max-age=300')
    return { live: inState(countries, 'live'), comingSoon: inState(countries, 'comingSoon') }
  })
}

function inState(countries: Country[], state: CountryState) {
  return countries.filter((it) => it.state === state).map(({ code, name }) => ({ code, name }))
}
