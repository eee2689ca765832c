// How a link reaches whoever it is for: mailed where that is set, else shown to whoever made it, to be handed on.
import type { FastifyRequest } from 'fastify'
import type { Link } from '../../actions/people/invite-people.ts'
import { type Refusal, refuse } from '../../domain/refusals.ts'
import type { PublicUrl } from '../../http/address.ts'
import type { Letter, Mail } from '../../identity/mail.ts'
import { linkTo } from '../browser.ts'

export interface Mailing {
  mail: Mail | null
  publicUrl: PublicUrl
}

const NOT_SENT = refuse('unavailable', { error: 'The mail could not be sent; make the link again in a moment' })

/** The link as it is shown: null where it was mailed, and nobody else sees it. */
export async function handOver(
  request: FastifyRequest,
  link: Link,
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

function letterFor({ purpose, expiresAt }: Link, url: string): Letter {
  const until = `${expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  const text = [
    purpose.kind === 'recovery' ? 'Choose a new password here:' : 'Open this link to come in:',
    '',
    url,
    '',
    `It works once, until ${until}. If you expected nothing like this, do nothing.`,
    '',
  ].join('\n')
  return { to: purpose.email ?? '', subject: SUBJECTS[purpose.kind], text }
}
