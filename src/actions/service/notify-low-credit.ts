// Mails the owners of a workspace once when its balance falls below an alert (D79).
import { creditAlertMail } from '../../domain/workspaces/credit-alert-mail.ts'
import type { Log } from '../../runtime/log.ts'
import { listOwners } from '../../store/people/people.ts'
import { tryLockScopes } from '../../store/sliding-windows.ts'
import { type DueAlert, listDueAlerts, markCrossings, storeAlertNotices } from '../../store/workspaces/credit-alerts.ts'
import { MAX_OWNERS_MAILED, mailOwners, type NoticeMail, RETRY_MAIL_AFTER_MS } from '../mail-owners.ts'
import type { Ports } from '../ports.ts'

const SCOPE = 'credit-alerts'

/**
 * Mails the owners of one workspace about all alerts that its balance has crossed. Returns whether there were any. The time is stored before
 * the mail is sent: after a crash a mail may be missing, but no mail is sent twice. If no owner can be mailed, the mail is retried.
 */
export async function notifyLowCredit(ports: Ports, log: Log, { send, consoleUrl }: NoticeMail): Promise<boolean> {
  const now = ports.clock.now()
  const claimed = await claimAlerts(ports, now)
  if (!claimed) return false
  const { first, alerts, owners } = claimed
  const { workspaceId } = first
  const link = `${consoleUrl}/w/${workspaceId}/usage`
  const compose = (language: 'en' | 'ne') => creditAlertMail({ ...first, link, language })
  if (await mailOwners(owners, compose, { send, log, workspaceId, kind: 'low_credit' })) return true
  const notices = alerts.map(({ belowE4, previousAt }) => ({ belowE4, at: previousAt }))
  const notifyAfter = new Date(now.getTime() + RETRY_MAIL_AFTER_MS)
  await ports.db.transaction((tx) => storeAlertNotices(tx, { workspaceId, notices, notifyAfter }))
  return true
}

interface ClaimedAlerts {
  /** The lowest. */
  first: DueAlert
  alerts: DueAlert[]
  owners: Awaited<ReturnType<typeof listOwners>>
}

/** The lock makes concurrent processes take turns. */
function claimAlerts(ports: Ports, now: Date): Promise<ClaimedAlerts | null> {
  return ports.db.transaction(async (tx) => {
    const locked = await tryLockScopes(tx, [SCOPE])
    if (!locked.has(SCOPE)) return null
    await markCrossings(tx, now)
    const alerts = await listDueAlerts(tx, now)
    const [first] = alerts
    if (!first) return null
    const { workspaceId } = first
    const owners = await listOwners(tx, { workspaceId, limit: MAX_OWNERS_MAILED })
    // Not before the crossing, which another process may have stored with its clock.
    const notices = alerts.map(({ belowE4, crossedAt }) => ({ belowE4, at: crossedAt > now ? crossedAt : now }))
    await storeAlertNotices(tx, { workspaceId, notices, notifyAfter: null })
    return { first, alerts, owners }
  })
}
