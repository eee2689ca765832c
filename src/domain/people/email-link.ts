// Changes of a person's e-mail address (D70): who may change it and how, how many mails are sent, and who may use a link.
import { type Refusal, refuse } from '../refusals.ts'
import { SlidingWindow } from '../sliding-window.ts'

const HOUR_SECONDS = 3600

/** How long a link works, and how long its mail counts. */
export const EMAIL_LINK_SECONDS = HOUR_SECONDS
/** Per hour: mails caused by one person, and mails to one address. */
export const MAX_EMAIL_LINKS = 5

export function emailLinkEnd(now: Date): Date {
  return new Date(now.getTime() + EMAIL_LINK_SECONDS * 1000)
}

export const EMAIL_CHANGE_POLICIES = ['by_link', 'at_once', 'by_operator'] as const
type EmailChangePolicy = (typeof EMAIL_CHANGE_POLICIES)[number]

/**
 * Without mail, the result of a change would reveal whether the address has an account. Only operators may see that result: they can list
 * every person anyway.
 */
export function getEmailChangePolicy({ isOperator }: { isOperator: boolean }, hasMail: boolean): EmailChangePolicy {
  if (hasMail) return 'by_link'
  return isOperator ? 'at_once' : 'by_operator'
}

export const OPERATOR_REQUIRED = refuse('conflict', {
  error: 'This service sends no mail; ask its operator to change your e-mail address',
})

/** The times are those of mails in the last hour, newest first, whether or not the address has an account. */
export function checkEmailLinkLimit({ byPerson, toAddress }: RecentEmailLinks, now: Date): Refusal | null {
  const wait = (times: readonly Date[]) =>
    new SlidingWindow(
      { scope: '', most: MAX_EMAIL_LINKS, seconds: EMAIL_LINK_SECONDS },
      { skipped: 0, times },
    ).waitSeconds(now)
  const retryAfterSeconds = Math.max(wait(byPerson), wait(toAddress))
  if (retryAfterSeconds === 0) return null
  return refuse('rate_limited', { error: 'Too many links were sent; try again later', retryAfterSeconds })
}
export interface RecentEmailLinks {
  byPerson: readonly Date[]
  toAddress: readonly Date[]
}

const SIGN_IN_FIRST = refuse('unauthorized', {
  error: 'Sign in to the account whose e-mail address changes, then open the link again',
})

/** The link alone changes nothing: a mistyped address would give the account to a stranger. */
export function checkEmailLinkUse(
  { personId }: { personId: string },
  session: { personId: string; isRecentlyAuthenticated: boolean } | null,
): Refusal | null {
  if (session?.personId !== personId) return SIGN_IN_FIRST
  return session.isRecentlyAuthenticated ? null : refuse('sign_in_again')
}
