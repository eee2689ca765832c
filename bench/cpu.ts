// The CPU time of other processes, from Linux's /proc.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BundledPostgres } from '../src/store/database/bundled-postgres.ts'

const TICKS_PER_SECOND = 100

export function cpuSeconds(pid: number): number {
  const { user, system } = usageOf(String(pid))
  return (user + system) / TICKS_PER_SECOND
}

/** The CPU time of the server and its processes, including ended ones; 0 without /proc. */
export function postgresCpuSeconds({ directory }: Pick<BundledPostgres, 'directory'>): number {
  const postmaster = readFileSync(join(directory, 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0]
  const ticks = processes().map((pid) => {
    const { parent, user, system, ended } = usageOf(pid)
    if (pid === postmaster) return user + system + ended
    return parent === postmaster ? user + system : 0
  })
  return ticks.reduce((sum, each) => sum + each, 0) / TICKS_PER_SECOND
}

function processes(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

/** In ticks; `ended` is the time of ended children. */
function usageOf(pid: string) {
  const [, fields = ''] = statOf(pid).split(') ')
  const [, parent, ...rest] = fields.split(' ')
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = rest.slice(9, 13).map(Number)
  return { parent, user, system, ended: endedUser + endedSystem }
}

function statOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return '' // The process has just ended.
  }
}
