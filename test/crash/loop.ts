// One run of the crash loop: load, kills, then the rest of all work on a clock that the loop advances.
import { join } from 'node:path'
import { until } from '../harness/until.ts'
import { collectEvidence, type Evidence } from './evidence.ts'
import { Installation, LONG } from './installation.ts'
import { carryOut, type DoneKill } from './kills.ts'
import { Load } from './load.ts'
import { planKills } from './schedule.ts'

export const DEFAULT_SENDERS = 10

interface RunOptions {
  seed: number
  kills: number
  /** Send at the same time. */
  senders?: number
  /** Accepted between two kills, at least. */
  accepts?: number
  onKill?: (kill: DoneKill) => void
  /** Aborted: no more kills, but the result is judged. */
  stopping?: AbortSignal
}

/** The folder has the logs of the run until `close`. */
export interface Run {
  evidence: Evidence
  folder: string
  close(options: { isKept: boolean }): Promise<void>
}

export async function run({
  seed,
  kills: count,
  senders = DEFAULT_SENDERS,
  accepts = 0,
  onKill = () => {},
  stopping,
}: RunOptions): Promise<Run> {
  const installation = await Installation.open()
  let load: Load | null = null
  const close = async ({ isKept }: { isKept: boolean }) => {
    if (isKept) load?.storeLog(join(installation.folder, 'client.log'))
    await installation.close({ isKept })
  }
  try {
    await installation.prepare()
    load = new Load({ url: installation.url, apiKeys: installation.apiKeys, seed, senders })
    await load.untilAccepted()
    const kills: DoneKill[] = []
    for (const kill of planKills(seed, count)) {
      await load.untilMessages(accepts, stopping)
      if (stopping?.aborted) break
      const done = await carryOut(kill, installation, load)
      kills.push(done)
      onKill(done)
    }
    await load.stop()
    await finish(installation)
    const evidence = await collectEvidence(installation, load, kills)
    return { evidence, folder: installation.folder, close }
  } catch (error) {
    await close({ isKept: true })
    throw new Error(`the run ended early; its logs are in ${installation.folder}`, { cause: error })
  }
}

const MINUTE = 60
const HALF_HOUR = 1_800
/** After the lease of every claim, all waits of an OTP and the first retries of webhooks. */
const MINUTES = 10
/** 4 days, past the deadline of messages in doubt (72 hours) and the last retry of their webhooks. */
const HALF_HOURS = 192

/**
 * Ends all work with a manual clock: what a crash left in doubt needs up to 72 hours. The clock stops at every due time on the way, so a
 * day in one step would take minutes after a long run.
 */
async function finish(installation: Installation): Promise<void> {
  const { service, carriers } = installation
  service.signal('SIGTERM')
  await service.ended
  await installation.startService({ HULAKI_CLOCK: 'manual', HULAKI_PROCESSES: '1' })
  const advance = (seconds: number) => installation.manage('/clock/advance', { seconds })
  for (let minute = 0; minute < MINUTES; minute++) await advance(MINUTE)
  // Only then: a message whose receipt arrives after its deadline stays undelivered.
  const outstanding = () => Promise.all(Object.values(carriers).map((carrier) => carrier.outstanding()))
  await until(async () => (await outstanding()).every((count) => count === 0), LONG)
  for (let step = 0; step < HALF_HOURS; step++) await advance(HALF_HOUR)
}
