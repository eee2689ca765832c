// Mails the owners of a workspace once when its balance falls below an alert (D79).
import { creditAlertMail } from '../../domain/workspaces/credit-alert-mail.ts'
import type { Log } from '../../runtime/log.ts'
import type { Tx } from '../../store/database/db.ts'
import { listDueAlerts, markCrossings, storeAlertNotices } from '../../store/workspaces/credit-alerts.ts'
import { type ClaimedNotice, mailDueNotice, type NoticeMail } from '../mail-notices.ts'
import type { Ports } from '../ports.ts'

/** One mail is about all alerts that the balance has crossed. Returns whether there were any. */
export function notifyLowCredit(ports: Ports, log: Log, { send, consoleUrl }: NoticeMail): Promise<boolean> {
  const claim = (tx: Tx, now: Date) => claimAlerts(tx, { now, consoleUrl })
  return mailDueNotice(ports, log, { send, source: { scope: 'credit-alerts', claim } })
}

async function claimAlerts(
  tx: Tx,
  { now, consoleUrl }: { now: Date; consoleUrl: string },
): Promise<ClaimedNotice | null> {
  await markCrossings(tx, now)
  const alerts = await listDueAlerts(tx, now)
  const [lowest] = alerts
  if (!lowest) return null
  const { workspaceId } = lowest
  // Not before the crossing, which another process may have stored with its clock.
  const notices = alerts.map(({ belowE4, crossedAt }) => ({ belowE4, at: crossedAt > now ? crossedAt : now }))
  await storeAlertNotices(tx, { workspaceId, notices, notifyAfter: null })
  const before = alerts.map(({ belowE4, previousAt }) => ({ belowE4, at: previousAt }))
  const link = `${consoleUrl}/w/${workspaceId}/usage`
  return {
    workspaceId,
    kind: 'low_credit',
    to: 'owners',
    compose: (language) => creditAlertMail({ ...lowest, link, language }),
    giveBack: (again, notifyAfter) => storeAlertNotices(again, { workspaceId, notices: before, notifyAfter }),
  }
}
