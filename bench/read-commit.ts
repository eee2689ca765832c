// The commit that a benchmark measures.
import { type ExecFileSyncOptions, execFileSync } from 'node:child_process'

/** null outside of a checkout. */
export function readCommit(): string | null {
  const args = ['describe', '--always', '--dirty', '--abbrev=8', '--exclude=*']
  try {
    const options = { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'ignore'] } satisfies ExecFileSyncOptions
    return execFileSync('git', args, options).toString().trim()
  } catch {
    return null
  }
}
