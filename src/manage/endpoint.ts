// The definition of a management endpoint: its roles, its tag and its schemas.
import type { FastifyContextConfig } from 'fastify'
import { EVERY_ROLE, type Permission } from '../domain/people/permission.ts'
import type { EndpointSchema } from '../http/openapi/endpoint.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Required for every route of the management API. */
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
  Live: 'Server-sent events of changes, messages and traffic.',
  Codes: 'OTP statistics and the fraud guard.',
  'API requests': 'Requests of API clients.',
  Replies: 'Inbound messages.',
  Carriers: 'Carriers over SMPP and HTTP, with their connections, tests, captures and prices.',
  Routes: 'Which carrier gets which numbers.',
  Service: 'Service status, the sending switch, and countries.',
  'Audit log': 'A record of every change.',
  'Trying out': 'Test tools: the simulator and the manual clock.',
} as const

/** `refusals` lists the errors beyond the errors of every call. */
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

/** Needs a sign-in within the last ten minutes: for secrets, money and access. */
export function fresh(permission: Permission): Permission {
  return { ...permission, fresh: true }
}

export function endpointsOf(tag: keyof typeof MANAGEMENT_TAGS) {
  return <const Schema extends CallSchema>(permission: Permission, schema: Schema) => ({
    config: { permission },
    schema: { ...schema, tag, refusals: schema.refusals ?? [] },
  })
}

export function permissionOf({ url, config }: { url: string; config?: FastifyContextConfig }): Permission {
  if (!config?.permission) throw new Error(`the route ${url} has no permission`)
  return config.permission
}
