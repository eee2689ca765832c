// CPU time of processes, read from /proc; 0 where there is none.
import { readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100

/** Of a process and of its children that ended and were waited for, in seconds. */
export function cpuSecondsOf(pid: number | 'self'): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name, in parentheses, may hold spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return ticks / TICKS_PER_SECOND
  } catch {
    return 0
  }
}
