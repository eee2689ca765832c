// Operators of the service and their invitations.
import { z } from 'zod'
import { changeEmailAsOperator } from '../../actions/people/change-account.ts'
import { inviteOperator, recoverPerson, revokeInvitation } from '../../actions/people/invite-people.ts'
import { removeOperator } from '../../actions/people/manage-people.ts'
import type { Ports } from '../../actions/ports.ts'
import { LINK_HOURS, MAX_OPERATOR_INVITATIONS } from '../../domain/people/invitation.ts'
import { MAX_OPERATORS } from '../../domain/people/person.ts'
import { Refusal } from '../../domain/refusals.ts'
import { respond, respondEmpty, sendRefusal } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import { type Invitation, listInvitations } from '../../store/people/invitations.ts'
import { listOperators } from '../../store/people/people.ts'
import { callerOf, dbOf } from '../authenticate.ts'
import { endpointsOf, fresh, OPERATORS } from '../endpoint.ts'
import { email, listOf, noContent, pageFrom, pageOf, paging, uuid } from '../fields.ts'
import { canMailTo, deliverLink, type MailContext, mailEmailNotice } from './mailing.ts'
import { recoveryAnswer } from './members.ts'

const newInvitation = z
  .strictObject({ email: email.optional().describe('Address of the operator. Default: anyone with the link.') })
  .nullish()
  .meta({ title: 'NewOperatorInvitation' })
const personPatch = z.strictObject({ email }).meta({ title: 'PersonChange' })
const byPerson = z.object({ personId: uuid })

const operatorAnswer = z
  .object({ id: z.uuid(), email: z.string(), name: z.string(), createdAt: time, lastSeenAt: time.nullable() })
  .meta({ title: 'Operator' })
const invitationAnswer = z
  .object({ id: z.uuid(), email: z.string().nullable(), createdAt: time, expiresAt: time })
  .meta({ title: 'OperatorInvitation' })
const invitedAnswer = invitationAnswer
  .extend({ link: z.string().nullable().describe('Shown once. null: the link was mailed.') })
  .meta({ title: 'OperatorInvitationLink' })

const endpoint = endpointsOf('People')
const calls = {
  list: endpoint(OPERATORS, {
    operationId: 'listOperators',
    summary: 'List operators',
    querystring: paging,
    response: { 200: listOf(operatorAnswer) },
  }),
  remove: endpoint(fresh(OPERATORS), {
    operationId: 'removeOperator',
    summary: 'Remove an operator',
    description: 'The last operator cannot be removed. A person without any membership is signed out.',
    params: byPerson,
    response: { 204: noContent },
    refusals: ['conflict'],
  }),
  invite: endpoint(fresh(OPERATORS), {
    operationId: 'inviteOperator',
    summary: 'Invite an operator',
    description: `The link is valid for ${LINK_HOURS.operator} h, works once, and is shown once. There are up to ${MAX_OPERATORS} operators and ${MAX_OPERATOR_INVITATIONS} invitations.`,
    body: newInvitation,
    response: { 201: invitedAnswer },
    refusals: ['conflict'],
  }),
  invitations: endpoint(OPERATORS, {
    operationId: 'listOperatorInvitations',
    summary: 'List pending operator invitations',
    querystring: paging,
    response: { 200: listOf(invitationAnswer) },
  }),
  takeBack: endpoint(OPERATORS, {
    operationId: 'revokeOperatorInvitation',
    summary: 'Revoke an operator invitation',
    params: z.object({ invitationId: uuid }),
    response: { 204: noContent },
  }),
  changePerson: endpoint(fresh(OPERATORS), {
    operationId: 'changePerson',
    summary: 'Update the address of a person',
    description: 'Takes effect immediately. With mail, the old address gets a notice.',
    params: byPerson,
    body: personPatch,
    response: { 204: noContent },
  }),
  recover: endpoint(fresh(OPERATORS), {
    operationId: 'recoverPerson',
    summary: 'Reset the password of a person',
    description: `Returns a link, valid for ${LINK_HOURS.recovery} h and shown once.`,
    params: byPerson,
    response: { 201: recoveryAnswer },
    refusals: ['conflict'],
  }),
}

export function mountOperators(app: TypedServer, ports: Ports, mailing: MailContext): void {
  app.get('/operators', calls.list, async (request) => {
    const operators = await listOperators(dbOf(ports, request), pageFrom(request.query))
    return pageOf(operators, request.query.limit, (it) => it)
  })

  app.delete('/operators/:personId', calls.remove, async (request, reply) => {
    const result = await removeOperator(ports, callerOf(request), request.params.personId)
    return respondEmpty(reply, result)
  })

  app.post('/operators/invitations', calls.invite, async (request, reply) => {
    const email = request.body?.email ?? null
    const made = await inviteOperator(ports, callerOf(request), { email, isMailed: canMailTo(email, mailing) })
    if (made instanceof Refusal) return sendRefusal(reply, made)
    return respond(reply, await deliverLink(request, made, mailing), {
      status: 201,
      view: (given) => ({ ...invitationView(made), ...given }),
    })
  })

  app.get('/operators/invitations', calls.invitations, async (request) => {
    const requested = { workspaceId: null, now: ports.clock.now(), ...pageFrom(request.query) }
    return pageOf(await listInvitations(dbOf(ports, request), requested), request.query.limit, invitationView)
  })

  app.delete('/operators/invitations/:invitationId', calls.takeBack, async (request, reply) => {
    const requested = { id: request.params.invitationId, workspaceId: null }
    return respondEmpty(reply, await revokeInvitation(ports, callerOf(request), requested))
  })

  app.patch('/people/:personId', calls.changePerson, async (request, reply) => {
    const requested = { personId: request.params.personId, email: request.body.email }
    const changed = await changeEmailAsOperator(ports, callerOf(request), requested)
    if (!(changed instanceof Refusal)) mailEmailNotice(request, changed, mailing)
    return respondEmpty(reply, changed)
  })

  app.post('/people/:personId/recovery', calls.recover, async (request, reply) => {
    const requested = { personId: request.params.personId, workspaceId: null, isMailed: mailing.mail !== null }
    const made = await recoverPerson(ports, callerOf(request), requested)
    if (made instanceof Refusal) return sendRefusal(reply, made)
    return respond(reply, await deliverLink(request, made, mailing), {
      status: 201,
      view: (given) => ({ ...given, expiresAt: made.expiresAt }),
    })
  })
}

function invitationView({ id, purpose, createdAt, expiresAt }: Invitation): z.input<typeof invitationAnswer> {
  return { id, email: purpose.email, createdAt, expiresAt }
}
