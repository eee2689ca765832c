// The requests of workspaces for credit (D86), and which mails about them are due.
import type { CreditRequestFacts } from '../../domain/service/service-facts.ts'
import { CREDIT_REQUEST_MAIL_EVERY_MS, type CreditRequest } from '../../domain/workspaces/credit-request.ts'
import type { Queries, Tx } from '../database/db.ts'
import { fragment, sql } from '../database/sql.ts'

/** Requires the lock on the workspace. */
export async function storeCreditRequest(
  tx: Tx,
  { workspaceId, request }: { workspaceId: string; request: CreditRequest },
): Promise<void> {
  const { amountE4, note, status, requestedAt, decidedAt, reason } = request
  await tx.query(sql`
    insert into credit_request (workspace_id, amount_e4, note, status, requested_at, decided_at, reason)
    values (${workspaceId}, ${amountE4}, ${note}, ${status}, ${requestedAt}, ${decidedAt}, ${reason})
    on conflict (workspace_id) do update set amount_e4 = excluded.amount_e4, note = excluded.note,
      status = excluded.status, requested_at = excluded.requested_at, decided_at = excluded.decided_at,
      reason = excluded.reason, mail_after = case when credit_request.status = excluded.status then credit_request.mail_after end`)
}

const MAX_OPEN_LISTED = 20

/** The oldest first. */
export function listOpenCreditRequests(db: Queries): Promise<CreditRequestFacts[]> {
  return db.query<CreditRequestFacts>(sql`
    select id, name, currency, amount_e4 as "amountE4", requested_at as "requestedAt"
    from credit_request join workspace on id = workspace_id
    where credit_request.status = 'open' order by requested_at, id limit ${MAX_OPEN_LISTED}`)
}

interface DueRequest extends Pick<CreditRequest, 'amountE4' | 'note' | 'reason'> {
  workspaceId: string
  workspaceName: string
  currency: string
  status: 'open' | 'granted' | 'declined'
  changedAt: Date
  /** When the previous mail to the same people was sent. */
  previousAt: Date | null
}

const isOpen = fragment`request.status = 'open'`

/** The oldest request with a due mail: an open one to the operators, a decided one to the owners. */
export async function findDueRequest(db: Queries, now: Date): Promise<DueRequest | null> {
  const since = new Date(now.getTime() - CREDIT_REQUEST_MAIL_EVERY_MS)
  const rows = await db.query<DueRequest>(sql`
    select workspace_id as "workspaceId", name as "workspaceName", currency, request.status,
      amount_e4 as "amountE4", note, reason, coalesce(decided_at, requested_at) as "changedAt",
      case when ${isOpen} then operators_mailed_at else owners_mailed_at end as "previousAt"
    from credit_request request join workspace on id = workspace_id
    where (mail_after is null or mail_after <= ${now}) and (
      ${isOpen} and (operators_mailed_at is null or operators_mailed_at < requested_at and operators_mailed_at <= ${since})
      or request.status in ('granted', 'declined') and (owners_mailed_at is null or owners_mailed_at < decided_at))
    order by requested_at, workspace_id limit 1`)
  return rows[0] ?? null
}

/** Stores when the mail about the current status was sent; `mailAfter` delays one that could not be sent. */
export async function storeRequestMail(
  tx: Tx,
  {
    workspaceId,
    status,
    at,
    mailAfter,
  }: { workspaceId: string; status: DueRequest['status']; at: Date | null; mailAfter: Date | null },
): Promise<void> {
  const column = status === 'open' ? fragment`operators_mailed_at` : fragment`owners_mailed_at`
  await tx.query(sql`
    update credit_request set ${column} = ${at}, mail_after = ${mailAfter}
    where workspace_id = ${workspaceId} and status = ${status}`)
}
