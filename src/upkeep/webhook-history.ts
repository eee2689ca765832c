// Keeps the history of webhook deliveries at 7 days (§6.4 rule 4).
import type { House } from '../actions/house.ts'
import { sweepWebhookHistory } from '../actions/sweep-webhook-history.ts'
import type { Log } from '../runtime/log.ts'
import { Loop } from '../runtime/loop.ts'

const POLL_MS = 60_000

export function keepWebhookHistory(house: House, log: Log): Loop {
  return new Loop({
    name: 'webhook history',
    clock: house.clock,
    log,
    pollMs: POLL_MS,
    turn: async () => ({ worked: (await sweepWebhookHistory(house)) > 0 }),
  })
}
