// Drops the months past their retention (D44).
import { MINUTE_MS } from '../../domain/durations.ts'
import { expiredMonths, type Retention } from '../../domain/service/retention.ts'
import type { Log } from '../../runtime/log.ts'
import type { Turn } from '../../runtime/loop.ts'
import { isLockTimeout, type OwnConnection, type Queries } from '../../store/database/db.ts'
import {
  beginDrops,
  dropPartition,
  dropTable,
  listDetached,
  listPartitions,
  type Partition,
} from '../../store/database/partitions.ts'
import type { Ports } from '../ports.ts'
import { findUnfinishedAt, isFinished } from './retention.ts'

/** A step that waits for its lock delays all others on the table. */
const RETRY_MS = 5 * MINUTE_MS

interface Expired {
  partitions: Partition[]
  /** Names of partitions that an earlier process detached, but did not drop. */
  detached: string[]
}

export class MonthDrops {
  readonly #ports: Ports
  readonly #retention: Retention
  readonly #log: Log
  /** Partitions that a long statement reads, such as a backup. */
  readonly #inUse = new Set<string>()
  #retryAt: Date | null = null

  constructor(ports: Ports, retention: Retention, log: Log) {
    this.#ports = ports
    this.#retention = retention
    this.#log = log
  }

  async turn(): Promise<Turn> {
    const { db, clock } = this.#ports
    const now = clock.now()
    if (this.#retryAt && now < this.#retryAt) return { worked: false, nextAt: this.#retryAt }
    const { partitions, detached } = await this.#findExpired(db)
    if (partitions.length === 0 && detached.length === 0) return { worked: false }
    const dropped = await db.ownConnection((connection) => this.#dropAll(connection))
    this.#retryAt = this.#inUse.size > 0 ? new Date(now.getTime() + RETRY_MS) : null
    return { worked: dropped > 0, nextAt: this.#retryAt }
  }

  /** An interrupted removal comes first, because a table can have one at a time. */
  async #findExpired(db: Queries): Promise<Expired> {
    const [partitions, unfinishedAt] = [await listPartitions(db), await findUnfinishedAt(db)]
    const expired = expiredMonths(this.#ports.clock.now(), this.#retention, partitions)
    return {
      partitions: [
        ...partitions.filter(({ isDetaching }) => isDetaching),
        ...expired.filter(
          ({ table, until, isDetaching }) => !isDetaching && isFinished({ table, until, unfinishedAt }),
        ),
      ],
      detached: await listDetached(db),
    }
  }

  /** Returns the number of dropped months. */
  async #dropAll(connection: OwnConnection): Promise<number> {
    if (!(await beginDrops(connection))) return 0
    const { partitions, detached } = await this.#findExpired(connection)
    this.#forgetDropped([...detached, ...partitions.map(({ name }) => name)])
    let dropped = 0
    for (const name of detached) if (await this.#drop(name, () => dropTable(connection, name))) dropped += 1
    const busy = new Set<string>()
    for (const partition of partitions) {
      if (busy.has(partition.table)) continue
      if (await this.#drop(partition.name, () => dropPartition(connection, partition))) dropped += 1
      else busy.add(partition.table)
    }
    return dropped
  }

  #forgetDropped(left: readonly string[]): void {
    for (const name of this.#inUse) if (!left.includes(name)) this.#inUse.delete(name)
  }

  async #drop(name: string, step: () => Promise<void>): Promise<boolean> {
    try {
      await step()
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      if (!this.#inUse.has(name)) this.#log.warn({ partition: name }, 'expired partition is in use, dropping it later')
      this.#inUse.add(name)
      return false
    }
    this.#log.info({ partition: name }, 'expired partition dropped')
    this.#inUse.delete(name)
    return true
  }
}
