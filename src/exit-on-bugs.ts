// A bug that nobody caught leaves a process in a state that nobody knows: it is logged, and the process ends.
import type { Log } from './runtime/log.ts'

export function exitOnBugs(log: Log): void {
  process.on('uncaughtException', (fault, origin) => {
    log.fatal({ err: fault, origin }, 'a bug ends this process')
    process.exit(1)
  })
}
