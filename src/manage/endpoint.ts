// How an endpoint of the management API describes itself: its roles, its input and its answer.
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
  Caller: 'The current token or session, and a search by name.',
  Workspaces: 'Customers, with their settings, credit and usage.',
  'Signing in': 'Sessions, single-use links and accounts of people.',
  People: 'Members of workspaces, operators, and their invitations.',
  'Owner tokens': 'Tokens with which programs manage a workspace or the service.',
  Clients: 'API clients, with their keys, limits and restrictions.',
  'Webhook deliveries': 'Webhook events, their attempts, and replays.',
  Templates: 'Message templates and their review.',
  Messages: 'Messages with their timelines, and actions on them.',
  Live: 'Server-sent events of messages and traffic.',
  Codes: 'OTP statistics and the fraud guard.',
  'API requests': 'Failed requests of API clients.',
  Replies: 'Inbound messages.',
  Carriers: 'Carriers over SMPP and HTTP, with their connections, tests, captures and prices.',
  Routes: 'Which carrier gets which numbers.',
  Service: 'Service status, the sending switch, and countries.',
  'Audit log': 'A record of every change.',
  'Trying out': 'Test tools: the simulator and the manual clock.',
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
