// The upkeep role: deletes expired and old rows, and closes billing periods.
import type { Ports } from '../actions/ports.ts'
import { closePeriods, sweepExpired, sweepTestMessages, sweepWebhookHistory } from '../actions/service/sweeps.ts'
import type { Log } from '../runtime/log.ts'
import { Loop, type ServiceRole, type Turn } from '../runtime/loop.ts'
import { isAway } from '../store/database/db.ts'
import { findNextExpiry } from '../store/service/expired.ts'
import { findNextPeriodEnd } from '../store/workspaces/workspaces.ts'

const POLL_MS = 30_000

interface UpkeepSettings {
  keepTestMessagesDays: number
}

export function startUpkeep(ports: Ports, log: Log, { keepTestMessagesDays }: UpkeepSettings): ServiceRole {
  const sweeps: Record<string, () => Promise<Turn>> = {
    periods: async () => ({ worked: (await closePeriods(ports)) > 0, nextAt: await findNextPeriodEnd(ports.db) }),
    expired: async () => ({ worked: (await sweepExpired(ports)) > 0, nextAt: await findNextExpiry(ports.db) }),
    webhookHistory: async () => ({ worked: (await sweepWebhookHistory(ports)) > 0 }),
    testMessages: async () => ({ worked: (await sweepTestMessages(ports, { keptDays: keepTestMessagesDays })) > 0 }),
  }
  const loops = Object.entries(sweeps).map(
    ([name, turn]) => new Loop({ name, clock: ports.clock, log, pollMs: POLL_MS, turn, isLoggedElsewhere: isAway }),
  )
  return {
    name: 'upkeep',
    settle: async () => (await Promise.all(loops.map((loop) => loop.settle()))).includes(true),
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}
