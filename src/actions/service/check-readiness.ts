// Whether this process is ready: the database stores what it is given, in a schema that this version knows.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../runtime/log.ts'
import type { ServiceRole } from '../../runtime/loop.ts'
import { faultCode, isAway, isOutage } from '../../store/database/db.ts'
import { findNewerMigration, latestMigration } from '../../store/database/migrate.ts'
import { writeReadinessProbe } from '../../store/service/service.ts'
import type { Ports } from '../ports.ts'

const BEAT_MS = 2_000
const PATIENCE_MS = 2_000
/** However many ask, and however often, the disk is asked a few times in a second. */
const FRESH_MS = 200
/** A process that has proved nothing for so long is no more. */
const GONE_MS = 86_400_000

export interface ReadinessCheck extends ServiceRole {
  /** The reason why the process is not ready, or null. */
  unreadyBecause(): Promise<string | null>
  /** The schema is newer than this version, so the process has stopped its work. */
  readonly isOutdated: boolean
}

/** Checks the schema every two seconds; calls `onOutdated` once when a newer version has changed it. */
export function startReadinessCheck(
  { db, clock, ids }: Ports,
  log: Log,
  onOutdated: () => Promise<void>,
): ReadinessCheck {
  const processId = ids.next()
  const known = latestMigration()
  let newer: string | null = null
  let askedAt = Number.NEGATIVE_INFINITY
  let proof: Promise<string | null> = Promise.resolve(null)
  const judge = async (found: string | null) => {
    if (found === null || newer !== null) return
    newer = found
    log.error(
      { migration: found },
      'database schema is newer than this process, stopping work: restart with that version',
    )
    await onOutdated().catch((err) => log.error({ err }, 'stopping work failed'))
  }
  const write = async () => {
    const now = clock.now()
    const goneSince = new Date(now.getTime() - GONE_MS)
    const found = await db.transaction(async (tx) => {
      const [name] = await Promise.all([
        findNewerMigration(tx, known),
        writeReadinessProbe(tx, { processId, now, goneSince }),
      ])
      return name
    })
    await judge(found)
  }
  const prove = async () => {
    const written = write().then(() => newer && outdated(newer), becauseOf)
    return Promise.race([written, sleep(PATIENCE_MS, SILENT, { ref: false })])
  }
  const unreadyBecause = () => {
    if (performance.now() - askedAt < FRESH_MS) return proof
    askedAt = performance.now()
    proof = prove()
    return proof
  }
  let beat: Promise<void> | null = null
  const beats = setInterval(() => {
    if (newer !== null) return
    beat ??= findNewerMigration(db, known)
      .then(judge)
      .catch((fault) => {
        // An outage is logged where it is met.
        if (!isAway(fault)) log.error({ err: fault }, 'schema check failed, retrying')
      })
      .finally(() => {
        beat = null
      })
  }, BEAT_MS).unref()
  return {
    name: 'heartbeat',
    settle: async () => false,
    stop: async () => {
      clearInterval(beats)
      await beat
    },
    unreadyBecause,
    get isOutdated() {
      return newer !== null
    },
  }
}

const SILENT = 'the database does not answer'
const READ_ONLY = '25006'
/** No space left, or no more of it for this. */
const FULL = ['53100', '53400']

function becauseOf(fault: unknown): string {
  const code = faultCode(fault)
  if (code === READ_ONLY) return 'the database can only be read'
  if (FULL.includes(code ?? '')) return 'the disk of the database is full'
  return isOutage(fault) ? SILENT : 'the database stores nothing'
}

function outdated(migration: string): string {
  return `a newer version has changed the database (${migration}): restart this process with that version`
}
