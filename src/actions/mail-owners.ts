// Mails the owners of a workspace. A mail is claimed before it is sent, so this only reports whether anyone was reached.
import type { Language } from '../domain/people/person.ts'
import type { Log } from '../runtime/log.ts'

export interface NoticeMail {
  send: (mail: { to: string; subject: string; text: string }) => Promise<void>
  consoleUrl: string
}

export const MAX_OWNERS_MAILED = 20
export const RETRY_MAIL_AFTER_MS = 5 * 60_000

/** False if no owner could be mailed. */
export async function mailOwners(
  owners: readonly { email: string; language: Language | null }[],
  compose: (language: Language) => { subject: string; text: string },
  { send, log, workspaceId, kind }: Pick<NoticeMail, 'send'> & { log: Log; workspaceId: string; kind: string },
): Promise<boolean> {
  const sent = await Promise.allSettled(
    owners.map(({ email, language }) => send({ to: email, ...compose(language ?? 'en') })),
  )
  const errors = sent.flatMap((it) => (it.status === 'rejected' ? [it.reason] : []))
  for (const err of errors) log.error({ err, workspaceId, kind }, 'mailing the owners failed')
  return errors.length < sent.length
}
