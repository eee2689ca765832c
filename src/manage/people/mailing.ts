// How a link reaches whoever it is for: mailed where that is set, else shown to whoever made it, to be handed on.
import type { FastifyRequest } from 'fastify'
import { type ChangedEmail, dropEmailLink, type MadeEmailLink } from '../../actions/people/change-account.ts'
import type { IssuedLink } from '../../actions/people/invite-people.ts'
import type { Ports } from '../../actions/ports.ts'
import { FIRST_OPERATOR } from '../../domain/people/invitation.ts'
import { type Refusal, refuse } from '../../domain/refusals.ts'
import type { PublicUrl } from '../../http/address.ts'
import type { Email, Mail } from '../../identity/mail.ts'
import { inBackground } from '../../runtime/log.ts'
import { linkTo } from '../browser.ts'

export interface Mailing {
  mail: Mail | null
  publicUrl: PublicUrl
}

const NOT_SENT = refuse('unavailable', { error: 'The mail could not be sent; make the link again in a moment' })

/** The link as it is shown: null where it was mailed, and nobody else sees it. */
export async function handOver(
  request: FastifyRequest,
  link: IssuedLink,
  { mail, publicUrl }: Mailing,
): Promise<{ link: string | null } | Refusal> {
  const url = linkTo(request, link.secret, publicUrl)
  if (!link.isMailed || !mail) return { link: url }
  try {
    await mail.send(letterFor(link, url))
    return { link: null }
  } catch (fault) {
    request.log.error({ err: fault, requestId: request.id }, 'a link could not be mailed')
    return NOT_SENT
  }
}

/** Only with an address is there somebody to mail to. */
export function isMailable(email: string | null, { mail }: Mailing): boolean {
  return mail !== null && email !== null
}

const SUBJECTS = {
  operator: 'You are invited to operate Hulaki',
  member: 'You are invited to a workspace on Hulaki',
  recovery: 'A new password for Hulaki',
}

function letterFor({ purpose, expiresAt }: IssuedLink, url: string): Email {
  const text = [
    purpose.kind === 'recovery' ? 'Choose a new password here:' : 'Open this link to come in:',
    '',
    url,
    '',
    `It works once, until ${untilOf(expiresAt)}. If you expected nothing like this, do nothing.`,
    '',
  ].join('\n')
  return { to: purpose.email ?? '', subject: SUBJECTS[purpose.kind], text }
}

function untilOf(expiresAt: Date): string {
  return `${expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** A mail goes to the new address whether or not it has an account: only a person who reads it learns which (D70). */
export async function mailEmailLink(
  request: FastifyRequest,
  link: MadeEmailLink,
  { ports, mail, publicUrl }: Mailing & { ports: Ports },
): Promise<Refusal | null> {
  if (!mail) throw new Error('a link to a new address was made without a mail server')
  const letter = link.isTaken ? takenLetter(link) : newAddressLetter(link, linkTo(request, link.secret, publicUrl))
  try {
    await mail.send(letter)
    return null
  } catch (fault) {
    request.log.error({ err: fault, requestId: request.id }, 'email link mail failed')
    await dropEmailLink(ports, link)
    return refuse('unavailable', { error: 'The mail could not be sent; save the address again in a moment' })
  }
}

function newAddressLetter({ email, expiresAt }: MadeEmailLink, url: string): Email {
  const text = [
    'Open this link to use this address for your Hulaki account:',
    '',
    url,
    '',
    `It works once, until ${untilOf(expiresAt)}. If you did not ask for it, do nothing.`,
    '',
  ].join('\n')
  return { to: email, subject: 'Confirm your new address for Hulaki', text }
}

function takenLetter({ email }: MadeEmailLink): Email {
  const text = [
    'Somebody asked to use this address for a Hulaki account.',
    'Nothing was changed, because an account with this address exists already.',
    '',
    'If it was you, sign in with that account, or ask the operator of the service. If it was not you, do nothing.',
    '',
  ].join('\n')
  return { to: email, subject: 'This address has a Hulaki account already', text }
}

/** The old address gets a notice, so that a change by somebody else is noticed. The new address is not named there. */
export function mailEmailNotice(request: FastifyRequest, { oldEmail, person }: ChangedEmail, { mail }: Mailing): void {
  // The placeholder of the first operator has no mailbox.
  if (!mail || oldEmail === person.email || oldEmail === FIRST_OPERATOR.email) return
  const text = [
    'The e-mail address of your Hulaki account was changed. You sign in with the new address from now on.',
    '',
    'If you did not change it, tell the operator of the service at once.',
    '',
  ].join('\n')
  const letter = { to: oldEmail, subject: 'The address of your Hulaki account was changed', text }
  inBackground(mail.send(letter), request.log, 'mailing the notice of a new address')
}
