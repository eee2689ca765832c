// Delivers single-use links: by mail, or in the response for the caller to share.
import type { FastifyRequest } from 'fastify'
import { type ChangedEmail, dropEmailLink, type EmailLinkWithSecret } from '../../actions/people/change-account.ts'
import type { IssuedLink } from '../../actions/people/invite-people.ts'
import type { Ports } from '../../actions/ports.ts'
import { FIRST_OPERATOR } from '../../domain/people/invitation.ts'
import { type Refusal, refuse } from '../../domain/refusals.ts'
import type { PublicUrl } from '../../http/address.ts'
import type { Email, Mail } from '../../identity/mail.ts'
import { inBackground } from '../../runtime/log.ts'
import { linkFor } from '../browser.ts'

export interface MailContext {
  mail: Mail | null
  publicUrl: PublicUrl
}

const NOT_SENT = refuse('unavailable', { error: 'The mail could not be sent; create the link again later' })

/** `link` is null if the link was mailed: then only the recipient sees it. */
export async function deliverLink(
  request: FastifyRequest,
  link: IssuedLink,
  { mail, publicUrl }: MailContext,
): Promise<{ link: string | null } | Refusal> {
  const url = linkFor(request, link.secret, publicUrl)
  if (!link.isMailed || !mail) return { link: url }
  try {
    await mail.send(invitationMail(link, url))
    return { link: null }
  } catch (error) {
    request.log.error({ err: error, requestId: request.id }, 'mailing a link failed')
    return NOT_SENT
  }
}

export function canMailTo(email: string | null, { mail }: MailContext): boolean {
  return mail !== null && email !== null
}

const SUBJECTS = {
  operator: 'You are invited to operate Hulaki',
  member: 'You are invited to a workspace on Hulaki',
  recovery: 'Reset your Hulaki password',
}

function invitationMail({ purpose, expiresAt }: IssuedLink, url: string): Email {
  const text = [
    purpose.kind === 'recovery' ? 'Open this link to set a new password:' : 'Open this link to accept the invitation:',
    '',
    url,
    '',
    `The link works once, until ${expiryText(expiresAt)}. If you do not expect this mail, ignore it.`,
    '',
  ].join('\n')
  return { to: purpose.email ?? '', subject: SUBJECTS[purpose.kind], text }
}

function expiryText(expiresAt: Date): string {
  return `${expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** The new address gets a mail with or without an account, so that only its owner learns which (D70). */
export async function mailEmailLink(
  request: FastifyRequest,
  link: EmailLinkWithSecret,
  { ports, mail, publicUrl }: MailContext & { ports: Ports },
): Promise<Refusal | null> {
  if (!mail) throw new Error('a link to a new address was created without a mail server')
  const email = link.isTaken ? takenAddressMail(link) : newAddressMail(link, linkFor(request, link.secret, publicUrl))
  try {
    await mail.send(email)
    return null
  } catch (error) {
    request.log.error({ err: error, requestId: request.id }, 'email link mail failed')
    await dropEmailLink(ports, link)
    return refuse('unavailable', { error: 'The mail could not be sent; save the address again later' })
  }
}

function newAddressMail({ email, expiresAt }: EmailLinkWithSecret, url: string): Email {
  const text = [
    'Open this link to use this address for your Hulaki account:',
    '',
    url,
    '',
    `The link works once, until ${expiryText(expiresAt)}. If you did not request it, ignore this mail.`,
    '',
  ].join('\n')
  return { to: email, subject: 'Confirm your new address for Hulaki', text }
}

function takenAddressMail({ email }: EmailLinkWithSecret): Email {
  const text = [
    'You or another person tried to use this address for a Hulaki account.',
    'Nothing was changed, because an account with this address exists already.',
    '',
    'If it was you, sign in to that account, or contact the operator of the service. Otherwise ignore this mail.',
    '',
  ].join('\n')
  return { to: email, subject: 'This address has a Hulaki account already', text }
}

/** Notifies the old address, without the new address, so that the owner notices a change by another person. */
export function mailEmailNotice(
  request: FastifyRequest,
  { oldEmail, person }: ChangedEmail,
  { mail }: MailContext,
): void {
  // The placeholder of the first operator has no mailbox.
  if (!mail || oldEmail === person.email || oldEmail === FIRST_OPERATOR.email) return
  const text = [
    'The e-mail address of your Hulaki account was changed. You sign in with the new address from now on.',
    '',
    'If you did not change it, contact the operator of the service immediately.',
    '',
  ].join('\n')
  const notice = { to: oldEmail, subject: 'The address of your Hulaki account was changed', text }
  inBackground(mail.send(notice), request.log, 'mailing the notice of a new address')
}
