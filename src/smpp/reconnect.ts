// When to try a carrier again after a link has ended. Pure: the caller counts, waits and brings chance along.
import { commandStatus } from './status.ts'

const FIRST_CEILING_MS = 2_000
const SHORTEST_MS = 1_000
const LONGEST_MS = 60_000
const STABLE_AFTER_MS = 30_000
const WRONG_CREDENTIALS_MS = 5 * 60_000

// No second try will make these right: someone has to change the settings, here or at the carrier's.
const credentialFaults: ReadonlySet<number> = new Set([
  commandStatus.ESME_RINVPASWD,
  commandStatus.ESME_RINVSYSID,
  commandStatus.ESME_RINVSYSTYP,
])

type EndedLink = {
  /** How long it was bound; 0 where it never was. */
  boundMs: number
  /** With what the bind was refused, if it was. */
  bindStatus?: number | undefined
}

type Reconnect = { waitMs: number; failures: number }

/**
 * Full jitter under a ceiling that doubles from 2 to 60 s. `failures` is what the last call returned, at first 0;
 * only a link that held for 30 s clears it, so one that binds and falls at once is not hammered.
 */
export function planReconnect(failures: number, ended: EndedLink, random: () => number): Reconnect {
  if (ended.bindStatus !== undefined && credentialFaults.has(ended.bindStatus)) {
    return { waitMs: WRONG_CREDENTIALS_MS, failures: failures + 1 }
  }
  const before = ended.boundMs >= STABLE_AFTER_MS ? 0 : failures
  const ceilingMs = Math.min(LONGEST_MS, FIRST_CEILING_MS * 2 ** before)
  return { waitMs: Math.round(SHORTEST_MS + random() * (ceilingMs - SHORTEST_MS)), failures: before + 1 }
}
