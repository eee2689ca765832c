// The machine and the commit that the figures of a benchmark belong to.
import { type ExecFileSyncOptions, execFileSync } from 'node:child_process'
import { cpus } from 'node:os'

export interface Machine {
  cpu: string
  cores: number
  /** null outside of a checkout. */
  commit: string | null
}

/** To be read before a run, because a change of the checkout during the run does not change the measured code. */
export function readMachine(): Machine {
  const all = cpus()
  return { cpu: all[0]?.model.trim() ?? 'unknown CPU', cores: all.length, commit: readCommit() }
}

function readCommit(): string | null {
  const args = ['describe', '--always', '--dirty', '--abbrev=8', '--exclude=*']
  try {
    const options = { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'ignore'] } satisfies ExecFileSyncOptions
    return execFileSync('git', args, options).toString().trim()
  } catch {
    return null
  }
}

export function captionOf({ cpu, cores, commit }: Machine, postgresVersion: string): string {
  return `${cores} × ${cpu}, PostgreSQL ${postgresVersion}; commit ${commit}`
}
