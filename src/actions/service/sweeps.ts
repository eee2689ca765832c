// The sweeps of the upkeep role. Each call handles a bounded number of rows, so that no lock is held for long.
import { DAY_MS } from '../../domain/durations.ts'
import { QUARTERS_KEPT_SECONDS, sumByDay } from '../../domain/message-counts.ts'
import { expiredBy } from '../../domain/service/expiry.ts'
import { Account } from '../../domain/workspaces/account.ts'
import { lowestIdOf } from '../../runtime/ids.ts'
import { addDays, takeQuarters } from '../../store/messages/message-counts.ts'
import { deleteExpired } from '../../store/service/expired.ts'
import { clearEndedListenings } from '../../store/webhooks/listening.ts'
import { deleteOldDeliveries } from '../../store/webhooks/webhook-deliveries.ts'
import { storeAccounts } from '../../store/workspaces/ledger.ts'
import { listWorkspacesWithEndedPeriod, lockWorkspace, toAccountState } from '../../store/workspaces/workspaces.ts'
import type { Ports } from '../ports.ts'

const MAX_EXPIRED_ROWS = 5_000
const MAX_OLD_ROWS = 1_000
const MAX_PERIODS = 100
const WEBHOOK_HISTORY_DAYS = 7

/** Closes the months that have ended (D9) in workspaces without a request since then. Returns the number of workspaces. */
export async function closePeriods(ports: Ports): Promise<number> {
  const ended = await listWorkspacesWithEndedPeriod(ports.db, ports.clock.now(), MAX_PERIODS)
  for (const id of ended) await closePeriod(ports, id)
  return ended.length
}

function closePeriod(ports: Ports, id: string): Promise<void> {
  return ports.db.transaction(async (tx) => {
    const workspace = await lockWorkspace(tx, { id, within: null })
    if (!workspace) return
    const now = ports.clock.now()
    await storeAccounts(tx, { accounts: [Account.at(now, toAccountState(workspace))], ids: ports.ids, now })
  })
}

/** Deletes expired OTPs, stored idempotent responses, rate-limit hits and fraud-guard history, among others. Returns the number of rows. */
export async function sweepExpired(ports: Ports): Promise<number> {
  let rows = 0
  for (const [kind, by] of expiredBy(ports.clock.now()))
    rows += await deleteExpired(ports.db, { kind, by, limit: MAX_EXPIRED_ROWS })
  return rows
}

/** Moves the message counts of quarter hours to the days of their workspaces (D76). Returns the number of rows. */
export async function moveQuarters(ports: Ports): Promise<number> {
  const before = new Date(ports.clock.now().getTime() - QUARTERS_KEPT_SECONDS * 1000)
  return ports.db.transaction(async (tx) => {
    const quarters = await takeQuarters(tx, { before, limit: MAX_EXPIRED_ROWS })
    await addDays(tx, sumByDay(quarters))
    return quarters.length
  })
}

/** Deletes finished webhook deliveries with their attempts (§6.4 rule 4), and clears ended listening sessions (D45), both after 7 days. */
export async function sweepWebhookHistory(ports: Ports): Promise<number> {
  const endedBy = new Date(ports.clock.now().getTime() - WEBHOOK_HISTORY_DAYS * DAY_MS)
  // A delivery ends after it is created, so its id is older than the time it ended.
  const deleted = await deleteOldDeliveries(ports.db, { endedBy, idsBelow: lowestIdOf(endedBy), limit: MAX_OLD_ROWS })
  return deleted + (await clearEndedListenings(ports.db, { by: endedBy, limit: MAX_OLD_ROWS }))
}
