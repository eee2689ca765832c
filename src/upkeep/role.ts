// The role that sweeps: what has ended, expired or grown old is put away, a little at a time.
import { closePeriods } from '../actions/close-periods.ts'
import type { House } from '../actions/house.ts'
import { sweepTestMessages } from '../actions/sweep-test-messages.ts'
import { sweepWebhookHistory } from '../actions/sweep-webhook-history.ts'
import type { Log } from '../runtime/log.ts'
import { Loop, type Turn } from '../runtime/loop.ts'
import type { Role } from '../runtime/role.ts'
import { isAway } from '../store/db.ts'
import { deleteExpired, nextExpiry } from '../store/expired.ts'
import { nextPeriodEnd } from '../store/workspaces.ts'

const POLL_MS = 30_000

export interface UpkeepSettings {
  keepTestMessagesDays: number
}

export function startUpkeep(house: House, log: Log, { keepTestMessagesDays }: UpkeepSettings): Role {
  const sweeps: Record<string, () => Promise<Turn>> = {
    periods: async () => ({ worked: (await closePeriods(house)) > 0, nextAt: await nextPeriodEnd(house.db) }),
    expired: async () => ({
      worked: (await deleteExpired(house.db, house.clock.now())) > 0,
      nextAt: await nextExpiry(house.db),
    }),
    webhookHistory: async () => ({ worked: (await sweepWebhookHistory(house)) > 0 }),
    testMessages: async () => ({ worked: (await sweepTestMessages(house, { keptDays: keepTestMessagesDays })) > 0 }),
  }
  const loops = Object.entries(sweeps).map(
    ([name, turn]) => new Loop({ name, clock: house.clock, log, pollMs: POLL_MS, turn, isTold: isAway }),
  )
  return {
    name: 'upkeep',
    settle: async () => (await Promise.all(loops.map((loop) => loop.settle()))).includes(true),
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}
