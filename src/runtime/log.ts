// Structured logs. What may be logged is chosen where it is logged; `redact` is only the backstop.
import pino from 'pino'

export type Log = pino.Logger

const NEVER = ['x-api-key', 'authorization', 'apiKey', 'token', 'password', 'webhookSecret', 'secret', 'body']

export function createLog(level: string, destination?: pino.DestinationStream): Log {
  const paths = NEVER.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`])
  const options: pino.LoggerOptions = {
    level,
    base: { pid: process.pid },
    redact: { paths, censor: '[hidden]' },
    serializers: { err: (fault) => told(fault) },
  }
  return destination ? pino(options, destination) : pino(options)
}

type Fault = Error & { code?: unknown; severity?: unknown; constraint?: unknown; table?: unknown }

const MOST_CAUSES = 5

/** Chosen fields, since a fault may carry anything: what PostgreSQL adds to its own are whole rows and the values of a statement. */
function told(fault: unknown, causesBefore = 0): Record<string, unknown> {
  if (!(fault instanceof Error)) return { message: String(fault) }
  const { code, constraint, table, message, stack = '' }: Fault = fault
  const cause = fault.cause && causesBefore < MOST_CAUSES ? { cause: told(fault.cause, causesBefore + 1) } : {}
  const type = fault.constructor.name
  if (!quotesValues(fault)) return { type, code, message, stack, ...cause }
  const frames = stack
    .replace(message, () => '')
    .split('\n')
    .filter((line) => line.startsWith('    at '))
  return { type, code, constraint, table, stack: frames.join('\n'), ...cause }
}

/** The connection, room, an operator's intervention and the system: such words are about the server, never about a row. */
const OF_THE_SERVER = /^(08|53|57|58)/

/** An answer of the database, whose words may quote what was stored or asked. */
function quotesValues({ code, severity }: Fault): boolean {
  return typeof severity === 'string' && typeof code === 'string' && !OF_THE_SERVER.test(code)
}

/** As much of a log as it takes: Fastify's own is less than ours. */
interface FaultLog {
  error(fields: object, message: string): void
}

/** A rejection that nobody handles ends the process; that of this work is logged instead. `what` names the work in the log. */
export function inBackground(work: Promise<unknown>, log: FaultLog, what: string): void {
  work.catch((fault) => log.error({ err: fault, work: what }, 'work in the background failed'))
}
