// Mails the owners of a workspace, or the operators: claims a due notice, mails it, and gives it back if nobody could be mailed.
import type { Language } from '../domain/language.ts'
import type { Log } from '../runtime/log.ts'
import type { Tx } from '../store/database/db.ts'
import { listOperatorsToMail, listOwners } from '../store/people/people.ts'
import { tryLockScopes } from '../store/sliding-windows.ts'
import type { Ports } from './ports.ts'

export interface NoticeMail {
  send: (mail: { to: string; subject: string; text: string }) => Promise<void>
  consoleUrl: string
}

export interface ClaimedNotice {
  workspaceId: string
  kind: string
  to: 'owners' | 'operators'
  compose: (language: Language) => { subject: string; text: string }
  /** Makes the notice due again at `notifyAfter`. */
  giveBack: (tx: Tx, notifyAfter: Date) => Promise<void>
}

interface NoticeSource {
  /** The lock of this name makes concurrent processes take turns, so that one of them gets all due notices of a workspace. */
  scope: string
  /** Marks the due notices of one workspace as sent; null if there are none. */
  claim: (tx: Tx, now: Date) => Promise<ClaimedNotice | null>
}

const MAX_PEOPLE_MAILED = 20
const RETRY_MAIL_AFTER_MS = 5 * 60_000

/**
 * Sends one notice. Returns whether a notice was due. The time is stored before the mail is sent: after a crash a mail may
 * be missing, but no mail is sent twice. If nobody can be mailed, the mail is retried.
 */
export async function mailDueNotice(
  ports: Ports,
  log: Log,
  { send, source }: { send: NoticeMail['send']; source: NoticeSource },
): Promise<boolean> {
  const now = ports.clock.now()
  const claimed = await ports.db.transaction(async (tx) => {
    const locked = await tryLockScopes(tx, [source.scope])
    const notice = locked.has(source.scope) ? await source.claim(tx, now) : null
    if (!notice) return null
    const limit = MAX_PEOPLE_MAILED
    const { to, workspaceId } = notice
    const people = await (to === 'owners' ? listOwners(tx, { workspaceId, limit }) : listOperatorsToMail(tx, limit))
    return { ...notice, people }
  })
  if (!claimed) return false
  const { workspaceId, kind, people, compose, giveBack } = claimed
  const sent = await Promise.allSettled(
    people.map(({ email, language }) => send({ to: email, ...compose(language ?? 'en') })),
  )
  const errors = sent.flatMap((it) => (it.status === 'rejected' ? [it.reason] : []))
  for (const err of errors) log.error({ err, workspaceId, kind }, 'mailing a notice failed')
  if (errors.length > 0 && errors.length === sent.length)
    await ports.db.transaction((tx) => giveBack(tx, new Date(now.getTime() + RETRY_MAIL_AFTER_MS)))
  return true
}
