// Structured logs. What may be logged is chosen where it is logged; `redact` is only the backstop.
import pino from 'pino'

export type Log = pino.Logger

const NEVER = ['x-api-key', 'authorization', 'apiKey', 'token', 'password', 'webhookSecret', 'secret', 'body']

export function createLog(level: string, destination?: pino.DestinationStream): Log {
  const paths = NEVER.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`])
  const options: pino.LoggerOptions = { level, base: { pid: process.pid }, redact: { paths, censor: '[hidden]' } }
  return destination ? pino(options, destination) : pino(options)
}
