// Keeps the carrier of the simulator leading to one that lives: on one database several processes may each run one, and
// whichever the carrier leads to may be the first to leave.
import {
  adoptSimulatorCarrier,
  ensureSimulatorCarrier,
  type SimulatorAccount,
} from '../actions/ensure-simulator-carrier.ts'
import type { House } from '../actions/house.ts'
import type { Log } from '../runtime/log.ts'
import { Loop } from '../runtime/loop.ts'
import type { Role } from '../runtime/role.ts'

const POLL_MS = 3_000

/** The carrier leads here at once, for whoever starts last may have started because the others are gone. */
export async function keepCarrier(house: House, log: Log, account: SimulatorAccount): Promise<Role> {
  await ensureSimulatorCarrier(house, account)
  const turn = async () => {
    const worked = await adoptSimulatorCarrier(house, account)
    if (worked) log.warn({ port: account.port }, 'the simulator that the carrier led to is gone; it leads to ours now')
    return { worked }
  }
  const loop = new Loop({ name: 'simulator carrier', clock: house.clock, log, pollMs: POLL_MS, turn })
  return { name: 'simulator carrier', settle: () => loop.settle(), stop: () => loop.stop() }
}
