// The log of a process, and how the process ends over a bug: one that nobody caught leaves it in a state that nobody knows.
import pino from 'pino'
import { createLog, type Log } from '../runtime/log.ts'

export function openLog(level: string): Log {
  const log = createLog(level, standardOutput())
  // The banner's fate is not the service's.
  process.stdout.on('error', () => {})
  process.on('uncaughtException', (fault, origin) => {
    log.fatal({ err: fault, origin }, 'a bug ends this process')
    process.exit(1)
  })
  return log
}

/** What is kept of a log that a full disk does not take; it is written once there is room. */
const LONGEST_BACKLOG_BYTES = 1_000_000

/** A log that cannot be written keeps nobody from working, nor from leaving in order when the terminal closes: it is gone for good. */
function standardOutput(): pino.DestinationStream {
  const output = pino.destination({ dest: 1, sync: true, maxLength: LONGEST_BACKLOG_BYTES })
  const drop = () => true
  // Every line is written as it comes. What is left is a backlog, and pino would wait for a full disk to take it, for ever.
  Object.assign(output, { flushSync: drop })
  output.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EIO') Object.assign(output, { write: drop, flush: drop, end: drop })
  })
  return output
}
