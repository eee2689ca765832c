// Structured logs. Callers choose safe fields; `redact` is only a safety net.
import pino from 'pino'

export type Log = pino.Logger

const NEVER = ['x-api-key', 'authorization', 'apiKey', 'token', 'password', 'webhookSecret', 'secret', 'body']

export function createLog(level: string, destination?: pino.DestinationStream): Log {
  const paths = NEVER.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`])
  const options: pino.LoggerOptions = {
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    base: { pid: process.pid },
    redact: { paths, censor: '[hidden]' },
    serializers: { err: (error) => serializeError(error) },
  }
  return destination ? pino(options, destination) : pino(options)
}

type LoggedError = Error & { code?: unknown; severity?: unknown; constraint?: unknown; table?: unknown }

const MAX_CAUSES = 5

/** Only selected fields: errors of PostgreSQL carry whole rows and the values of a statement. */
function serializeError(error: unknown, causesBefore = 0): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) }
  const { code, constraint, table, message, stack = '' }: LoggedError = error
  const cause = error.cause && causesBefore < MAX_CAUSES ? { cause: serializeError(error.cause, causesBefore + 1) } : {}
  const type = error.constructor.name
  if (!quotesValues(error)) return { type, code, message, stack, ...cause }
  const frames = stack
    .replace(message, () => '')
    .split('\n')
    .filter((line) => line.startsWith('    at '))
  return { type, code, constraint, table, stack: frames.join('\n'), ...cause }
}

/** Error classes for connection, resources, operator intervention and system: their messages never quote a row. */
const OF_THE_SERVER = /^(08|53|57|58)/

/** Database errors may quote stored values or values of the statement. */
function quotesValues({ code, severity }: LoggedError): boolean {
  return typeof severity === 'string' && typeof code === 'string' && !OF_THE_SERVER.test(code)
}

/** The part of the log that is needed here, since Fastify's logger has fewer methods than pino's. */
interface ErrorLog {
  error(fields: object, message: string): void
}

/** Logs a rejection, which would otherwise end the process. `what` names the task in the log. */
export function inBackground(work: Promise<unknown>, log: ErrorLog, what: string): void {
  work.catch((error) => log.error({ err: error, work: what }, 'background task failed'))
}
