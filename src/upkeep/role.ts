// The role that sweeps: what has ended, expired or grown old is put away, a little at a time.

import { sweepTestMessages } from '../actions/messages/sweep-test-messages.ts'
import type { Ports } from '../actions/ports.ts'
import { sweepExpired } from '../actions/service/sweep-expired.ts'
import { sweepWebhookHistory } from '../actions/webhooks/sweep-webhook-history.ts'
import { closePeriods } from '../actions/workspaces/close-periods.ts'
import type { Log } from '../runtime/log.ts'
import { Loop, type Turn } from '../runtime/loop.ts'
import type { Role } from '../runtime/role.ts'
import { isAway } from '../store/database/db.ts'
import { nextExpiry } from '../store/service/expired.ts'
import { nextPeriodEnd } from '../store/workspaces/workspaces.ts'

const POLL_MS = 30_000

export interface UpkeepSettings {
  keepTestMessagesDays: number
}

export function startUpkeep(ports: Ports, log: Log, { keepTestMessagesDays }: UpkeepSettings): Role {
  const sweeps: Record<string, () => Promise<Turn>> = {
    periods: async () => ({ worked: (await closePeriods(ports)) > 0, nextAt: await nextPeriodEnd(ports.db) }),
    expired: async () => ({ worked: (await sweepExpired(ports)) > 0, nextAt: await nextExpiry(ports.db) }),
    webhookHistory: async () => ({ worked: (await sweepWebhookHistory(ports)) > 0 }),
    testMessages: async () => ({ worked: (await sweepTestMessages(ports, { keptDays: keepTestMessagesDays })) > 0 }),
  }
  const loops = Object.entries(sweeps).map(
    ([name, turn]) => new Loop({ name, clock: ports.clock, log, pollMs: POLL_MS, turn, isTold: isAway }),
  )
  return {
    name: 'upkeep',
    settle: async () => (await Promise.all(loops.map((loop) => loop.settle()))).includes(true),
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}
