// What people tell of themselves, over HTTP.
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { changeAccount, changePassword } from '../../actions/people/manage-people.ts'
import type { Ports } from '../../actions/ports.ts'
import { EVERY_ROLE } from '../../domain/people/permission.ts'
import { LANGUAGES } from '../../domain/people/person.ts'
import { refuse } from '../../domain/refusals.ts'
import { respond } from '../../http/reply.ts'
import type { ZodTypeProvider } from '../../http/validation.ts'
import { findPerson, type Person } from '../../store/people/people.ts'
import { callerOf, dbOf, sessionOf } from '../authenticate.ts'
import { endpointsOf } from '../endpoint.ts'
import { email, line, newPassword, nothing } from '../fields.ts'

const change = z
  .strictObject({
    email: email.optional().describe('Asks for a fresh sign-in.'),
    name: line(100).optional(),
    language: z.enum(LANGUAGES).nullable().optional(),
  })
  .meta({ title: 'AccountChange' })
const choice = z.strictObject({ password: newPassword }).meta({ title: 'NewPassword' })

const accountAnswer = z
  .object({
    id: z.uuid(),
    email: z.string(),
    name: z.string(),
    language: z.enum(LANGUAGES).nullable().describe('null: as the browser says.'),
    hasPassword: z.boolean(),
    hasTotp: z.boolean().describe('Whether codes of an app are asked for.'),
  })
  .meta({ title: 'Account' })

const endpoint = endpointsOf('Signing in')
const calls = {
  read: endpoint(
    { roles: EVERY_ROLE, scope: 'person' },
    {
      operationId: 'getAccount',
      summary: 'Read your account',
      response: { 200: accountAnswer },
      refusals: ['not_found'],
    },
  ),
  change: endpoint(
    { roles: EVERY_ROLE, scope: 'person' },
    {
      operationId: 'changeAccount',
      summary: 'Change your account',
      body: change,
      response: { 200: accountAnswer },
      refusals: ['not_found', 'sign_in_again'],
    },
  ),
  password: endpoint(
    { roles: EVERY_ROLE, scope: 'person' },
    {
      operationId: 'changePassword',
      summary: 'Choose a password',
      description: 'Signs out everywhere else. Who can sign in otherwise is asked for a fresh sign-in.',
      body: choice,
      response: { 204: nothing },
      refusals: ['not_found', 'conflict', 'sign_in_again'],
    },
  ),
}

export function mountAccount(server: FastifyInstance, ports: Ports): void {
  const app = server.withTypeProvider<ZodTypeProvider>()

  app.get('/account', calls.read, async (request, reply) => {
    const person = await findPerson(dbOf(ports, request), sessionOf(request).personId)
    return respond(reply, person ?? refuse('not_found'), { view: viewOf })
  })

  app.patch('/account', calls.change, async (request, reply) => {
    const asked = { session: sessionOf(request), change: request.body }
    return respond(reply, await changeAccount(ports, callerOf(request), asked), { view: viewOf })
  })

  app.put('/account/password', calls.password, async (request, reply) => {
    const asked = { session: sessionOf(request), password: request.body.password }
    return respond(reply, await changePassword(ports, callerOf(request), asked), { status: 204, view: () => null })
  })
}

function viewOf({ id, email, name, language, passwordHash, hasTotp }: Person): z.input<typeof accountAnswer> {
  return { id, email, name, language, hasPassword: passwordHash !== null, hasTotp }
}
