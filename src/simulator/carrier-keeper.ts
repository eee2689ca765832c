// Keeps the carrier of the simulator leading to one that lives: on one database several processes may each run one, and
// whichever the carrier leads to may be the first to leave.
import {
  adoptSimulatorCarrier,
  ensureSimulatorCarrier,
  type SimulatorAccount,
} from '../actions/carriers/ensure-simulator-carrier.ts'
import type { Ports } from '../actions/ports.ts'
import type { Log } from '../runtime/log.ts'
import { Loop, type ServiceRole } from '../runtime/loop.ts'
import { isAway } from '../store/database/db.ts'

const POLL_MS = 3_000
/** Once it has taken the carrier, it leaves it to others for so long, and longer each time: two must not pass it to and fro. */
const PATIENCE_MS = 30_000
const LONGEST_PATIENCE_MS = 3_600_000

/** The carrier leads here at once, for whoever starts last may have started because the others are gone. */
export async function keepCarrier(ports: Ports, log: Log, account: SimulatorAccount): Promise<ServiceRole> {
  await ensureSimulatorCarrier(ports, account)
  let patienceMs = PATIENCE_MS
  let patientUntil = 0
  const turn = async () => {
    const now = ports.clock.now().getTime()
    const worked = now >= patientUntil && (await adoptSimulatorCarrier(ports, account))
    if (worked) {
      patientUntil = now + patienceMs
      patienceMs = Math.min(2 * patienceMs, LONGEST_PATIENCE_MS)
      log.warn({ port: account.port }, 'the simulator that the carrier led to is gone; it leads to ours now')
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
