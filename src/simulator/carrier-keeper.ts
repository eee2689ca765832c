// Keeps the simulator carrier pointed at a running simulator. Several processes on one database may each run one and stop in any order.
import {
  adoptSimulatorCarrier,
  ensureSimulatorCarrier,
  type SimulatorAccount,
} from '../actions/carriers/ensure-simulator-carrier.ts'
import type { Ports } from '../actions/ports.ts'
import { HOUR_MS } from '../domain/durations.ts'
import type { Log } from '../runtime/log.ts'
import { Loop, type ServiceRole } from '../runtime/loop.ts'
import { isAway } from '../store/database/db.ts'

const POLL_MS = 3_000
/** After taking over the carrier, a process waits before it takes it again, longer each time, so that two processes do not compete. */
const TAKEOVER_PAUSE_MS = 30_000
const MAX_TAKEOVER_PAUSE_MS = HOUR_MS

/** Takes the carrier at the start, because the other processes may be gone. */
export async function keepCarrier(ports: Ports, log: Log, account: SimulatorAccount): Promise<ServiceRole> {
  await ensureSimulatorCarrier(ports, account)
  let pauseMs = TAKEOVER_PAUSE_MS
  let pausedUntil = 0
  const turn = async () => {
    const now = ports.clock.now().getTime()
    const worked = now >= pausedUntil && (await adoptSimulatorCarrier(ports, account))
    if (worked) {
      pausedUntil = now + pauseMs
      pauseMs = Math.min(2 * pauseMs, MAX_TAKEOVER_PAUSE_MS)
      log.warn({ port: account.port }, 'took over the simulator carrier')
    }
    return { worked }
  }
  const loop = new Loop({
    name: 'simulator carrier',
    clock: ports.clock,
    log,
    pollMs: POLL_MS,
    turn,
    isLoggedElsewhere: isAway,
  })
  return { name: 'simulator carrier', settle: () => loop.settle(), stop: () => loop.stop() }
}
