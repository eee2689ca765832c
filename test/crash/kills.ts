// Carries out one planned kill: waits for its point, kills, releases what the point held, and starts again what does not restart itself.
import type { Installation } from './installation.ts'
import type { Load } from './load.ts'
import {
  COMMIT_POINTS,
  type CommitPoint,
  type Kill,
  PEER_POINTS,
  type PeerPoint,
  ROUTES,
  type Route,
} from './schedule.ts'

/** Some points are rare: a point that no message reaches in time becomes a random time. */
const REACH_MS = 4_000

export interface DoneKill extends Kill {
  isReached: boolean
  at: number
  /** From the kill to the next 200 of a new request. */
  recoveryMs: number
  /** Of a stop by SIGTERM. */
  exitCode: number | null
}

export async function carryOut(kill: Kill, installation: Installation, load: Load): Promise<DoneKill> {
  await new Promise((resolve) => setTimeout(resolve, kill.pauseMs))
  const held = await reach(kill, installation)
  const pids = await pidsOf(kill, installation, held.backendPid)
  const at = Date.now()
  for (const pid of pids) end(pid, kill)
  await held.release()
  const exitCode = await restart(kill, installation)
  await load.untilAccepted()
  return { ...kill, isReached: held.isReached, at, recoveryMs: Date.now() - at, exitCode }
}

interface Held {
  isReached: boolean
  /** The backend of the held commit. */
  backendPid: number | null
  release(): Promise<void>
}

async function reach({ point, choice }: Kill, { database, carriers, receiver }: Installation): Promise<Held> {
  if (isCommitPoint(point)) {
    const backendPid = await database.holdCommit(point, REACH_MS)
    return { isReached: backendPid !== null, backendPid, release: () => database.releaseCommits() }
  }
  if (!isPeerPoint(point)) return { isReached: true, backendPid: null, release: async () => {} }
  const carrier = carriers[ROUTES[choice % ROUTES.length] as Route]
  const peer = PEER_POINTS[point] === 'carrier' ? carrier : receiver
  const isReached = await peer.reach(point, REACH_MS)
  return { isReached, backendPid: null, release: async () => peer.disarm() }
}

async function pidsOf(
  { victim, choice }: Kill,
  { service, database }: Installation,
  heldBackend: number | null,
): Promise<number[]> {
  switch (victim) {
    case 'service, kill -9':
      return [-service.pid]
    case 'primary process, kill -9':
    case 'service, SIGTERM':
      return [service.pid]
    case 'worker process, kill -9':
      return pick(service.runningWorkerPids, choice)
    case 'PostgreSQL, -m immediate':
      return [await database.postmasterPid()]
    case 'PostgreSQL backend, kill -9':
      return heldBackend === null ? pick(await database.backendPids(), choice) : [heldBackend]
  }
}

function pick(pids: number[], choice: number): number[] {
  return pids.length === 0 ? [] : [pids[choice % pids.length] as number]
}

function end(pid: number, { victim }: Kill): void {
  // SIGQUIT is what `pg_ctl stop -m immediate` sends.
  const signals = { 'service, SIGTERM': 'SIGTERM', 'PostgreSQL, -m immediate': 'SIGQUIT' } as const
  const signal = victim in signals ? signals[victim as keyof typeof signals] : 'SIGKILL'
  try {
    process.kill(pid, signal)
  } catch {
    // A backend or a worker may have ended by itself.
  }
}

/** The service replaces its workers and restarts its database. */
async function restart({ victim }: Kill, installation: Installation): Promise<number | null> {
  if (!['service, kill -9', 'primary process, kill -9', 'service, SIGTERM'].includes(victim)) return null
  const { code } = await installation.service.ended
  await installation.startService()
  return code
}

function isCommitPoint(point: string): point is CommitPoint {
  return point in COMMIT_POINTS
}

function isPeerPoint(point: string): point is PeerPoint {
  return point in PEER_POINTS
}
