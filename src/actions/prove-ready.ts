// Can this process do its work now? It can when the database takes what it stores; a database that is only there is not enough.
import { setTimeout as sleep } from 'node:timers/promises'
import { isOutage } from '../store/db.ts'
import { writeProbe } from '../store/service.ts'
import type { Ports } from './ports.ts'

const PATIENCE_MS = 2_000
/** However many ask, and however often, the disk is asked a few times in a second. */
const FRESH_MS = 200
/** A process that has proved nothing for so long is no more. */
const GONE_MS = 86_400_000

/** Says why not, or null. */
export type ProveReady = () => Promise<string | null>

export function createProof({ db, clock, ids }: Ports): ProveReady {
  const processId = ids.next()
  let askedAt = Number.NEGATIVE_INFINITY
  let proof: Promise<string | null> = Promise.resolve(null)
  const prove = async () => {
    const now = clock.now()
    const goneSince = new Date(now.getTime() - GONE_MS)
    const written = writeProbe(db, { processId, now, goneSince }).then(() => null, becauseOf)
    return Promise.race([written, sleep(PATIENCE_MS, SILENT, { ref: false })])
  }
  return () => {
    if (performance.now() - askedAt < FRESH_MS) return proof
    askedAt = performance.now()
    proof = prove()
    return proof
  }
}

const SILENT = 'the database does not answer'

function becauseOf(fault: unknown): string {
  if (fault instanceof Error && 'code' in fault && fault.code === '25006') return 'the database can only be read'
  return isOutage(fault) ? SILENT : 'the database stores nothing'
}
