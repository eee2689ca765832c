// The sweeps of the upkeep role. Each call handles a bounded number of rows, so that no lock is held for long.
import { DAY_MS } from '../../domain/durations.ts'
import { QUARTERS_KEPT_SECONDS, sumByDay } from '../../domain/message-counts.ts'
import { type ExpiredData, expiredCodes, expiredRecords } from '../../domain/service/expiry.ts'
import { Account } from '../../domain/workspaces/account.ts'
import { lowestIdOf } from '../../runtime/ids.ts'
import { addDays, takeQuarters } from '../../store/messages/message-counts.ts'
import { deleteExpired, findNextExpiry } from '../../store/service/expired.ts'
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

/** Deletes stored idempotent responses, rate-limit hits and fraud-guard history, among others. Returns the number of rows. */
export function sweepRecords(ports: Ports): Promise<number> {
  return sweep(ports, expiredRecords(ports.clock.now()))
}

/** Deletes expired OTPs and their texts. Returns the number of rows. */
export function sweepCodes(ports: Ports): Promise<number> {
  return sweep(ports, expiredCodes(ports.clock.now()))
}

async function sweep(ports: Ports, expired: ExpiredData): Promise<number> {
  let rows = 0
  for (const [kind, by] of expired) rows += await deleteExpired(ports.db, { kind, by, limit: MAX_EXPIRED_ROWS })
  return rows
}

/** OTPs that expire within a second are deleted together: with many of them, each would be a sweep of its own. */
export async function findNextSweepOfCodes(ports: Ports): Promise<Date | null> {
  const at = await findNextExpiry(ports.db)
  return at && new Date(Math.ceil(at.getTime() / 1000) * 1000)
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
