// Mails the owners of a workspace when webhook endpoints fail for ten minutes, and when they recover (D73).
import { startOfDay } from '../../domain/webhooks/endpoint-health.ts'
import { noticeMail } from '../../domain/webhooks/endpoint-notice.ts'
import type { Log } from '../../runtime/log.ts'
import { listOwners } from '../../store/people/people.ts'
import { tryLockScopes } from '../../store/sliding-windows.ts'
import { type DueNotice, listDueNotices, storeNotices } from '../../store/webhooks/webhook-health.ts'
import { MAX_OWNERS_MAILED, mailOwners, type NoticeMail, RETRY_MAIL_AFTER_MS } from '../mail-owners.ts'
import type { Ports } from '../ports.ts'

const SCOPE = 'webhook-notices'

/**
 * Mails the owners of one workspace about its due endpoints. Returns whether there were any. The time is stored before the mail is sent:
 * after a crash a mail may be missing, but no mail is sent twice. If no owner can be mailed, the mail is retried.
 */
export async function notifyOwners(ports: Ports, log: Log, { send, consoleUrl }: NoticeMail): Promise<boolean> {
  const now = ports.clock.now()
  const claimed = await claimNotices(ports, now)
  if (!claimed) return false
  const { workspaceId, workspaceName, kind, endpoints, owners } = claimed
  const link = `${consoleUrl}/w/${workspaceId}/webhooks`
  const compose = (language: 'en' | 'ne') => noticeMail({ kind, workspaceName, endpoints, link, language })
  if (await mailOwners(owners, compose, { send, log, workspaceId, kind })) return true
  const notices = endpoints.map(({ clientId, previousAt }) => ({ clientId, at: previousAt }))
  const notifyAfter = new Date(now.getTime() + RETRY_MAIL_AFTER_MS)
  await ports.db.transaction((tx) => storeNotices(tx, { kind, notices, notifyAfter }))
  return true
}

interface ClaimedNotice extends Pick<DueNotice, 'workspaceId' | 'workspaceName' | 'kind'> {
  endpoints: DueNotice[]
  owners: Awaited<ReturnType<typeof listOwners>>
}

/** The lock makes concurrent processes take turns, so that one of them gets all due endpoints of a workspace. */
function claimNotices(ports: Ports, now: Date): Promise<ClaimedNotice | null> {
  return ports.db.transaction(async (tx) => {
    const locked = await tryLockScopes(tx, [SCOPE])
    if (!locked.has(SCOPE)) return null
    const endpoints = await listDueNotices(tx, { now, since: startOfDay(now) })
    const [first] = endpoints
    if (!first) return null
    const { workspaceId, workspaceName, kind } = first
    const owners = await listOwners(tx, { workspaceId, limit: MAX_OWNERS_MAILED })
    const notices = endpoints.map(({ clientId }) => ({ clientId, at: now }))
    await storeNotices(tx, { kind, notices, notifyAfter: null })
    return { workspaceId, workspaceName, kind, endpoints, owners }
  })
}
