// The log of a process. An uncaught exception is logged and ends the process, because its state is unknown.
import pino from 'pino'
import { createLog, type Log } from '../runtime/log.ts'
import { createTextStream } from '../runtime/log-text.ts'
import type { Config } from './config.ts'

export function openLog({ logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>): Log {
  const isTerminal = process.stdout.isTTY === true
  const isText = logFormat === 'auto' ? isTerminal : logFormat === 'text'
  const output = standardOutput()
  const log = createLog(logLevel, isText ? createTextStream(output, isTerminal && !process.env.NO_COLOR) : output)
  // A closed standard output must not stop the service.
  process.stdout.on('error', () => {})
  process.on('uncaughtException', (error, origin) => {
    log.fatal({ err: error, origin }, 'uncaught exception')
    process.exit(1)
  })
  return log
}

/** Log lines kept in memory while the disk is full. */
const MAX_BACKLOG_BYTES = 1_000_000

/** The service runs on without a log: a full disk is retried, and EIO (a closed terminal) drops all further lines. */
function standardOutput(): pino.DestinationStream {
  const output = pino.destination({ dest: 1, sync: true, maxLength: MAX_BACKLOG_BYTES })
  const drop = () => true
  // Lines are written synchronously, so only a backlog is left to flush; pino would wait forever for a full disk.
  Object.assign(output, { flushSync: drop })
  output.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EIO') Object.assign(output, { write: drop, flush: drop, end: drop })
  })
  return output
}
