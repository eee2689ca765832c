// Closes the months that have ended (D9), for workspaces that no request has woken since.
import { Account } from '../../domain/workspaces/account.ts'
import { storeAccounts } from '../../store/workspaces/ledger.ts'
import { accountState, listWithEndedPeriod, lockWorkspace } from '../../store/workspaces/workspaces.ts'
import type { Ports } from '../ports.ts'

const AT_ONCE = 100

/** Returns how many it closed; one transaction each, so a long list holds up nobody. */
export async function closePeriods(ports: Ports): Promise<number> {
  const ended = await listWithEndedPeriod(ports.db, ports.clock.now(), AT_ONCE)
  for (const id of ended) await closePeriod(ports, id)
  return ended.length
}

function closePeriod(ports: Ports, id: string): Promise<void> {
  return ports.db.transaction(async (tx) => {
    const workspace = await lockWorkspace(tx, { id, within: null })
    if (!workspace) return
    const now = ports.clock.now()
    await storeAccounts(tx, { accounts: [Account.at(now, accountState(workspace))], ids: ports.ids, now })
  })
}
