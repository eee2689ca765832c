// How a call of the management API describes itself: who may make it, what it takes, and what it answers.
import type { FastifyContextConfig } from 'fastify'
import { EVERY_ROLE, type Permission } from '../domain/people/permission.ts'
import type { EndpointSchema } from '../http/openapi/endpoint.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may use a route of the management API; one without it cannot be mounted there. */
    permission?: Permission
  }
}

export const MANAGEMENT_TAGS = {
  Caller: 'Who asks, and what is called by a name.',
  Workspaces: 'Customers: their money and what they may send.',
  'Signing in': 'What only people do: sessions, links that work once, and the own account.',
  People: 'Who belongs to a workspace, or operates the service, and who is asked to.',
  'Owner tokens': 'With which programs manage a workspace, or the service.',
  Clients: 'Whoever sends with an API key, and what it may do.',
  'Webhook deliveries': 'What receivers were told, and telling them again.',
  Templates: 'What may be sent, and its review.',
  Messages: 'What happened to each.',
  Live: 'What happens, as it happens.',
  Codes: 'How many arrive and are verified, and what the pumping guard saw.',
  'API requests': 'What became of the requests of API clients.',
  Replies: 'What handsets wrote back.',
  Carriers: 'Accounts at SMSCs, and how their binds do.',
  Routes: 'Which carrier serves which numbers.',
  Service: 'How it does now, the switch, and the countries.',
  'Audit log': 'Who changed what.',
  'Trying out': 'Only where a simulator runs, or a clock that is moved by hand.',
} as const

/** Its refusals are those it has beside what every call may be refused for. */
interface CallSchema
  extends Omit<EndpointSchema, 'tag' | 'isPublic' | 'refusals'>,
    Partial<Pick<EndpointSchema, 'refusals'>> {}

// Who may make a call. A workspace role includes the roles before it.
export const OPERATORS = { roles: ['operator'], scope: 'service' } as const satisfies Permission
export const WORKSPACE_OPERATORS = { roles: ['operator'], scope: 'workspace' } as const satisfies Permission
export const OWNERS = { roles: ['operator', 'owner'], scope: 'workspace' } as const satisfies Permission
export const DEVELOPERS = {
  roles: ['operator', 'owner', 'developer'],
  scope: 'workspace',
} as const satisfies Permission
export const VIEWERS = { roles: EVERY_ROLE, scope: 'workspace' } as const satisfies Permission
export const CALLERS = { roles: EVERY_ROLE, scope: 'caller' } as const satisfies Permission
export const EVERY_PERSON = { roles: EVERY_ROLE, scope: 'person' } as const satisfies Permission
export const ANYBODY = { roles: ['anybody'], scope: 'person' } as const satisfies Permission

/** With a sign-in of the last ten minutes: for secrets, money, and who may enter. */
export function fresh(permission: Permission): Permission {
  return { ...permission, fresh: true }
}

/** For the calls of one tag. */
export function endpointsOf(tag: keyof typeof MANAGEMENT_TAGS) {
  return <const Schema extends CallSchema>(permission: Permission, schema: Schema) => ({
    config: { permission },
    schema: { ...schema, tag, refusals: schema.refusals ?? [] },
  })
}

/** A route that does not say who may use it cannot be mounted. */
export function permissionOf({ url, config }: { url: string; config?: FastifyContextConfig }): Permission {
  if (!config?.permission) throw new Error(`the route ${url} does not say who may use it`)
  return config.permission
}
