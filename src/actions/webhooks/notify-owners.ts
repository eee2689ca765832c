// Mails the owners of a workspace when webhook endpoints fail for ten minutes, and when they recover (D73).
import { startOfDay } from '../../domain/webhooks/endpoint-health.ts'
import { noticeMail } from '../../domain/webhooks/endpoint-notice.ts'
import type { Log } from '../../runtime/log.ts'
import type { Tx } from '../../store/database/db.ts'
import { listDueNotices, storeNotices } from '../../store/webhooks/webhook-health.ts'
import { type ClaimedNotice, mailDueNotice, type NoticeMail } from '../mail-notices.ts'
import type { Ports } from '../ports.ts'

/** One mail is about all due endpoints of a workspace. Returns whether there were any. */
export function notifyOwners(ports: Ports, log: Log, { send, consoleUrl }: NoticeMail): Promise<boolean> {
  const claim = (tx: Tx, now: Date) => claimEndpoints(tx, { now, consoleUrl })
  return mailDueNotice(ports, log, { send, source: { scope: 'webhook-notices', claim } })
}

async function claimEndpoints(
  tx: Tx,
  { now, consoleUrl }: { now: Date; consoleUrl: string },
): Promise<ClaimedNotice | null> {
  const endpoints = await listDueNotices(tx, { now, since: startOfDay(now) })
  const [first] = endpoints
  if (!first) return null
  const { workspaceId, workspaceName, kind } = first
  const notices = endpoints.map(({ clientId }) => ({ clientId, at: now }))
  await storeNotices(tx, { kind, notices, notifyAfter: null })
  const before = endpoints.map(({ clientId, previousAt }) => ({ clientId, at: previousAt }))
  const link = `${consoleUrl}/w/${workspaceId}/webhooks`
  return {
    workspaceId,
    kind,
    to: 'owners',
    compose: (language) => noticeMail({ kind, workspaceName, endpoints, link, language }),
    giveBack: (again, notifyAfter) => storeNotices(again, { kind, notices: before, notifyAfter }),
  }
}
