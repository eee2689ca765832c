// Mails the operators about a request for credit, and the owners about its decision (D86).
import { creditRequestMail } from '../../domain/workspaces/credit-request-mail.ts'
import type { Log } from '../../runtime/log.ts'
import type { Tx } from '../../store/database/db.ts'
import { findDueRequest, storeRequestMail } from '../../store/workspaces/credit-requests.ts'
import { type ClaimedNotice, mailDueNotice, type NoticeMail } from '../mail-notices.ts'
import type { Ports } from '../ports.ts'

/** Returns whether a mail was due. */
export function notifyCreditRequests(ports: Ports, log: Log, { send, consoleUrl }: NoticeMail): Promise<boolean> {
  const claim = (tx: Tx, now: Date) => claimRequest(tx, { now, consoleUrl })
  return mailDueNotice(ports, log, { send, source: { scope: 'credit-requests', claim } })
}

async function claimRequest(
  tx: Tx,
  { now, consoleUrl }: { now: Date; consoleUrl: string },
): Promise<ClaimedNotice | null> {
  const request = await findDueRequest(tx, now)
  if (!request) return null
  const { workspaceId, status, changedAt, previousAt } = request
  const isOpen = status === 'open'
  // Not before the change, which another process may have stored with its clock.
  await storeRequestMail(tx, { workspaceId, status, at: changedAt > now ? changedAt : now, mailAfter: null })
  const link = `${consoleUrl}/${isOpen ? `workspaces/${workspaceId}` : `w/${workspaceId}/usage`}`
  return {
    workspaceId,
    kind: 'credit_request',
    to: isOpen ? 'operators' : 'owners',
    compose: (language) => creditRequestMail({ ...request, link, language }),
    giveBack: (again, mailAfter) => storeRequestMail(again, { workspaceId, status, at: previousAt, mailAfter }),
  }
}
