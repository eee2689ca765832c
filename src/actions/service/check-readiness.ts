// Checks whether this process is ready: the database accepts writes, and its schema fits this version.
import { setTimeout as sleep } from 'node:timers/promises'
import { DAY_MS } from '../../domain/durations.ts'
import type { Log } from '../../runtime/log.ts'
import type { ServiceRole } from '../../runtime/loop.ts'
import { DISK_FULL, isAway, isOutage, READ_ONLY, sqlState } from '../../store/database/db.ts'
import { latestMigration, readSchemaState, type SchemaState } from '../../store/database/migrations.ts'
import { writeReadinessProbe } from '../../store/service/service.ts'
import type { Ports } from '../ports.ts'

const BEAT_MS = 2_000
const PATIENCE_MS = 2_000
/** A result is reused for this long, to limit the writes. */
const FRESH_MS = 200
/** After this time without a probe, the row of a process is deleted. */
const GONE_MS = DAY_MS

export interface ReadinessCheck extends ServiceRole {
  /** Why the process is not ready, or null. */
  unreadyReason(): Promise<string | null>
  /** A newer version changed the database, or it was moved. */
  readonly hasStopped: boolean
}

/** Checks the schema every two seconds; calls `onStopped` once when a newer version has changed it, or the database was moved away. */
export function startReadinessCheck(ports: Ports, log: Log, onStopped: () => Promise<void>): ReadinessCheck {
  return new DatabaseReadiness(ports, log, onStopped)
}

class DatabaseReadiness implements ReadinessCheck {
  readonly name = 'heartbeat'
  readonly #ports: Ports
  readonly #log: Log
  readonly #onStopped: () => Promise<void>
  readonly #processId: string
  readonly #known = latestMigration()
  readonly #timer: NodeJS.Timeout
  /** Why the process has stopped its work, or null. */
  #stopped: string | null = null
  #checkedAt = Number.NEGATIVE_INFINITY
  #reason: Promise<string | null> = Promise.resolve(null)
  #schemaCheck: Promise<void> | null = null

  constructor(ports: Ports, log: Log, onStopped: () => Promise<void>) {
    this.#ports = ports
    this.#log = log
    this.#onStopped = onStopped
    this.#processId = ports.ids.next()
    this.#timer = setInterval(() => this.#checkSchema(), BEAT_MS).unref()
  }

  get hasStopped(): boolean {
    return this.#stopped !== null
  }

  unreadyReason(): Promise<string | null> {
    if (performance.now() - this.#checkedAt < FRESH_MS) return this.#reason
    this.#checkedAt = performance.now()
    const written = this.#writeProbe().then(() => this.#stopped, becauseOf)
    this.#reason = Promise.race([written, sleep(PATIENCE_MS, SILENT, { ref: false })])
    return this.#reason
  }

  async settle(): Promise<boolean> {
    return false
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#schemaCheck
  }

  #checkSchema(): void {
    if (this.#stopped !== null) return
    this.#schemaCheck ??= readSchemaState(this.#ports.db, this.#known)
      .then((found) => this.#judge(found))
      .catch((error) => {
        // The database pool logs outages.
        if (!isAway(error)) this.#log.error({ err: error }, 'schema check failed, retrying')
      })
      .finally(() => {
        this.#schemaCheck = null
      })
  }

  async #writeProbe(): Promise<void> {
    const { db, clock } = this.#ports
    const now = clock.now()
    const probe = { processId: this.#processId, now, goneSince: new Date(now.getTime() - GONE_MS) }
    const found = await db.transaction(async (tx) => {
      const [state] = await Promise.all([readSchemaState(tx, this.#known), writeReadinessProbe(tx, probe)])
      return state
    })
    await this.#judge(found)
  }

  async #judge({ newer, isMovedAway }: SchemaState): Promise<void> {
    if (this.#stopped !== null) return
    if (isMovedAway) {
      this.#stopped = 'the database was moved to another server: restart this process with its DATABASE_URL'
      this.#log.error('database was moved to another server, stopping work: restart with its DATABASE_URL')
    } else if (newer !== null) {
      this.#stopped = `a newer version has changed the database (${newer}): restart this process with that version`
      this.#log.error(
        { migration: newer },
        'database schema is newer than this process, stopping work: restart with that version',
      )
    } else return
    await this.#onStopped().catch((err) => this.#log.error({ err }, 'stopping work failed'))
  }
}

const SILENT = 'the database does not answer'
const CONFIGURATION_LIMIT_EXCEEDED = '53400'
const FULL = [DISK_FULL, CONFIGURATION_LIMIT_EXCEEDED]

function becauseOf(error: unknown): string {
  const code = sqlState(error)
  if (code === READ_ONLY) return 'the database is read-only'
  if (FULL.includes(code ?? '')) return 'the database disk is full'
  return isOutage(error) ? SILENT : 'the database rejects writes'
}
