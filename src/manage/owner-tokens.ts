// Owner tokens over HTTP: made by the operator, shown once, revocable.
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { cancelOwnerToken, createOwnerToken, MOST_TOKENS } from '../actions/manage-owner-tokens.ts'
import type { Ports } from '../actions/ports.ts'
import { refuse } from '../domain/refusals.ts'
import { respond, sendRefusal } from '../http/reply.ts'
import { time } from '../http/time.ts'
import type { ZodTypeProvider } from '../http/validation.ts'
import { listOwnerTokens } from '../store/owner-tokens.ts'
import { callerOf, dbOf, findAskedWorkspace } from './authenticate.ts'
import { endpointsOf } from './endpoint.ts'
import { byId, line, listOf, nothing, pageFrom, pageOf, paging } from './fields.ts'

const newToken = z
  .strictObject({ name: line(100).describe('To tell tokens apart by.') })
  .meta({ title: 'NewOwnerToken' })
const byBoth = byId.extend({ tokenId: z.uuid() })

const madeAnswer = z
  .object({ id: z.uuid(), token: z.string().describe('Shown only here.') })
  .meta({ title: 'OwnerTokenSecret' })
const tokenAnswer = z
  .object({ id: z.uuid(), workspaceId: z.uuid(), name: z.string(), createdAt: time, revokedAt: time.nullable() })
  .meta({ title: 'OwnerToken' })

const endpoint = endpointsOf('Owner tokens')
const calls = {
  create: endpoint(
    { roles: ['operator'], scope: 'workspace' },
    {
      operationId: 'createOwnerToken',
      summary: 'Make an owner token',
      description: `A workspace has up to ${MOST_TOKENS} that work.`,
      params: byId,
      body: newToken,
      response: { 201: madeAnswer },
      refusals: ['conflict'],
    },
  ),
  list: endpoint(
    { roles: ['operator'], scope: 'workspace' },
    {
      operationId: 'listOwnerTokens',
      summary: 'List owner tokens, revoked ones included',
      params: byId,
      querystring: paging,
      response: { 200: listOf(tokenAnswer) },
    },
  ),
  revoke: endpoint(
    { roles: ['operator'], scope: 'workspace' },
    {
      operationId: 'revokeOwnerToken',
      summary: 'Revoke an owner token',
      description: 'It stops working at once.',
      params: byBoth,
      response: { 204: nothing },
    },
  ),
}

export function mountOwnerTokens(server: FastifyInstance, ports: Ports): void {
  const app = server.withTypeProvider<ZodTypeProvider>()

  app.post('/workspaces/:id/owner-tokens', calls.create, async (request, reply) => {
    const result = await createOwnerToken(ports, callerOf(request), {
      workspaceId: request.params.id,
      name: request.body.name,
    })
    return respond(reply, result, { status: 201, view: (token) => token })
  })

  app.get('/workspaces/:id/owner-tokens', calls.list, async (request, reply) => {
    const workspace = await findAskedWorkspace(ports, request)
    if (!workspace) return sendRefusal(reply, refuse('not_found'))
    const tokens = await listOwnerTokens(dbOf(ports, request), {
      workspaceId: workspace.id,
      ...pageFrom(request.query),
    })
    return pageOf(tokens, request.query.limit, (token) => token)
  })

  app.delete('/workspaces/:id/owner-tokens/:tokenId', calls.revoke, async (request, reply) => {
    const { id: workspaceId, tokenId: id } = request.params
    const refusal = await cancelOwnerToken(ports, callerOf(request), { id, workspaceId })
    return respond(reply, refusal, { status: 204, view: () => null })
  })
}
