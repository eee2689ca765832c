// The wait before a reconnection. Pure: the caller counts, waits and provides randomness.
import { commandStatus } from './status.ts'

const FIRST_CEILING_MS = 2_000
const MIN_MS = 1_000
const MAX_MS = 60_000
const STABLE_AFTER_MS = 30_000
const WRONG_CREDENTIALS_MS = 5 * 60_000

// Retries cannot fix these: a person must change the settings.
const credentialErrors: ReadonlySet<number> = new Set([
  commandStatus.ESME_RINVPASWD,
  commandStatus.ESME_RINVSYSID,
  commandStatus.ESME_RINVSYSTYP,
])

type EndedLink = {
  /** How long the link was bound; 0 if never. */
  boundMs: number
  /** The status of a rejected bind. */
  bindStatus?: number | undefined
}

type Reconnect = { waitMs: number; failures: number }

/**
 * Full jitter below a ceiling that doubles from 2 to 60 s. Pass the `failures` of the previous result. Only a link that lasted 30 s resets
 * it, so that a link that fails after every bind is not retried at once.
 */
export function planReconnect(failures: number, ended: EndedLink, random: () => number): Reconnect {
  if (ended.bindStatus !== undefined && credentialErrors.has(ended.bindStatus)) {
    return { waitMs: WRONG_CREDENTIALS_MS, failures: failures + 1 }
  }
  const before = ended.boundMs >= STABLE_AFTER_MS ? 0 : failures
  const ceilingMs = Math.min(MAX_MS, FIRST_CEILING_MS * 2 ** before)
  return { waitMs: Math.round(MIN_MS + random() * (ceilingMs - MIN_MS)), failures: before + 1 }
}
