// Single-use links. Their secrets are in request bodies, never in URLs.
import { z } from 'zod'
import { findEmailLink, useEmailLink } from '../../actions/people/change-account.ts'
import { getLink, type LinkDetails, useLink } from '../../actions/people/use-link.ts'
import type { Ports } from '../../actions/ports.ts'
import { WORKSPACE_ROLES } from '../../domain/people/permission.ts'
import { Refusal } from '../../domain/refusals.ts'
import { respond, sendRefusal } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import type { EmailLink } from '../../store/people/email-links.ts'
import { callerOf } from '../authenticate.ts'
import { checkHttps, fromOf } from '../browser.ts'
import { ANYBODY, endpointsOf } from '../endpoint.ts'
import { email, line, newPassword } from '../fields.ts'
import { type MailContext, mailEmailNotice } from './mailing.ts'
import { answerSignIn, signedInAnswer } from './sessions.ts'

const secret = z.string().min(1).max(200).describe('The part of the link after #.')
const lookUp = z.strictObject({ secret }).meta({ title: 'LinkSecret' })
const use = z
  .strictObject({
    secret,
    email: email.optional().describe('Required if the link names no address.'),
    name: line(100).optional(),
    password: newPassword.optional().describe('A new password, or the password of an existing account.'),
  })
  .meta({ title: 'LinkUse' })

const linkAnswer = z
  .object({
    kind: z
      .enum(['operator', 'member', 'recovery', 'email'])
      .describe('`email`: confirms a new address of an account.'),
    email: z.string().nullable().describe('null: give it when you use the link.'),
    workspace: z.string().nullable().describe('Name of the workspace to join.'),
    role: z.enum(WORKSPACE_ROLES).nullable(),
    needs: z
      .enum(['nothing', 'new_password', 'password', 'sign_in'])
      .describe(
        'What `password` must be: optional, a new password, or the password of the existing account. `sign_in`: sign in to the account first.',
      ),
    expiresAt: time,
  })
  .meta({ title: 'Link' })

const endpoint = endpointsOf('Signing in')
const calls = {
  view: endpoint(ANYBODY, {
    operationId: 'getLink',
    summary: 'Get a link',
    body: lookUp,
    response: { 200: linkAnswer },
    refusals: ['not_found'],
  }),
  use: endpoint(ANYBODY, {
    operationId: 'useLink',
    summary: 'Use a link',
    description:
      'A link works once, and signs the person in. A link that confirms a new address needs a recent sign-in to its account.',
    body: use,
    response: { 200: signedInAnswer },
    refusals: ['not_found', 'conflict', 'rate_limited', 'sign_in_again'],
  }),
}

export function mountLinks(app: TypedServer, ports: Ports, mailing: MailContext): void {
  app.post('/links/view', calls.view, async (request, reply) => {
    const { secret } = request.body
    const signedIn = request.session?.personId ?? null
    const emailLink = await findEmailLink(ports, secret)
    if (emailLink) return emailView(emailLink, signedIn)
    return respond(reply, await getLink(ports, { secret, signedIn }), { view: linkView })
  })

  app.post('/links/use', calls.use, async (request, reply) => {
    const refusal = checkHttps(request)
    if (refusal) return sendRefusal(reply, refusal)
    const { body, session } = request
    const emailLink = await findEmailLink(ports, body.secret)
    if (emailLink) {
      const caller = request.actor && callerOf(request)
      const changed = await useEmailLink(ports, caller, { link: emailLink, secret: body.secret, session })
      if (changed instanceof Refusal) return sendRefusal(reply, changed)
      mailEmailNotice(request, changed, mailing)
      return { signedIn: true, needs: null }
    }
    const brought = { email: body.email ?? null, name: body.name ?? null, password: body.password ?? null }
    const signedIn = session?.personId ?? null
    const tickets = await useLink(ports, { secret: body.secret, ...brought, signedIn, from: fromOf(request) })
    return answerSignIn(request, reply, tickets)
  })
}

function linkView({
  invitation: { purpose, expiresAt },
  workspaceName,
  needs,
}: LinkDetails): z.input<typeof linkAnswer> {
  const { kind, email } = purpose
  return { kind, email, workspace: workspaceName, role: kind === 'member' ? purpose.role : null, needs, expiresAt }
}

function emailView({ personId, email, expiresAt }: EmailLink, signedIn: string | null): z.input<typeof linkAnswer> {
  const needs = signedIn === personId ? 'nothing' : 'sign_in'
  return { kind: 'email', email, workspace: null, role: null, needs, expiresAt }
}
