// Links that work once, over HTTP: what one is for, and using it. Their secrets come in bodies, never in an address.
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { type LookedAt, lookAtLink, useLink } from '../../actions/people/use-link.ts'
import type { Ports } from '../../actions/ports.ts'
import { WORKSPACE_ROLES } from '../../domain/people/permission.ts'
import { respond, sendRefusal } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { ZodTypeProvider } from '../../http/validation.ts'
import { fromOf, judgeWire } from '../browser.ts'
import { endpointsOf } from '../endpoint.ts'
import { email, line, newPassword } from '../fields.ts'
import { answerSignIn, signedInAnswer } from './sessions.ts'

const secret = z.string().min(1).max(200).describe('What stands behind the # of the link.')
const look = z.strictObject({ secret }).meta({ title: 'LinkSecret' })
const use = z
  .strictObject({
    secret,
    email: email.optional().describe('Where the link is for nobody in particular.'),
    name: line(100).optional(),
    password: newPassword.optional().describe('A new one; of who is here already, the one they have.'),
  })
  .meta({ title: 'LinkUse' })

const linkAnswer = z
  .object({
    kind: z.enum(['operator', 'member', 'recovery']),
    email: z.string().nullable().describe('null: say it when you use the link.'),
    workspace: z.string().nullable().describe('The name of what one joins.'),
    role: z.enum(WORKSPACE_ROLES).nullable(),
    needs: z
      .enum(['nothing', 'new_password', 'password'])
      .describe(
        'What `password` has to be: left out if you like, a new one, or the one of your account here; without an account, a new one.',
      ),
    expiresAt: time,
  })
  .meta({ title: 'Link' })

const endpoint = endpointsOf('Signing in')
const calls = {
  look: endpoint(
    { roles: ['anybody'], scope: 'person' },
    {
      operationId: 'lookAtLink',
      summary: 'Look what a link is for',
      body: look,
      response: { 200: linkAnswer },
      refusals: ['not_found'],
    },
  ),
  use: endpoint(
    { roles: ['anybody'], scope: 'person' },
    {
      operationId: 'useLink',
      summary: 'Use a link',
      description: 'It works once, and signs in.',
      body: use,
      response: { 200: signedInAnswer },
      refusals: ['not_found', 'conflict', 'rate_limited'],
    },
  ),
}

export function mountLinks(server: FastifyInstance, ports: Ports): void {
  const app = server.withTypeProvider<ZodTypeProvider>()

  app.post('/links/look', calls.look, async (request, reply) =>
    respond(
      reply,
      await lookAtLink(ports, { secret: request.body.secret, signedIn: request.session?.personId ?? null }),
      {
        view: viewOf,
      },
    ),
  )

  app.post('/links/use', calls.use, async (request, reply) => {
    const refusal = judgeWire(request)
    if (refusal) return sendRefusal(reply, refusal)
    const { body, session } = request
    const brought = { email: body.email ?? null, name: body.name ?? null, password: body.password ?? null }
    const signedIn = session?.personId ?? null
    const tickets = await useLink(ports, { secret: body.secret, ...brought, signedIn, from: fromOf(request) })
    return answerSignIn(request, reply, tickets)
  })
}

function viewOf({ invitation: { purpose, expiresAt }, workspaceName, needs }: LookedAt): z.input<typeof linkAnswer> {
  const { kind, email } = purpose
  return { kind, email, workspace: workspaceName, role: kind === 'member' ? purpose.role : null, needs, expiresAt }
}
