// The role that sweeps: what has ended, expired or grown old is put away, a little at a time.
import { closePeriods } from '../actions/close-periods.ts'
import type { House } from '../actions/house.ts'
import type { Log } from '../runtime/log.ts'
import { Loop } from '../runtime/loop.ts'
import type { Role } from '../runtime/role.ts'
import { nextPeriodEnd } from '../store/workspaces.ts'
import { keepWebhookHistory } from './webhook-history.ts'

const POLL_MS = 30_000

export function startUpkeep(house: House, log: Log): Role {
  const periods = new Loop({
    name: 'periods',
    clock: house.clock,
    log,
    pollMs: POLL_MS,
    turn: async () => {
      const closed = await closePeriods(house)
      return { worked: closed > 0, nextAt: await nextPeriodEnd(house.db) }
    },
  })
  const loops = [periods, keepWebhookHistory(house, log)]
  return {
    name: 'upkeep',
    settle: async () => (await Promise.all(loops.map((loop) => loop.settle()))).includes(true),
    stop: async () => void (await Promise.all(loops.map((loop) => loop.stop()))),
  }
}
