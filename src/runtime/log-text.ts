// One readable line for each entry of the log, for a terminal.
import type pino from 'pino'

const LEVELS: Record<number, string> = { 10: 'trace', 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'fatal' }
const FATAL = 60
/** ANSI colours of the levels; info and lower have none. */
const COLOURS: Record<number, string> = { 40: '\u001b[33m', 50: '\u001b[31m', 60: '\u001b[1;31m' }
const DIM = '\u001b[2m'
const PLAIN = '\u001b[0m'
/** Control characters, line breaks, and bidirectional control characters. */
const CONTROL_CHARACTERS = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu

export function createTextStream(destination: pino.DestinationStream, hasColours: boolean): pino.DestinationStream {
  return { write: (line) => destination.write(`${formatEntry(line, hasColours)}\n`) }
}

/** For example `15:04:05.678 warn  carrier bind failed, retrying carrier=Everest pid=42`. */
export function formatEntry(line: string, hasColours: boolean): string {
  const { time, level, msg = '', pid, err, ...fields } = JSON.parse(line)
  const paint = (colour: string | undefined, text: string) => (hasColours && colour ? `${colour}${text}${PLAIN}` : text)
  const shown = { ...fields, ...(err && errorFields(err)), pid }
  const pairs = Object.entries(shown)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${formatField(value)}`)
  // The process ends with a fatal entry, so its stack is worth more lines.
  const stack = level === FATAL && typeof err?.stack === 'string' ? `\n${cleanText(err.stack)}` : ''
  const word = (LEVELS[level] ?? String(level)).padEnd(5)
  return `${paint(DIM, localTime(time))} ${paint(COLOURS[level], word)} ${escapeControls(String(msg))} ${paint(DIM, pairs.join(' '))}${stack}`.trimEnd()
}

/** The cause of an error often says more than the error itself. */
function errorFields({ type, code, message, constraint, table, cause }: Record<string, unknown>) {
  const known = cause as Record<string, unknown> | undefined
  return { error: message ?? type, code, constraint, table, cause: known && (known.message ?? known.type) }
}

function localTime(time: unknown): string {
  const at = new Date(time as string | number)
  const part = (value: number, digits = 2) => String(value).padStart(digits, '0')
  return `${part(at.getHours())}:${part(at.getMinutes())}:${part(at.getSeconds())}.${part(at.getMilliseconds(), 3)}`
}

function formatField(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return escapeControls(/^[^\s"=]+$/.test(text) || typeof value !== 'string' ? text : JSON.stringify(text))
}

function cleanText(text: string): string {
  return text.split('\n').map(escapeControls).join('\n')
}

/** Fields can contain text from carriers and customers, which must not control the terminal. */
function escapeControls(text: string): string {
  return text.replaceAll(CONTROL_CHARACTERS, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
