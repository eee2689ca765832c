// The account of the signed-in person.
import { z } from 'zod'
import { type ChangedAccount, changeAccount } from '../../actions/people/change-account.ts'
import { changePassword } from '../../actions/people/manage-people.ts'
import type { Ports } from '../../actions/ports.ts'
import { LANGUAGES } from '../../domain/language.ts'
import {
  EMAIL_CHANGE_POLICIES,
  EMAIL_LINK_SECONDS,
  getEmailChangePolicy,
  MAX_EMAIL_LINKS,
} from '../../domain/people/email-link.ts'
import { Refusal } from '../../domain/refusals.ts'
import { requireFound, respond, respondEmpty, sendRefusal } from '../../http/reply.ts'
import type { TypedServer } from '../../http/validation.ts'
import { findOpenEmailLink } from '../../store/people/email-links.ts'
import { findPerson, type Person } from '../../store/people/people.ts'
import { callerOf, dbOf, sessionOf } from '../authenticate.ts'
import { EVERY_PERSON, endpointsOf } from '../endpoint.ts'
import { email, line, newPassword, noContent } from '../fields.ts'
import { type MailContext, mailEmailLink } from './mailing.ts'

const change = z
  .strictObject({
    email: email
      .optional()
      .describe('New address; needs a recent sign-in. With mail, it changes when the mailed link is used.'),
    name: line(100).optional(),
    language: z.enum(LANGUAGES).nullable().optional(),
  })
  .meta({ title: 'AccountChange' })
const choice = z.strictObject({ password: newPassword }).meta({ title: 'NewPassword' })

const accountAnswer = z
  .object({
    id: z.uuid(),
    email: z.string(),
    pendingEmail: z.string().nullable().describe('New address whose mailed link is not used yet.'),
    emailChange: z
      .enum(EMAIL_CHANGE_POLICIES)
      .describe('How a new address takes effect: by a mailed link, immediately, or only by an operator.'),
    name: z.string(),
    language: z.enum(LANGUAGES).nullable().describe('null: the language of the browser.'),
    hasPassword: z.boolean(),
    hasTotp: z.boolean().describe('Whether TOTP is enabled.'),
  })
  .meta({ title: 'Account' })

const endpoint = endpointsOf('Signing in')
const calls = {
  read: endpoint(EVERY_PERSON, {
    operationId: 'getAccount',
    summary: 'Get your account',
    response: { 200: accountAnswer },
    refusals: ['not_found'],
  }),
  change: endpoint(EVERY_PERSON, {
    operationId: 'changeAccount',
    summary: 'Update your account',
    description: `A new \`email\` is confirmed by a mailed link, valid for ${EMAIL_LINK_SECONDS / 3600} h; until then it is the \`pendingEmail\`. The answer does not reveal whether the address has an account. At most ${MAX_EMAIL_LINKS} links an hour. Without mail, only an operator can change addresses.`,
    body: change,
    response: { 200: accountAnswer },
    refusals: ['not_found', 'sign_in_again', 'conflict', 'rate_limited'],
  }),
  password: endpoint(EVERY_PERSON, {
    operationId: 'changePassword',
    summary: 'Set a password',
    description: 'Ends all other sessions. Needs a recent sign-in if the account has another sign-in method.',
    body: choice,
    response: { 204: noContent },
    refusals: ['not_found', 'conflict', 'sign_in_again'],
  }),
}

export function mountAccount(app: TypedServer, ports: Ports, mailing: MailContext): void {
  const hasMail = mailing.mail !== null

  app.get('/account', calls.read, async (request) => {
    const { personId } = sessionOf(request)
    const db = dbOf(ports, request)
    const person = requireFound(await findPerson(db, personId))
    const pending = await findOpenEmailLink(db, { personId, now: ports.clock.now() })
    return accountView(person, { pendingEmail: pending?.email ?? null, hasMail })
  })

  app.patch('/account', calls.change, async (request, reply) => {
    const requested = { session: sessionOf(request), change: request.body, hasMail }
    const changed = await changeAccount(ports, callerOf(request), requested)
    if (changed instanceof Refusal) return sendRefusal(reply, changed)
    const refusal = changed.link && (await mailEmailLink(request, changed.link, { ...mailing, ports }))
    return respond(reply, refusal ?? changed, {
      view: ({ person, pendingEmail }: ChangedAccount) => accountView(person, { pendingEmail, hasMail }),
    })
  })

  app.put('/account/password', calls.password, async (request, reply) => {
    const requested = { session: sessionOf(request), password: request.body.password }
    return respondEmpty(reply, await changePassword(ports, callerOf(request), requested))
  })
}

function accountView(
  { id, email, name, language, isOperator, passwordHash, hasTotp }: Person,
  { pendingEmail, hasMail }: { pendingEmail: string | null; hasMail: boolean },
): z.input<typeof accountAnswer> {
  const emailChange = getEmailChangePolicy({ isOperator }, hasMail)
  return { id, email, pendingEmail, emailChange, name, language, hasPassword: passwordHash !== null, hasTotp }
}
