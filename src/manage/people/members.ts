// Members of a workspace and their invitations.
import { z } from 'zod'
import { inviteMember, recoverPerson, revokeInvitation } from '../../actions/people/invite-people.ts'
import { changeMember } from '../../actions/people/manage-people.ts'
import type { Ports } from '../../actions/ports.ts'
import { LINK_HOURS, MAX_INVITATIONS } from '../../domain/people/invitation.ts'
import { WORKSPACE_ROLES } from '../../domain/people/permission.ts'
import { MAX_MEMBERS } from '../../domain/people/person.ts'
import { Refusal } from '../../domain/refusals.ts'
import { respond, respondEmpty, sendRefusal } from '../../http/reply.ts'
import { time } from '../../http/time.ts'
import type { TypedServer } from '../../http/validation.ts'
import { type Invitation, listInvitations } from '../../store/people/invitations.ts'
import { listMembers } from '../../store/people/people.ts'
import { callerOf, dbOf, loadWorkspace } from '../authenticate.ts'
import { endpointsOf, fresh, OWNERS } from '../endpoint.ts'
import { byId, email, listOf, noContent, pageFrom, pageOf, paging, uuid } from '../fields.ts'
import { canMailTo, deliverLink, type MailContext } from './mailing.ts'

const role = z.enum(WORKSPACE_ROLES).describe('Role in the workspace.')
const newInvitation = z.strictObject({ email, role }).meta({ title: 'NewInvitation' })
const memberPatch = z.strictObject({ role }).meta({ title: 'MemberChange' })
const byMember = byId.extend({ personId: uuid })
const byInvitation = byId.extend({ invitationId: uuid })

const memberAnswer = z
  .object({
    id: z.uuid().describe('Id of the person.'),
    email: z.string(),
    name: z.string(),
    role,
    createdAt: time.describe('When the person joined.'),
    lastSeenAt: time.nullable().describe('Accurate to the minute; null without a session.'),
  })
  .meta({ title: 'Member' })
const invitationAnswer = z
  .object({ id: z.uuid(), email: z.string(), role, createdAt: time, expiresAt: time })
  .meta({ title: 'Invitation' })
const link = z.string().nullable().describe('Shown once. null: the link was mailed.')
const invitedAnswer = invitationAnswer.extend({ link }).meta({ title: 'InvitationLink' })
export const recoveryAnswer = z.object({ link, expiresAt: time }).meta({ title: 'RecoveryLink' })

const endpoint = endpointsOf('People')
const calls = {
  members: endpoint(OWNERS, {
    operationId: 'listMembers',
    summary: 'List members',
    params: byId,
    querystring: paging,
    response: { 200: listOf(memberAnswer) },
  }),
  change: endpoint(fresh(OWNERS), {
    operationId: 'changeMember',
    summary: 'Update the role of a member',
    params: byMember,
    body: memberPatch,
    response: { 204: noContent },
    refusals: ['conflict'],
  }),
  remove: endpoint(fresh(OWNERS), {
    operationId: 'removeMember',
    summary: 'Remove a member',
    description: 'Revokes their tokens and links. A person without any membership is signed out.',
    params: byMember,
    response: { 204: noContent },
    refusals: ['conflict'],
  }),
  recover: endpoint(fresh(OWNERS), {
    operationId: 'recoverMember',
    summary: 'Reset the password of a member',
    description: `Returns a link, valid for ${LINK_HOURS.recovery} h and shown once. An owner can reset only members who belong to no other workspace.`,
    params: byMember,
    response: { 201: recoveryAnswer },
    refusals: ['conflict'],
  }),
  invite: endpoint(fresh(OWNERS), {
    operationId: 'inviteMember',
    summary: 'Invite a member',
    description: `The link is valid for ${LINK_HOURS.member / 24} d, works once, and is shown once. A workspace has up to ${MAX_MEMBERS} members and ${MAX_INVITATIONS} invitations.`,
    params: byId,
    body: newInvitation,
    response: { 201: invitedAnswer },
    refusals: ['conflict'],
  }),
  invitations: endpoint(OWNERS, {
    operationId: 'listInvitations',
    summary: 'List pending invitations',
    params: byId,
    querystring: paging,
    response: { 200: listOf(invitationAnswer) },
  }),
  takeBack: endpoint(OWNERS, {
    operationId: 'revokeInvitation',
    summary: 'Revoke an invitation',
    params: byInvitation,
    response: { 204: noContent },
  }),
}

export function mountMembers(app: TypedServer, ports: Ports, mailing: MailContext): void {
  app.get('/workspaces/:id/members', calls.members, async (request) => {
    const workspace = await loadWorkspace(ports, request)
    const members = await listMembers(dbOf(ports, request), { workspaceId: workspace.id, ...pageFrom(request.query) })
    return pageOf(members, request.query.limit, (it) => it)
  })

  app.patch('/workspaces/:id/members/:personId', calls.change, async (request, reply) => {
    const { id: workspaceId, personId } = request.params
    const result = await changeMember(ports, callerOf(request), { workspaceId, personId, role: request.body.role })
    return respondEmpty(reply, result)
  })

  app.delete('/workspaces/:id/members/:personId', calls.remove, async (request, reply) => {
    const { id: workspaceId, personId } = request.params
    const result = await changeMember(ports, callerOf(request), { workspaceId, personId, role: null })
    return respondEmpty(reply, result)
  })

  app.post('/workspaces/:id/members/:personId/recovery', calls.recover, async (request, reply) => {
    const { id: workspaceId, personId } = request.params
    const isMailed = mailing.mail !== null
    const made = await recoverPerson(ports, callerOf(request), { workspaceId, personId, isMailed })
    if (made instanceof Refusal) return sendRefusal(reply, made)
    return respond(reply, await deliverLink(request, made, mailing), {
      status: 201,
      view: (given) => ({ ...given, expiresAt: made.expiresAt }),
    })
  })

  app.post('/workspaces/:id/invitations', calls.invite, async (request, reply) => {
    const { body } = request
    const requested = { workspaceId: request.params.id, ...body, isMailed: canMailTo(body.email, mailing) }
    const made = await inviteMember(ports, callerOf(request), requested)
    if (made instanceof Refusal) return sendRefusal(reply, made)
    return respond(reply, await deliverLink(request, made, mailing), {
      status: 201,
      view: (given) => ({ ...invitationView(made), ...given }),
    })
  })

  app.get('/workspaces/:id/invitations', calls.invitations, async (request) => {
    const workspace = await loadWorkspace(ports, request)
    const requested = { workspaceId: workspace.id, now: ports.clock.now(), ...pageFrom(request.query) }
    return pageOf(await listInvitations(dbOf(ports, request), requested), request.query.limit, invitationView)
  })

  app.delete('/workspaces/:id/invitations/:invitationId', calls.takeBack, async (request, reply) => {
    const { id: workspaceId, invitationId: id } = request.params
    const result = await revokeInvitation(ports, callerOf(request), { id, workspaceId })
    return respondEmpty(reply, result)
  })
}

function invitationView({ id, purpose, createdAt, expiresAt }: Invitation): z.input<typeof invitationAnswer> {
  if (purpose.kind !== 'member') throw new Error('an invitation of a workspace is not for a member')
  return { id, email: purpose.email, role: purpose.role, createdAt, expiresAt }
}
