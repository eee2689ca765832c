// CPU time of processes from /proc; 0 without /proc.
import { readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100

/** Of a process and its ended children, in seconds. */
export function cpuSecondsOf(pid: number | 'self'): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may contain spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return ticks / TICKS_PER_SECOND
  } catch {
    return 0
  }
}
