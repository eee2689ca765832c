// The log of a process, and how the process ends over a bug: one that nobody caught leaves it in a state that nobody knows.
import pino from 'pino'
import { createLog, type Log } from './runtime/log.ts'

export function openLog(level: string): Log {
  const log = createLog(level, standardOutput())
  process.on('uncaughtException', (fault, origin) => {
    log.fatal({ err: fault, origin }, 'a bug ends this process')
    process.exit(1)
  })
  return log
}

/** Once the terminal has gone nobody reads the log: what cannot be written must not keep the service from leaving in order. */
function standardOutput(): pino.DestinationStream {
  const output = pino.destination({ dest: 1, sync: true })
  const drop = () => true
  output.on('error', () => Object.assign(output, { write: drop, flush: drop, flushSync: drop, end: drop }))
  return output
}
