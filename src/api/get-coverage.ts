// GET /sms/coverage (§4.6) and the public coverage (§4.7): where messages can go, and where soon.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Ports } from '../actions/ports.ts'
import { COVERAGE_CACHE_SECONDS } from '../domain/messages/limits.ts'
import { allowedCountries, sendableCountries } from '../domain/messages/restrictions.ts'
import type { ZodTypeProvider } from '../http/validation.ts'
import { type Country, type CountryState, listCountries } from '../store/carriers/countries.ts'
import { findWorkspace } from '../store/workspaces/workspaces.ts'
import { ADMISSION_REFUSALS, clientOf } from './authenticate.ts'
import type { ApiEndpointSchema } from './openapi/headers.ts'

const code = z.string().describe('ISO 3166-1 alpha-2')
const country = z.object({ code, name: z.string() })
const lists = z.object({
  live: z.array(country).describe('Countries delivered to today.'),
  comingSoon: z.array(country).describe('Countries being prepared; nothing can be sent there yet.'),
})
const listsSample = {
  live: [{ code: 'NP', name: 'Nepal' }],
  comingSoon: [
    { code: 'BD', name: 'Bangladesh' },
    { code: 'IN', name: 'India' },
  ],
}

const publicAnswer = lists.meta({
  title: 'PublicCoverage',
  description: 'Where messages can go.',
  samples: { Coverage: listsSample },
})

const answer = lists
  .extend({
    country: code.describe('The country of the workspace: national numbers are read as its numbers.'),
    allowed: z
      .array(code)
      .describe(
        "Where this key can send now: the workspace's countries that a mobile number under the key's prefixes can be in. A number elsewhere is `destination_not_supported`.",
      ),
  })
  .meta({
    title: 'Coverage',
    description: 'Where this key can send.',
    samples: { Coverage: { country: 'NP', allowed: ['NP'], ...listsSample } },
  })

const schema = {
  operationId: 'getCoverage',
  tag: 'Account',
  summary: 'Read the coverage',
  description: 'Where this key can send. Read it rather than keep a list of your own: it changes as countries open.',
  response: { 200: answer },
  refusals: ADMISSION_REFUSALS,
} as const satisfies ApiEndpointSchema

const publicSchema = {
  operationId: 'getPublicCoverage',
  tag: 'Account',
  summary: 'Read the public coverage',
  description: `The same lists for everybody: it needs no key, may be read by pages of any origin, and may be cached for ${COVERAGE_CACHE_SECONDS} seconds.`,
  isPublic: true,
  response: { 200: publicAnswer },
  refusals: ['server_error', 'unavailable'],
} as const satisfies ApiEndpointSchema

export function mountGetCoverage(server: FastifyInstance, ports: Ports): void {
  const app = server.withTypeProvider<ZodTypeProvider>()

  app.get('/sms/coverage', { schema }, async (request) => {
    const { workspaceId, onlyPrefixes } = clientOf(request)
    const [workspace, countries] = await Promise.all([
      findWorkspace(ports.db, { id: workspaceId, within: workspaceId }),
      listCountries(ports.db),
    ])
    if (!workspace) throw new Error('a client has no workspace')
    const live = inState(countries, 'live')
    const ofWorkspace = sendableCountries(
      live.map(({ code }) => code),
      workspace.allowedCountries,
    )
    const allowed = allowedCountries(ofWorkspace, onlyPrefixes)
    return { country: workspace.country, allowed, live, comingSoon: inState(countries, 'comingSoon') }
  })
}

export function mountPublicCoverage(server: FastifyInstance, ports: Ports): void {
  const app = server.withTypeProvider<ZodTypeProvider>()

  // D41: a page of any origin may read it, refusals too.
  const onRequest = (_request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    reply.header('access-control-allow-origin', '*')
    done()
  }

  // What a browser asks before a request with headers of its own.
  app.options('/api/sms/coverage', { onRequest }, (_request, reply) =>
    reply
      .code(204)
      .header('access-control-allow-methods', 'GET')
      .header('access-control-allow-headers', '*')
      .header('access-control-max-age', '86400')
      .send(),
  )

  app.get('/api/sms/coverage', { schema: publicSchema, onRequest }, async (_request, reply) => {
    const countries = await listCountries(ports.db)
    // §4.7
    reply.header('cache-control', `public, max-age=${COVERAGE_CACHE_SECONDS}`)
    return { live: inState(countries, 'live'), comingSoon: inState(countries, 'comingSoon') }
  })
}

function inState(countries: Country[], state: CountryState) {
  return countries.filter((it) => it.state === state).map(({ code, name }) => ({ code, name }))
}
