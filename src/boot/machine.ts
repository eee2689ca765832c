// Metrics of PostgreSQL and of the disk, which are the same for all processes of a machine.
import { statfs } from 'node:fs/promises'
import type { Metrics } from '../runtime/metrics.ts'
import { readClock } from '../store/database/clock.ts'
import type { Db } from '../store/database/db.ts'
import { countTuples, findOldestTransaction } from '../store/database/health.ts'

export function measureMachine(db: Db, { metrics, dataDirectory }: { metrics: Metrics; dataDirectory: string }): void {
  metrics.table('postgres_tuples', 'Row versions of the busy tables, as PostgreSQL estimates', {
    labels: ['table', 'state'],
    read: async () =>
      (await countTuples(db)).flatMap(({ table, live, dead }) => [
        { of: { table, state: 'live' }, value: live },
        { of: { table, state: 'dead' }, value: dead },
      ]),
  })
  metrics.table('postgres_oldest_transaction_seconds', 'Age of the oldest open transaction of the database', {
    labels: [],
    read: async () => {
      const [now, oldest] = await Promise.all([readClock(db), findOldestTransaction(db)])
      return [{ of: {}, value: oldest ? Math.max(0, now.getTime() - oldest.getTime()) / 1000 : 0 }]
    },
  })
  metrics.table('data_disk_bytes', 'Disk of the data folder', {
    labels: ['state'],
    read: async () => {
      const { bavail, bfree, blocks, bsize } = await statfs(dataDirectory)
      return [
        { of: { state: 'free' }, value: bavail * bsize },
        { of: { state: 'used' }, value: (blocks - bfree) * bsize },
      ]
    },
  })
}
