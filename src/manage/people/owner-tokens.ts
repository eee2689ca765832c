// Tokens for programs: tokens of a workspace, and tokens of the operator.
import { z } from 'zod'
import { cancelOwnerToken, createOwnerToken, MAX_TOKENS } from '../../actions/people/manage-owner-tokens.ts'
import type { Ports } from '../../actions/ports.ts'
import { EVERY_ROLE, WORKSPACE_ROLES } from '../../domain/people/permission.ts'
import { respond, respondEmpty } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import { listOwnerTokens, type OwnerToken } from '../../store/people/owner-tokens.ts'
import { callerOf, dbOf, loadWorkspace } from '../authenticate.ts'
import { endpointsOf, fresh, OPERATORS, OWNERS } from '../endpoint.ts'
import { byId, instant, line, listOf, noContent, pageFrom, pageOf, paging, uuid } from '../fields.ts'

const name = line(100).describe('Name of the token.')
const expiresAt = instant.nullable().default(null).describe('Expiry, such as 2027-01-01T00:00:00Z. Default: never.')
const newToken = z
  .strictObject({ name, role: z.enum(WORKSPACE_ROLES).default('owner').describe('Role of the token.'), expiresAt })
  .meta({ title: 'NewOwnerToken' })
const newOperatorToken = z.strictObject({ name, expiresAt }).meta({ title: 'NewOperatorToken' })
const byBoth = byId.extend({ tokenId: uuid })

const madeAnswer = z
  .object({ id: z.uuid(), token: z.string().describe('Shown once.') })
  .meta({ title: 'OwnerTokenSecret' })
const tokenAnswer = z
  .object({
    id: z.uuid(),
    workspaceId: z.uuid().nullable().describe('null: an operator token.'),
    name: z.string(),
    role: z.enum(EVERY_ROLE),
    createdAt: time,
    expiresAt: time.nullable(),
    lastUsedAt: time.nullable().describe('Accurate to the minute.'),
    revokedAt: time.nullable(),
  })
  .meta({ title: 'OwnerToken' })

const endpoint = endpointsOf('Owner tokens')
const calls = {
  create: endpoint(fresh(OWNERS), {
    operationId: 'createOwnerToken',
    summary: 'Create an owner token',
    description: `The token is shown once. A workspace has up to ${MAX_TOKENS} active tokens.`,
    params: byId,
    body: newToken,
    response: { 201: madeAnswer },
    refusals: ['conflict'],
  }),
  list: endpoint(OWNERS, {
    operationId: 'listOwnerTokens',
    summary: 'List owner tokens',
    description: 'Includes revoked tokens.',
    params: byId,
    querystring: paging,
    response: { 200: listOf(tokenAnswer) },
  }),
  revoke: endpoint(OWNERS, {
    operationId: 'revokeOwnerToken',
    summary: 'Revoke an owner token',
    description: 'The token stops working immediately.',
    params: byBoth,
    response: { 204: noContent },
  }),
  createOperator: endpoint(fresh(OPERATORS), {
    operationId: 'createOperatorToken',
    summary: 'Create an operator token',
    description: `The token is shown once. There are up to ${MAX_TOKENS} active tokens, beside HULAKI_OPERATOR_TOKEN.`,
    body: newOperatorToken,
    response: { 201: madeAnswer },
    refusals: ['conflict'],
  }),
  listOperator: endpoint(OPERATORS, {
    operationId: 'listOperatorTokens',
    summary: 'List operator tokens',
    description: 'Includes revoked tokens.',
    querystring: paging,
    response: { 200: listOf(tokenAnswer) },
  }),
  revokeOperator: endpoint(OPERATORS, {
    operationId: 'revokeOperatorToken',
    summary: 'Revoke an operator token',
    description: 'The token stops working immediately.',
    params: z.object({ tokenId: uuid }),
    response: { 204: noContent },
  }),
}

/** Owners do not see which operator created a token. */
function tokenView({ personId: _, ...token }: OwnerToken): Omit<OwnerToken, 'personId'> {
  return token
}

export function mountOwnerTokens(app: TypedServer, ports: Ports): void {
  app.post('/workspaces/:id/owner-tokens', calls.create, async (request, reply) => {
    const requested = { workspaceId: request.params.id, ...request.body }
    return respond(reply, await createOwnerToken(ports, callerOf(request), requested), {
      status: 201,
      view: (it) => it,
    })
  })

  app.get('/workspaces/:id/owner-tokens', calls.list, async (request) => {
    const workspace = await loadWorkspace(ports, request)
    const requested = { workspaceId: workspace.id, ...pageFrom(request.query) }
    return pageOf(await listOwnerTokens(dbOf(ports, request), requested), request.query.limit, tokenView)
  })

  app.delete('/workspaces/:id/owner-tokens/:tokenId', calls.revoke, async (request, reply) => {
    const { id: workspaceId, tokenId: id } = request.params
    const refusal = await cancelOwnerToken(ports, callerOf(request), { id, workspaceId })
    return respondEmpty(reply, refusal)
  })

  app.post('/operators/tokens', calls.createOperator, async (request, reply) => {
    const requested = { workspaceId: null, role: 'operator', ...request.body } as const
    return respond(reply, await createOwnerToken(ports, callerOf(request), requested), {
      status: 201,
      view: (it) => it,
    })
  })

  app.get('/operators/tokens', calls.listOperator, async (request) => {
    const tokens = await listOwnerTokens(dbOf(ports, request), { workspaceId: null, ...pageFrom(request.query) })
    return pageOf(tokens, request.query.limit, tokenView)
  })

  app.delete('/operators/tokens/:tokenId', calls.revokeOperator, async (request, reply) => {
    const requested = { id: request.params.tokenId, workspaceId: null }
    return respondEmpty(reply, await cancelOwnerToken(ports, callerOf(request), requested))
  })
}
