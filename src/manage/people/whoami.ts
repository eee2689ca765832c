// The current caller, and a search by name, for the console and the command line.
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Ports } from '../../actions/ports.ts'
import { LANGUAGES } from '../../domain/language.ts'
import { onlyWorkspace } from '../../domain/people/actor.ts'
import { EVERY_ROLE, WORKSPACE_ROLES } from '../../domain/people/permission.ts'
import { freshUntil } from '../../domain/people/session.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import { findOwnerToken } from '../../store/people/owner-tokens.ts'
import { findPerson, listMemberships } from '../../store/people/people.ts'
import { findByName, NAMED_KINDS } from '../../store/service/names.ts'
import { findWorkspace } from '../../store/workspaces/workspaces.ts'
import { callerOf, dbOf, headerWorkspace } from '../authenticate.ts'
import { CALLERS, endpointsOf } from '../endpoint.ts'
import { line, uuid, wholeListOf } from '../fields.ts'

const called = z.object({
  kind: z.enum(NAMED_KINDS).describe('Type of the object.'),
  name: line(100).describe('The exact name.'),
  workspace: uuid.optional().describe('Only objects of this workspace.'),
})
const MAX_NAMED = 20

const named = z.object({ id: z.uuid(), name: z.string() })
const caller = z
  .object({
    kind: z.enum(EVERY_ROLE).describe('Current role.'),
    token: named.nullable().describe('Token of a program.'),
    workspace: named.nullable().describe('Current workspace; null for an operator without one.'),
    person: named
      .extend({
        email: z.string(),
        language: z.enum(LANGUAGES).nullable(),
        hasPassword: z.boolean(),
        hasTotp: z.boolean(),
      })
      .nullable(),
    session: z.object({ id: z.uuid(), freshUntil: time, endsAt: time }).nullable().describe('Session of a person.'),
    isOperator: z.boolean(),
    memberships: z
      .array(z.object({ workspace: named, role: z.enum(WORKSPACE_ROLES) }))
      .describe('All memberships of the person, oldest first.'),
  })
  .meta({ title: 'Caller' })
const thing = named.extend({ workspaceId: z.uuid().nullable() }).meta({ title: 'Named' })

const endpoint = endpointsOf('Caller')
const calls = {
  whoami: endpoint(CALLERS, { operationId: 'whoami', summary: 'Get the current session', response: { 200: caller } }),
  names: endpoint(CALLERS, {
    operationId: 'findNamed',
    summary: 'Find objects by name',
    description: `Up to ${MAX_NAMED}, newest first.`,
    querystring: called,
    response: { 200: wholeListOf(thing) },
  }),
}

export function mountWhoami(app: TypedServer, ports: Ports): void {
  app.get('/whoami', calls.whoami, (request) => describeCaller(ports, request))

  app.get('/names', calls.names, async (request) => {
    const { kind, name, workspace = null } = request.query
    const own = onlyWorkspace(callerOf(request).actor)
    // Another workspace looks empty, like one that does not exist.
    if (own !== null && workspace !== null && workspace !== own) return { items: [], next: null }
    return {
      items: await findByName(dbOf(ports, request), { kind, name, within: own ?? workspace, limit: MAX_NAMED }),
      next: null,
    }
  })
}

async function describeCaller(ports: Ports, request: FastifyRequest): Promise<z.input<typeof caller>> {
  const { actor } = callerOf(request)
  const db = dbOf(ports, request)
  const { session } = request
  const opened = actor.kind === 'operator' ? z.uuid().safeParse(headerWorkspace(request)).data : actor.workspaceId
  const [token, workspace, person, memberships] = await Promise.all([
    actor.tokenId === undefined ? null : findOwnerToken(db, actor.tokenId),
    opened === undefined ? null : findWorkspace(db, { id: opened, within: onlyWorkspace(actor) }),
    session && findPerson(db, session.personId),
    session ? listMemberships(db, session.personId) : [],
  ])
  return {
    kind: actor.kind,
    token: token && { id: token.id, name: token.name },
    workspace: workspace && { id: workspace.id, name: workspace.name },
    person: person && {
      id: person.id,
      name: person.name,
      email: person.email,
      language: person.language,
      hasPassword: person.passwordHash !== null,
      hasTotp: person.hasTotp,
    },
    session: session && { id: session.id, freshUntil: freshUntil(session), endsAt: session.endsAt },
    isOperator: actor.kind === 'operator',
    memberships: memberships.map(({ workspaceId: id, workspaceName: name, role }) => ({
      workspace: { id, name },
      role,
    })),
  }
}
