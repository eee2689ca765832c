// GET /sms/coverage (§4.6) and the public coverage (§4.7): supported and planned countries.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Ports } from '../actions/ports.ts'
import { COVERAGE_CACHE_SECONDS } from '../domain/messages/limits.ts'
import { allowedCountries, sendableCountries } from '../domain/messages/restrictions.ts'
import type { TypedServer } from '../http/validation.ts'
import { type Country, type CountryState, listCountries } from '../store/carriers/countries.ts'
import { findWorkspace } from '../store/workspaces/workspaces.ts'
import { ADMISSION_REFUSALS, clientOf } from './authenticate.ts'
import type { ApiEndpointSchema } from './openapi/headers.ts'

const code = z.string().describe('ISO 3166-1 alpha-2')
const country = z.object({ code, name: z.string() })
const lists = z.object({
  live: z.array(country).describe('Supported countries.'),
  comingSoon: z.array(country).describe('Planned countries, which cannot be sent to yet.'),
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
  description: 'Supported and planned countries.',
  samples: { Coverage: listsSample },
})

const answer = lists
  .extend({
    country: code.describe('Country of the workspace, for numbers in national format.'),
    allowed: z
      .array(code)
      .describe(
        'Countries that this key can send to: the countries of the workspace that match the number prefixes of the key. Other numbers are `destination_not_supported`.',
      ),
  })
  .meta({
    title: 'Coverage',
    description: 'Countries that this key can send to.',
    samples: { Coverage: { country: 'NP', allowed: ['NP'], ...listsSample } },
  })

const schema = {
  operationId: 'getCoverage',
  tag: 'Account',
  summary: 'Get the coverage',
  description: 'Countries that this key can send to. Do not hard-code the list: it changes when countries are added.',
  response: { 200: answer },
  refusals: ADMISSION_REFUSALS,
} as const satisfies ApiEndpointSchema

const publicSchema = {
  operationId: 'getPublicCoverage',
  tag: 'Account',
  summary: 'Get the public coverage',
  description: `Supported and planned countries, without a key, for pages of any origin. It can be cached for ${COVERAGE_CACHE_SECONDS} seconds.`,
  isPublic: true,
  response: { 200: publicAnswer },
  refusals: ['server_error', 'unavailable'],
} as const satisfies ApiEndpointSchema

export function mountGetCoverage(app: TypedServer, ports: Ports): void {
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

export function mountPublicCoverage(app: TypedServer, ports: Ports): void {
  // D41: pages of any origin may read the coverage and its errors.
  const onRequest = (_request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    reply.header('access-control-allow-origin', '*')
    done()
  }

  // The CORS preflight of a browser.
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
    reply.header('cache-control', `public, max-age=${COVERAGE_CACHE_SECONDS}`)
    return { live: inState(countries, 'live'), comingSoon: inState(countries, 'comingSoon') }
  })
}

function inState(countries: Country[], state: CountryState) {
  return countries.filter((it) => it.state === state).map(({ code, name }) => ({ code, name }))
}
