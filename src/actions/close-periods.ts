// Closes the months that have ended (D9), for workspaces that no request has woken since.
import { Account } from '../domain/account.ts'
import { storeAccounts } from '../store/ledger.ts'
import { accountState, listWithEndedPeriod, lockWorkspace } from '../store/workspaces.ts'
import type { House } from './house.ts'

const AT_ONCE = 100

/** Returns how many it closed; one transaction each, so a long list holds up nobody. */
export async function closePeriods(house: House): Promise<number> {
  const ended = await listWithEndedPeriod(house.db, house.clock.now(), AT_ONCE)
  for (const id of ended) await closePeriod(house, id)
  return ended.length
}

function closePeriod(house: House, id: string): Promise<void> {
  return house.db.transaction(async (tx) => {
    const workspace = await lockWorkspace(tx, { id, within: null })
    if (!workspace) return
    const now = house.clock.now()
    await storeAccounts(tx, { accounts: [Account.at(now, accountState(workspace))], ids: house.ids, now })
  })
}
